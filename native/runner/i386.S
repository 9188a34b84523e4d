/*
 * The runner's entry, its system calls, its signal return and the call trampoline for i386,
 * System V ABI. The program is linked for fixed addresses.
 */
#include "i386.h"
#include "stack.h"
#include "x86.h"

        .text

/*
 * void _start(void)
 *   Entry from the kernel: no return address, any stack alignment.
 */
        .globl _start
        .type _start, @function
_start:
        .cfi_startproc
        .cfi_undefined %eip
        xorl %ebp, %ebp
        movl %esp, %eax
        andl $-16, %esp
        subl $12, %esp
        pushl %eax
        call runner_main
        ud2
        .cfi_endproc
        .size _start, . - _start

/*
 * void machine_restorer(void)
 *   What signal handlers return to: rt_sigreturn.
 */
        .globl machine_restorer
        .type machine_restorer, @function
machine_restorer:
        movl $173, %eax
        int $0x80
        .size machine_restorer, . - machine_restorer

/*
 * long system_call(long number, long a, long b, long c, long d, long e, long f)
 *   In: all on the stack. The kernel takes number in eax, a-f in ebx ecx edx esi edi ebp.
 *   ABI: cdecl.
 */
        .globl system_call
        .type system_call, @function
system_call:
        .cfi_startproc
        pushl %ebx
        .cfi_adjust_cfa_offset 4
        .cfi_rel_offset %ebx, 0
        pushl %esi
        .cfi_adjust_cfa_offset 4
        .cfi_rel_offset %esi, 0
        pushl %edi
        .cfi_adjust_cfa_offset 4
        .cfi_rel_offset %edi, 0
        pushl %ebp
        .cfi_adjust_cfa_offset 4
        .cfi_rel_offset %ebp, 0
        movl 20(%esp), %eax
        movl 24(%esp), %ebx
        movl 28(%esp), %ecx
        movl 32(%esp), %edx
        movl 36(%esp), %esi
        movl 40(%esp), %edi
        movl 44(%esp), %ebp
        int $0x80
        popl %ebp
        .cfi_adjust_cfa_offset -4
        .cfi_restore %ebp
        popl %edi
        .cfi_adjust_cfa_offset -4
        .cfi_restore %edi
        popl %esi
        .cfi_adjust_cfa_offset -4
        .cfi_restore %esi
        popl %ebx
        .cfi_adjust_cfa_offset -4
        .cfi_restore %ebx
        ret
        .cfi_endproc
        .size system_call, . - system_call

/*
 * void machine_trampoline(void)
 *   Calls call_frame.target on the stack call_frame.sp with every register as
 *   call_frame holds it; stores what came back into call_frame.
 *
 *   In and out: call_frame only, by its address, since no register is free on either side of
 *   the call.
 *   Order: the level needs a free eax, flags a stack of ours; general registers and the stack
 *   pointer are loaded last, by moves, which leave the flags alone.
 *   ABI: cdecl; keeps ebx ebp esi edi. DF clear. Upper vector halves zero on return.
 */
        .globl machine_trampoline
        .type machine_trampoline, @function
machine_trampoline:
        .cfi_startproc
        pushl %ebx
        .cfi_adjust_cfa_offset 4
        .cfi_rel_offset %ebx, 0
        pushl %ebp
        .cfi_adjust_cfa_offset 4
        .cfi_rel_offset %ebp, 0
        pushl %esi
        .cfi_adjust_cfa_offset 4
        .cfi_rel_offset %esi, 0
        pushl %edi
        .cfi_adjust_cfa_offset 4
        .cfi_rel_offset %edi, 0

        movl %esp, call_frame+FRAME_OWN_SP
        movl call_frame+FRAME_SP, %eax
        movl %esp, STACK_KEPT(%eax)

        movl call_frame+FRAME_LEVEL, %eax
        cmpl $LEVEL_SSE, %eax
        jb .Lvectors_loaded
        je .Lload_xmm
        cmpl $LEVEL_AVX, %eax
        je .Lload_ymm

        .irp n, 0,1,2,3,4,5,6,7
        vmovdqu64 call_frame+FRAME_VECTORS+64*\n, %zmm\n
        kmovq call_frame+FRAME_MASKS+8*\n, %k\n
        .endr
        jmp .Lvectors_loaded
.Lload_ymm:
        .irp n, 0,1,2,3,4,5,6,7
        vmovdqu call_frame+FRAME_VECTORS+64*\n, %ymm\n
        .endr
        jmp .Lvectors_loaded
.Lload_xmm:
        .irp n, 0,1,2,3,4,5,6,7
        movdqu call_frame+FRAME_VECTORS+64*\n, %xmm\n
        .endr
.Lvectors_loaded:
        cmpl $0, call_frame+FRAME_CLEAN
        je .Luppers_loaded
        vzeroupper
.Luppers_loaded:
        pushl call_frame+FRAME_FLAGS
        popfl
        movl call_frame+FRAME_IN+0, %eax
        movl call_frame+FRAME_IN+4, %ebx
        movl call_frame+FRAME_IN+8, %ecx
        movl call_frame+FRAME_IN+12, %edx
        movl call_frame+FRAME_IN+16, %esi
        movl call_frame+FRAME_IN+20, %edi
        movl call_frame+FRAME_IN+24, %ebp

        /* On the variant's stack the frame is found through the copy of our own stack
           pointer: CFA = *(esp + STACK_KEPT) + 20 (four registers and a return address). */
        .cfi_remember_state
        movl call_frame+FRAME_SP, %esp
        .cfi_escape 0x0f, 6, 0x74, (STACK_KEPT & 0x7f) | 0x80, STACK_KEPT >> 7, 0x06, 0x23, 20
        call *call_frame+FRAME_TARGET
        .globl machine_returned
machine_returned:
        movl %esp, call_frame+FRAME_OUT+24
        movl call_frame+FRAME_OWN_SP, %esp
        .cfi_restore_state

        pushfl
        popl call_frame+FRAME_OUT+28
        movl %eax, call_frame+FRAME_OUT+0
        movl %edx, call_frame+FRAME_OUT+4
        movl %ebx, call_frame+FRAME_OUT+8
        movl %ebp, call_frame+FRAME_OUT+12
        movl %esi, call_frame+FRAME_OUT+16
        movl %edi, call_frame+FRAME_OUT+20
        movl call_frame+FRAME_CLEAN, %ecx
        jecxz .Lnot_asked
        xgetbv /* index 1: XINUSE */
        movl %eax, call_frame+FRAME_IN_USE
.Lnot_asked:
        fnstenv call_frame+FRAME_X87
        pushl $2
        popfl
        cmpl $LEVEL_SSE, call_frame+FRAME_LEVEL
        jb .Lrestored
        stmxcsr call_frame+FRAME_MXCSR
        je .Lrestored
        vzeroupper
.Lrestored:
        popl %edi
        .cfi_adjust_cfa_offset -4
        .cfi_restore %edi
        popl %esi
        .cfi_adjust_cfa_offset -4
        .cfi_restore %esi
        popl %ebp
        .cfi_adjust_cfa_offset -4
        .cfi_restore %ebp
        popl %ebx
        .cfi_adjust_cfa_offset -4
        .cfi_restore %ebx
        ret
        .cfi_endproc
        .size machine_trampoline, . - machine_trampoline

        .section .note.GNU-stack, "", @progbits
