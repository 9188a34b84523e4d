/* Jumps of every kind of A64. A label jump_* stands on a conditional one, indirect_* on one
   whose target the code does not state. */
        .macro function name
        .globl \name
        .type \name, %function
\name:
        .endm

        .macro label name
        .globl \name
\name:
        .endm

        .text
/* (flags): a bit for each of the 16 conditions that held */
function conditions
        mov x1, #0
        mov x2, #1
        .irp code, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15
        msr nzcv, x0
        label jump_condition_\code
        .inst 0x54000040 | \code        /* b.cond . + 8 */
        b 8f
        orr x1, x1, x2, lsl #\code
8:
        .endr
        mov x0, x1
        ret

/* (value): whether it jumped */
        .macro testing name, jump:vararg
function \name
        label jump_\name
        \jump, 9f
        mov x0, #0
        ret
9:      mov x0, #1
        ret
        .endm
testing cbz_x, cbz x0
testing cbnz_x, cbnz x0
testing cbz_w, cbz w0
testing cbnz_w, cbnz w0
testing tbz_0, tbz w0, #0
testing tbnz_31, tbnz w0, #31
testing tbz_32, tbz x0, #32
testing tbnz_63, tbnz x0, #63
testing cbz_zero, cbz xzr
testing tbnz_zero, tbnz xzr, #5

/* (u8 out[520], flags): what jumps both ways must leave alone */
function survivors
        msr nzcv, x1
        .irp code, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15
        label jump_survivors_\code
        .inst 0x54000020 | \code        /* to the next instruction, either way */
        .endr
        label jump_survivors_cbz
        cbz x3, 1f
1:      label jump_survivors_tbnz
        tbnz x3, #7, 1f
1:      .irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30
        str x\n, [x0, #8 * \n]
        .endr
        .irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
        str d\n, [x0, #248 + 8 * \n]
        .endr
        mrs x1, nzcv
        str x1, [x0, #504]
        ldr x1, [sp, #-16]
        str x1, [x0, #512]
        ret

/* (value): to where nothing is */
function into_nothing
        cmp x0, #0
        label jump_into_nothing
        .inst 0x54800000                /* b.eq . - 2^20 */
        ret

/* (value): its own target */
function onto_itself
        label jump_onto_itself
        cbnz x0, jump_onto_itself
        ret

/* (value): 5, or what the tail gives */
function tail
        label jump_tail
        cbz x0, tail_of_it
        mov x0, #5
        ret
function tail_of_it
        mov x0, #6
        ret

/* (depth): depth + (depth - 1) + ... + 1 */
function nested
        label jump_nested
        cbnz x0, 1f
        ret
1:      stp x0, x30, [sp, #-16]!
        sub x0, x0, #1
        bl nested
        ldp x1, x30, [sp], #16
        add x0, x0, x1
        ret

/* (count, bound): how many of 0 .. count-1 are not below the bound */
function above
        mov x2, #0
        mov x3, #0
        label above_loop
        cmp x3, x1
        label jump_above
        b.lo 1f
        add x2, x2, #1
1:      add x3, x3, #1
        cmp x3, x0
        label jump_again
        b.lo above_loop
        mov x0, x2
        ret

/* (value): crashes unless value is 0 */
function crash_behind
        label jump_crash_behind
        cbz x0, 1f
        udf #0
1:      ret

/* (count, mask): visits one of two places per round, by a jump through a register */
function places
        mov x2, #0
        mov x3, #0
1:      ands x4, x3, x1
        adr x5, place_zero
        adr x6, place_other
        csel x5, x5, x6, eq
        label indirect_places
        br x5
        label place_zero
        add x2, x2, #1
        b 2f
        label place_other
        add x2, x2, #1000
2:      add x3, x3, #1
        cmp x3, x0
        b.lo 1b
        mov x0, x2
        ret

/* (place) */
function wherever
        label indirect_wherever
        br x0
