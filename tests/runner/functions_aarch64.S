/* What only assembly can do wrong, or see. */
        .macro function name
        .globl \name
        .type \name, %function
\name:
        .endm

        .text
        .irp n, 18,19,20,21,22,23,24,25,26,27,28,29
function clobber_x\n
        eor x\n, x\n, #1
        ret
        .endr
        .irp n, 8,9,10,11,12,13,14,15
function clobber_d\n
        mvn v\n\().8b, v\n\().8b
        ret
        .endr
function clobber_sp
        add sp, sp, #16
        ret
function clobber_FPCR
        mov x0, #0x400000
        msr fpcr, x0
        ret
function clobber_what_is_free   /* caller-saved vectors, upper halves, flags, sticky flags */
        .irp n, 0,1,2,3,4,5,6,7,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
        movi v\n\().16b, #0
        .endr
        .irp n, 8,9,10,11,12,13,14,15
        mov v\n\().d[1], xzr
        .endr
        .irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17
        mov x\n, #0
        .endr
        fdiv d0, d0, d0
        msr nzcv, xzr
        ret
function exclusively            /* a load that must be aligned */
        ldaxr w0, [x0]
        clrex
        ret
function clobber_stack
        strb wzr, [sp, #13]
        ret
function clobber_argument
        str xzr, [sp]
        ret
function stack_pointer
        mov x0, sp
        ret

/* Garbage: what the caller left in a register, in flags, in vectors, below the stack pointer. */
        .irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18
function garbage_x\n
        mov x0, x\n
        ret
        .endr
function garbage_flags
        mrs x0, nzcv
        ret
function garbage_stack
        mov x0, sp
        sub x0, x0, #4096
        ldr x0, [x0]
        ret
function store_registers        /* (u8 out[744]): x1-x29, q0-q31 */
        .irp n, 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29
        str x\n, [x0, #8 * (\n - 1)]
        .endr
        add x0, x0, #232
        .irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
        str q\n, [x0], #16
        .endr
        ret

function breakpoint
        nop
        brk #0
        ret
function undefined
        udf #0
function leave                  /* (code) */
        mov x8, #94
        svc #0
function kill_self
        mov x8, #172
        svc #0
        mov x1, #10
        mov x8, #129
        svc #0
        ret
function sabotage               /* writes to the protocol's pipe */
        mov x0, #1
        adr x1, breakpoint
        mov x2, #16
        mov x8, #64
        svc #0
        ret
function overflow
        str x30, [sp, #-16]!
        bl overflow
function lost_stack
        mov x1, xzr
        mov sp, x1
        str x0, [sp, #-16]!
        ret

/* Two ways: two instructions where x0 is 0, else three. */
        .globl way_zero, way_other
function two_ways
        cbnz x0, way_other
way_zero:
        ret
way_other:
        add x0, x0, #1
        ret

/* A pool between code: what reads it must find it as it is. */
function pool
        ldr x0, 1f
        b 2f
1:      .quad 0x1122334455667788
2:      ret
