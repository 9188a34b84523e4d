/*
 * The runner's entry, its signal return and the call trampoline for aarch64, AAPCS64.
 */
#include "aarch64.h"
#include "stack.h"

        .text

/*
 * void _start(void)
 *   Entry from the kernel: the stack pointer is at argc, aligned to 16, no return address.
 */
        .globl _start
        .type _start, %function
_start:
        .cfi_startproc
        .cfi_undefined x30
        mov x0, sp
        mov x29, xzr
        mov x30, xzr
        bl runner_main
        brk #1
        .cfi_endproc
        .size _start, . - _start

/*
 * void machine_restorer(void)
 *   What signal handlers return to: rt_sigreturn.
 */
        .globl machine_restorer
        .type machine_restorer, %function
machine_restorer:
        mov x8, #139
        svc #0
        .size machine_restorer, . - machine_restorer

/*
 * void machine_trampoline(void)
 *   Calls call_frame.in[30] on the stack call_frame.sp with every register as call_frame
 *   holds it; stores what came back into call_frame.
 *
 *   In and out: call_frame only, reached through x30 before the call, which takes the target
 *   last, and through x16 behind it, which belongs to no one there.
 *   ABI: AAPCS64; keeps x19-x29, d8-d15. FPCR is left as the callee left it.
 */
        .set SAVED, 160
        .globl machine_trampoline
        .type machine_trampoline, %function
machine_trampoline:
        .cfi_startproc
        stp x29, x30, [sp, #-SAVED]!
        .cfi_def_cfa_offset SAVED
        .cfi_rel_offset x29, 0
        .cfi_rel_offset x30, 8
        stp x19, x20, [sp, #16]
        stp x21, x22, [sp, #32]
        stp x23, x24, [sp, #48]
        stp x25, x26, [sp, #64]
        stp x27, x28, [sp, #80]
        .irp n, 19,20,21,22,23,24,25,26,27,28
        .cfi_rel_offset x\n, 16 + 8 * (\n - 19)
        .endr
        stp d8, d9, [sp, #96]
        stp d10, d11, [sp, #112]
        stp d12, d13, [sp, #128]
        stp d14, d15, [sp, #144]
        .irp n, 8,9,10,11,12,13,14,15
        .cfi_rel_offset v\n, 96 + 8 * (\n - 8)
        .endr

        adrp x30, call_frame
        add x30, x30, :lo12:call_frame
        mov x16, sp
        str x16, [x30, #FRAME_OWN_SP]
        ldr x17, [x30, #FRAME_SP]
        str x16, [x17, #STACK_KEPT]
        ldr x16, [x30, #FRAME_NZCV]
        msr nzcv, x16
        .irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
        ldr q\n, [x30, #FRAME_VECTORS + 16 * \n]
        .endr

        /* On the variant's stack the frame is found through the copy of our own stack
           pointer: CFA = *(sp + STACK_KEPT) + SAVED; the numbers as LEB128 of two bytes. */
        .cfi_remember_state
        mov sp, x17
        .cfi_escape 0x0f, 7, 0x8f, (STACK_KEPT & 0x7f) | 0x80, STACK_KEPT >> 7, 0x06
        .cfi_escape 0x23, (SAVED & 0x7f) | 0x80, SAVED >> 7
        .irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29
        ldr x\n, [x30, #FRAME_IN + 8 * \n]
        .endr
        ldr x30, [x30, #FRAME_IN + 8 * 30]
        blr x30
        .globl machine_returned
machine_returned:

        adrp x16, call_frame
        add x16, x16, :lo12:call_frame
        str x0, [x16, #FRAME_OUT]
        .irp n, 18,19,20,21,22,23,24,25,26,27,28,29
        str x\n, [x16, #FRAME_OUT + 8 * (\n - 17)]
        .endr
        mov x17, sp
        str x17, [x16, #FRAME_OUT + 8 * 13]
        mrs x17, fpcr
        str x17, [x16, #FRAME_OUT + 8 * 14]
        .irp n, 8,9,10,11,12,13,14,15
        str d\n, [x16, #FRAME_KEPT_VECTORS + 8 * (\n - 8)]
        .endr
        ldr x17, [x16, #FRAME_OWN_SP]
        mov sp, x17
        .cfi_restore_state

        ldp d8, d9, [sp, #96]
        ldp d10, d11, [sp, #112]
        ldp d12, d13, [sp, #128]
        ldp d14, d15, [sp, #144]
        ldp x19, x20, [sp, #16]
        ldp x21, x22, [sp, #32]
        ldp x23, x24, [sp, #48]
        ldp x25, x26, [sp, #64]
        ldp x27, x28, [sp, #80]
        ldp x29, x30, [sp], #SAVED
        .cfi_def_cfa_offset 0
        .irp n, 19,20,21,22,23,24,25,26,27,28,29,30
        .cfi_restore x\n
        .endr
        .irp n, 8,9,10,11,12,13,14,15
        .cfi_restore v\n
        .endr
        ret
        .cfi_endproc
        .size machine_trampoline, . - machine_trampoline

        .section .note.GNU-stack, "", %progbits
