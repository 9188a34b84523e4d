/*
 * The runner's entry, its signal return and the call trampoline for x86_64, System V ABI.
 */
#include "stack.h"
#include "x86.h"
#include "x86_64.h"

        .text

/*
 * void _start(void)
 *   Entry from the kernel: no return address, any stack alignment.
 */
        .globl _start
        .type _start, @function
_start:
        .cfi_startproc
        .cfi_undefined %rip
        xorl %ebp, %ebp
        movq %rsp, %rdi
        andq $-16, %rsp
        call runner_main
        ud2
        .cfi_endproc
        .size _start, . - _start

/*
 * void machine_restorer(void)
 *   What signal handlers return to: rt_sigreturn, which x86_64 kernels do not supply.
 */
        .globl machine_restorer
        .type machine_restorer, @function
machine_restorer:
        movl $15, %eax
        syscall
        .size machine_restorer, . - machine_restorer

/*
 * void machine_trampoline(void)
 *   Calls call_frame.target on the stack call_frame.sp with every register as
 *   call_frame holds it; stores what came back into call_frame.
 *
 *   In and out: call_frame only, reached RIP-relatively, since no register is free on
 *   either side of the call.
 *   Order: vectors and masks need a free rdx, flags a stack of ours; general registers
 *   and the stack pointer are loaded last, by moves, which leave the flags alone.
 *   ABI: System V; keeps rbx rbp r12-r15. DF clear. Upper vector halves zero on return.
 */
        .globl machine_trampoline
        .type machine_trampoline, @function
machine_trampoline:
        .cfi_startproc
        pushq %rbx
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset %rbx, 0
        pushq %rbp
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset %rbp, 0
        pushq %r12
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset %r12, 0
        pushq %r13
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset %r13, 0
        pushq %r14
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset %r14, 0
        pushq %r15
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset %r15, 0

        movq %rsp, call_frame+FRAME_OWN_SP(%rip)
        movq call_frame+FRAME_SP(%rip), %rax
        movq %rsp, STACK_KEPT(%rax)

        leaq call_frame+FRAME_VECTORS(%rip), %rdx
        movl call_frame+FRAME_LEVEL(%rip), %eax
        cmpl $LEVEL_AVX, %eax
        jb .Lload_xmm
        je .Lload_ymm

        .irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15
        vmovdqu64 64*\n(%rdx), %zmm\n
        .endr
        .irp n, 16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
        vmovdqu64 64*\n(%rdx), %zmm\n
        .endr
        .irp n, 0,1,2,3,4,5,6,7
        kmovq call_frame+FRAME_MASKS+8*\n(%rip), %k\n
        .endr
        jmp .Lvectors_loaded
.Lload_ymm:
        .irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15
        vmovdqu 64*\n(%rdx), %ymm\n
        .endr
        jmp .Lvectors_loaded
.Lload_xmm:
        .irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15
        movdqu 64*\n(%rdx), %xmm\n
        .endr
.Lvectors_loaded:
        cmpl $0, call_frame+FRAME_CLEAN(%rip)
        je .Luppers_loaded
        vzeroupper
.Luppers_loaded:
        pushq call_frame+FRAME_FLAGS(%rip)
        popfq
        movq call_frame+FRAME_IN+0(%rip), %rax
        movq call_frame+FRAME_IN+8(%rip), %rbx
        movq call_frame+FRAME_IN+16(%rip), %rcx
        movq call_frame+FRAME_IN+24(%rip), %rdx
        movq call_frame+FRAME_IN+32(%rip), %rsi
        movq call_frame+FRAME_IN+40(%rip), %rdi
        movq call_frame+FRAME_IN+48(%rip), %rbp
        movq call_frame+FRAME_IN+56(%rip), %r8
        movq call_frame+FRAME_IN+64(%rip), %r9
        movq call_frame+FRAME_IN+72(%rip), %r10
        movq call_frame+FRAME_IN+80(%rip), %r11
        movq call_frame+FRAME_IN+88(%rip), %r12
        movq call_frame+FRAME_IN+96(%rip), %r13
        movq call_frame+FRAME_IN+104(%rip), %r14
        movq call_frame+FRAME_IN+112(%rip), %r15

        /* On the variant's stack the frame is found through the copy of our own stack
           pointer: CFA = *(rsp + STACK_KEPT) + 56 (six registers and a return address). */
        .cfi_remember_state
        movq call_frame+FRAME_SP(%rip), %rsp
        .cfi_escape 0x0f, 6, 0x77, (STACK_KEPT & 0x7f) | 0x80, STACK_KEPT >> 7, 0x06, 0x23, 56
        call *call_frame+FRAME_TARGET(%rip)
        .globl machine_returned
machine_returned:
        movq %rsp, call_frame+FRAME_OUT+56(%rip)
        movq call_frame+FRAME_OWN_SP(%rip), %rsp
        .cfi_restore_state

        pushfq
        popq call_frame+FRAME_OUT+64(%rip)
        movq %rax, call_frame+FRAME_OUT+0(%rip)
        movq %rbx, call_frame+FRAME_OUT+8(%rip)
        movq %rbp, call_frame+FRAME_OUT+16(%rip)
        movq %r12, call_frame+FRAME_OUT+24(%rip)
        movq %r13, call_frame+FRAME_OUT+32(%rip)
        movq %r14, call_frame+FRAME_OUT+40(%rip)
        movq %r15, call_frame+FRAME_OUT+48(%rip)
        movq %rdi, call_frame+FRAME_INDEXES+0(%rip)
        movq %rsi, call_frame+FRAME_INDEXES+8(%rip)
        .irp n, 6,7,8,9,10,11,12,13,14,15
        movups %xmm\n, call_frame+FRAME_KEPT_VECTORS+16*(\n-6)(%rip)
        .endr
        movl call_frame+FRAME_CLEAN(%rip), %ecx
        jecxz .Lnot_asked
        xgetbv /* index 1: XINUSE */
        movl %eax, call_frame+FRAME_IN_USE(%rip)
.Lnot_asked:
        stmxcsr call_frame+FRAME_MXCSR(%rip)
        fnstenv call_frame+FRAME_X87(%rip)
        pushq $2
        popfq
        cmpl $LEVEL_SSE, call_frame+FRAME_LEVEL(%rip)
        je .Luppers_clean
        vzeroupper
.Luppers_clean:
        popq %r15
        .cfi_adjust_cfa_offset -8
        .cfi_restore %r15
        popq %r14
        .cfi_adjust_cfa_offset -8
        .cfi_restore %r14
        popq %r13
        .cfi_adjust_cfa_offset -8
        .cfi_restore %r13
        popq %r12
        .cfi_adjust_cfa_offset -8
        .cfi_restore %r12
        popq %rbp
        .cfi_adjust_cfa_offset -8
        .cfi_restore %rbp
        popq %rbx
        .cfi_adjust_cfa_offset -8
        .cfi_restore %rbx
        ret
        .cfi_endproc
        .size machine_trampoline, . - machine_trampoline

        .section .note.GNU-stack, "", @progbits
