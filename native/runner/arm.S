/*
 * The runner's entry, its signal return and the call trampoline for arm, AAPCS32, A32 code.
 */
#include "arm.h"
#include "stack.h"

        .syntax unified
        .arch armv7-a
        .fpu neon
        .arm
        .cfi_sections .debug_frame
        .text

/*
 * void _start(void)
 *   Entry from the kernel: the stack pointer is at argc, aligned to 8, no return address.
 */
        .globl _start
        .type _start, %function
_start:
        .cfi_startproc
        .cfi_undefined lr
        mov r0, sp
        mov r11, #0
        mov lr, #0
        bl runner_main
        udf #0
        .cfi_endproc
        .size _start, . - _start

/*
 * void machine_restorer(void)
 *   What signal handlers return to: rt_sigreturn.
 */
        .globl machine_restorer
        .type machine_restorer, %function
machine_restorer:
        mov r7, #173
        svc #0
        .size machine_restorer, . - machine_restorer

/*
 * void machine_trampoline(void)
 *   Calls call_frame.in[13] on the stack call_frame.sp with every register as call_frame
 *   holds it; stores what came back into call_frame.
 *
 *   In and out: call_frame only, reached through lr before the call, which takes the target
 *   last, and through r12 behind it, which belongs to no one there.
 *   ABI: AAPCS32; keeps r4-r11, d8-d15. FPSCR is left as the callee left it.
 */
        .set SAVED, 104
        .globl machine_trampoline
        .type machine_trampoline, %function
machine_trampoline:
        .cfi_startproc
        push {r3-r11, lr}
        .cfi_def_cfa_offset 40
        .irp n, 4,5,6,7,8,9,10,11
        .cfi_offset r\n, 4 * (\n - 3) - 40
        .endr
        .cfi_offset lr, -4
        sub sp, sp, #64
        .cfi_def_cfa_offset SAVED

        movw lr, #:lower16:call_frame
        movt lr, #:upper16:call_frame
        ldr r12, [lr, #FRAME_LEVEL]
        cmp r12, #LEVEL_D16
        blo .Lvectors_loaded
        vstmia sp, {d8-d15}
        ldr r0, [lr, #FRAME_FPSCR_IN]
        vmsr fpscr, r0
        add r0, lr, #FRAME_VECTORS
        vldmia r0!, {d0-d15}
        beq .Lvectors_loaded
        vldmia r0, {d16-d31}
.Lvectors_loaded:
        str sp, [lr, #FRAME_OWN_SP]
        ldr r12, [lr, #FRAME_SP]
        str sp, [r12, #STACK_KEPT]
        ldr r0, [lr, #FRAME_CPSR]
        msr CPSR_fs, r0
        add lr, lr, #FRAME_IN

        /* On the variant's stack the frame is found through the copy of our own stack
           pointer: CFA = *(sp + STACK_KEPT) + SAVED. */
        .cfi_remember_state
        mov sp, r12
        .cfi_escape 0x0f, 6, 0x7d, (STACK_KEPT & 0x7f) | 0x80, STACK_KEPT >> 7, 0x06, 0x23, SAVED
        ldm lr, {r0-r12, lr}
        blx lr
        .globl machine_returned
machine_returned:

        movw r12, #:lower16:call_frame
        movt r12, #:upper16:call_frame
        str sp, [r12, #FRAME_OUT + 4 * 10]
        ldr sp, [r12, #FRAME_OWN_SP]
        .cfi_restore_state
        add r2, r12, #FRAME_OUT
        stm r2, {r0, r1, r4-r11}
        ldr r2, [r12, #FRAME_LEVEL]
        cmp r2, #LEVEL_D16
        blo .Lvectors_stored
        vmrs r2, fpscr
        str r2, [r12, #FRAME_FPSCR_OUT]
        add r2, r12, #FRAME_KEPT_VECTORS
        vstmia r2, {d8-d15}
        vldmia sp, {d8-d15}
.Lvectors_stored:
        add sp, sp, #64
        .cfi_def_cfa_offset 40
        pop {r3-r11, pc}
        .cfi_endproc
        .size machine_trampoline, . - machine_trampoline

        .section .note.GNU-stack, "", %progbits
