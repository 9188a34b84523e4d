/*
 * Offsets in struct call_frame, for i386.S; i386_machine.c asserts them.
 */
#ifndef RIG_RUNNER_I386_H
#define RIG_RUNNER_I386_H

#define FRAME_TARGET 0
#define FRAME_SP 4
#define FRAME_FLAGS 8
#define FRAME_LEVEL 12
#define FRAME_OWN_SP 16
#define FRAME_IN 20         /* eax ebx ecx edx esi edi ebp */
#define FRAME_OUT 48        /* eax edx ebx ebp esi edi esp eflags */
#define FRAME_MXCSR 80
#define FRAME_X87 84        /* 28 bytes, as fnstenv writes them */
#define FRAME_MASKS 112     /* k0-k7 */
#define FRAME_CLEAN 176     /* 1 where XINUSE is asked for */
#define FRAME_IN_USE 180
#define FRAME_VECTORS 192   /* 8 of 64 bytes */

#endif
