/* Jumps of every kind of A32. A label jump_* stands on a conditional one, indirect_* on one
   whose target the code does not state. */
        .syntax unified
        .arch armv7-a
        .arm
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
/* (flags): a bit for each of the 15 conditions that held */
function conditions
        mov r1, #0
        mov r2, #1
        .irp code, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14
        msr CPSR_f, r0
        label jump_condition_\code
        .inst 0x0a000000 | \code << 28  /* b<cond> . + 8 */
        b 8f
        orr r1, r1, r2, lsl #\code
8:
        .endr
        mov r0, r1
        bx lr

/* (value): 7 if it is 0, by a return of each kind, else 9 */
        .macro returning name, jump:vararg
function \name
        push {r4, lr}
        mov r4, #1
        cmp r0, #0
        mov r0, #7
        label jump_\name
        \jump
        mov r0, #9
        pop {r4, pc}
        .endm
returning pop_pc, popeq {r4, pc}
returning ldmia_pc, ldmiaeq sp!, {r4, pc}
function bx_lr
        cmp r0, #0
        mov r0, #7
        label jump_bx_lr
        bxeq lr
        mov r0, #9
        bx lr
function mov_pc
        cmp r0, #0
        mov r0, #7
        label jump_mov_pc
        moveq pc, lr
        mov r0, #9
        bx lr
function ldr_pc
        push {lr}
        cmp r0, #0
        mov r0, #7
        label jump_ldr_pc
        ldreq pc, [sp], #4
        mov r0, #9
        pop {pc}
function ldr_pc_back
        str lr, [sp, #-8]
        cmp r0, #0
        mov r0, #7
        mov r3, sp
        label jump_ldr_pc_back
        ldreq pc, [r3, #-8]!
        mov r0, #9
        bx lr
function ldm_ib
        sub r3, sp, #16
        str r0, [r3, #4]
        str lr, [r3, #8]
        cmp r0, #0
        mov r0, #7
        label jump_ldm_ib
        ldmibeq r3, {r2, pc}
        mov r0, #9
        bx lr
function ldm_da
        sub r3, sp, #16
        str r0, [r3, #-4]
        str lr, [r3]
        cmp r0, #0
        mov r0, #7
        label jump_ldm_da
        ldmdaeq r3!, {r2, pc}
        mov r0, #9
        bx lr
function ldm_db
        sub r3, sp, #16
        str r0, [r3, #-8]
        str lr, [r3, #-4]
        cmp r0, #0
        mov r0, #7
        label jump_ldm_db
        ldmdbeq r3!, {r2, pc}
        mov r0, #9
        bx lr
function bl_eq
        push {r4, lr}
        mov r1, #9
        cmp r0, #0
        label jump_bl_eq
        bleq seven
        mov r0, r1
        pop {r4, pc}
function blx_eq
        push {r4, lr}
        mov r1, #9
        ldr r3, =seven
        cmp r0, #0
        label jump_blx_eq
        blxeq r3
        mov r0, r1
        pop {r4, pc}
        .ltorg
function seven
        mov r1, #7
        bx lr

/* (u8 out[408], flags): what jumps both ways must leave alone */
function survivors
        msr CPSR_f, r1
        .irp code, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14
        label jump_survivors_\code
        .inst 0x0affffff | \code << 28  /* to the next instruction, either way */
        .endr
        stm r0, {r0-r12, lr}
        .fpu neon
        add r1, r0, #56
        vstm r1!, {d0-d15}
        vstm r1!, {d16-d31}
        mrs r2, CPSR
        str r2, [r1]
        ldr r2, [sp, #-16]
        str r2, [r1, #4]
        bx lr

/* (value): to where nothing is */
function into_nothing
        cmp r0, #0
        label jump_into_nothing
        .inst 0x0a800000                /* beq . + 8 - 2^25 */
        bx lr

/* (value): its own target */
function onto_itself
        cmp r0, #0
        label jump_onto_itself
        bne jump_onto_itself
        bx lr

/* (value): 5, or what the tail gives */
function tail
        cmp r0, #0
        label jump_tail
        beq tail_of_it
        mov r0, #5
        bx lr
function tail_of_it
        mov r0, #6
        bx lr

/* (depth): depth + (depth - 1) + ... + 1 */
function nested
        cmp r0, #0
        label jump_nested
        bxeq lr
        push {r0, lr}
        sub r0, r0, #1
        bl nested
        pop {r1, lr}
        add r0, r0, r1
        bx lr

/* (count, bound): how many of 0 .. count-1 are not below the bound */
function above
        mov r2, #0
        mov r3, #0
        label above_loop
        cmp r3, r1
        label jump_above
        blo 1f
        add r2, r2, #1
1:      add r3, r3, #1
        cmp r3, r0
        label jump_again
        blo above_loop
        mov r0, r2
        bx lr

/* (value): crashes unless value is 0 */
function crash_behind
        cmp r0, #0
        label jump_crash_behind
        beq 1f
        udf #0
1:      bx lr

/* (count, mask): visits one of two places per round, by a jump through a register */
function places
        mov r2, #0
        mov r3, #0
1:      ands r12, r3, r1
        adreq r12, place_zero
        adrne r12, place_other
        label indirect_places
        bx r12
        label place_zero
        add r2, r2, #1
        b 2f
        label place_other
        add r2, r2, #1000
2:      add r3, r3, #1
        cmp r3, r0
        blo 1b
        mov r0, r2
        bx lr

/* (place) */
function wherever
        label indirect_wherever
        bx r0

/* (which): 10 or 11, by a jump of each kind */
        .macro switching name, jump:vararg
function \name
        adr r3, \name\()_zero
        add r3, r3, r0, lsl #3
        str r3, [sp, #-8]
        cmp r0, r0
        label indirect_\name
        \jump
        nop
        label \name\()_zero
        mov r0, #10
        bx lr
        label \name\()_one
        mov r0, #11
        bx lr
        .endm
switching switch_mov, mov pc, r3
switching switch_add, add pc, pc, r0, lsl #3
switching switch_ldr, ldr pc, [sp, #-8]
switching switch_predicated, bxeq r3
function switch_table
        label indirect_switch_table
        ldr pc, [pc, r0, lsl #2]
        nop
        .word switch_table_zero
        .word switch_table_one
        label switch_table_zero
        mov r0, #10
        bx lr
        label switch_table_one
        mov r0, #11
        bx lr

/* (value): a return from a stack that is not there */
function lost_return
        mov r3, #16
        cmp r0, #0
        label jump_lost_return
        ldmeq r3, {r2, pc}
        bx lr
