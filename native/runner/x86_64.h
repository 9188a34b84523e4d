/*
 * Offsets in struct call_frame, for x86_64.S; x86_64_machine.c asserts them.
 */
#ifndef RIG_RUNNER_X86_64_H
#define RIG_RUNNER_X86_64_H

#define FRAME_TARGET 0
#define FRAME_SP 8
#define FRAME_FLAGS 16
#define FRAME_LEVEL 24
#define FRAME_OWN_SP 32
#define FRAME_IN 40         /* rax rbx rcx rdx rsi rdi rbp r8-r15 */
#define FRAME_OUT 160       /* rax rbx rbp r12 r13 r14 r15 rsp rflags */
#define FRAME_MXCSR 232
#define FRAME_X87 236       /* 28 bytes, as fnstenv writes them */
#define FRAME_MASKS 264     /* k0-k7 */
#define FRAME_CLEAN 328     /* 1 where XINUSE is asked for */
#define FRAME_IN_USE 332
#define FRAME_VECTORS 384   /* 32 of 64 bytes */
#define FRAME_INDEXES 2432  /* rdi rsi, behind the call */
#define FRAME_KEPT_VECTORS 2448 /* xmm6-xmm15, behind the call */

#endif
