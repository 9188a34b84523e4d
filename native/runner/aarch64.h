/*
 * Offsets in struct call_frame, for aarch64.S; aarch64_machine.c asserts them.
 */
#ifndef RIG_RUNNER_AARCH64_H
#define RIG_RUNNER_AARCH64_H

#define FRAME_SP 0
#define FRAME_OWN_SP 8
#define FRAME_NZCV 16
#define FRAME_IN 32             /* x0-x30; of x30 the target */
#define FRAME_OUT 280           /* x0, x18-x29, sp, FPCR */
#define FRAME_VECTORS 400       /* 32 of 16 bytes */
#define FRAME_KEPT_VECTORS 912  /* d8-d15 */

#endif
