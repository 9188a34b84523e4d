/*
 * Offsets in struct call_frame, for arm.S; arm_machine.c asserts them.
 */
#ifndef RIG_RUNNER_ARM_H
#define RIG_RUNNER_ARM_H

#define FRAME_SP 0
#define FRAME_OWN_SP 4
#define FRAME_CPSR 8
#define FRAME_LEVEL 12
#define FRAME_FPSCR_IN 16
#define FRAME_FPSCR_OUT 20
#define FRAME_IN 24             /* r0-r12; the target */
#define FRAME_OUT 80            /* r0 r1 r4-r11 sp */
#define FRAME_VECTORS 128       /* d0-d31 */
#define FRAME_KEPT_VECTORS 384  /* d8-d15 */

/* Which vector registers the CPU has. */
#define LEVEL_NONE 0
#define LEVEL_D16 1
#define LEVEL_D32 2

#endif
