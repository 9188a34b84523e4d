/* What only assembly can do wrong, or see. */
        .syntax unified
        .arch armv7-a
        .fpu neon
        .arm
        .macro function name
        .globl \name
        .type \name, %function
\name:
        .endm

        .text
        .irp n, 4,5,6,7,8,9,10,11
function clobber_r\n
        eor r\n, r\n, #1
        bx lr
        .endr
        .irp n, 8,9,10,11,12,13,14,15
function clobber_d\n
        vmvn d\n, d\n
        bx lr
        .endr
function clobber_sp
        add sp, sp, #8
        bx lr
function clobber_FPSCR
        mov r0, #0x400000
        vmsr fpscr, r0
        bx lr
function clobber_what_is_free   /* caller-saved registers, flags, sticky flags */
        .irp n, 0,1,2,3,4,5,6,7,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
        vmov.i8 d\n, #0
        .endr
        .irp n, 0,1,2,3,12
        mov r\n, #0
        .endr
        vdiv.f64 d0, d0, d0
        vcmp.f64 d0, d0
        msr CPSR_fs, r0
        bx lr
function clobber_stack
        mov r0, #0
        strb r0, [sp, #13]
        bx lr
function clobber_argument
        mov r0, #0
        str r0, [sp]
        bx lr
function stack_pointer
        mov r0, sp
        mov r1, #0
        bx lr

/* Garbage: what the caller left in a register, in flags, in vectors, below the stack pointer. */
        .irp n, 0,1,2,3,12
function garbage_r\n
        mov r0, r\n
        bx lr
        .endr
function garbage_flags
        mrs r0, CPSR
        bx lr
function garbage_stack
        sub r0, sp, #4096
        ldr r0, [r0]
        bx lr
function store_registers        /* (u8 out[304]): r1-r12, d0-d31 */
        stm r0!, {r1-r12}
        vstm r0!, {d0-d15}
        vstm r0!, {d16-d31}
        bx lr

function breakpoint
        nop
        bkpt #0
        bx lr
function undefined
        udf #0
function leave                  /* (code) */
        mov r7, #248
        svc #0
function kill_self
        mov r7, #20
        svc #0
        mov r1, #10
        mov r7, #37
        svc #0
        bx lr
function sabotage               /* writes to the protocol's pipe */
        mov r0, #1
        adr r1, breakpoint
        mov r2, #16
        mov r12, r7
        mov r7, #4
        svc #0
        mov r7, r12
        bx lr
function overflow
        push {r3, lr}
        bl overflow
function exclusively            /* a load that must be aligned */
        ldrex r0, [r0]
        clrex
        bx lr
function lost_stack
        mov sp, #0
        push {r0}
        bx lr

/* Two ways: three instructions where r0 is 0, else four. */
        .globl way_zero, way_other
function two_ways
        cmp r0, #0
        bne way_other
way_zero:
        bx lr
way_other:
        add r0, r0, #1
        bx lr

/* A pool between code: what reads it must find it as it is. */
function pool
        ldr r0, 1f
        ldr r1, 1f + 4
        b 2f
1:      .quad 0x1122334455667788
2:      bx lr
