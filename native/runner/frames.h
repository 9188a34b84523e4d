/*
 * Frames: what an unwinder would find at an instruction, and what it must come to.
 */
#ifndef RIG_RUNNER_FRAMES_H
#define RIG_RUNNER_FRAMES_H

#include <stdint.h>

#include "machine.h"

/* Mapped by the parent before any child, FRAME_ROOM bytes that all children share. */
extern uint8_t *frames;

/* Records the interrupted frame at `offset` in the text, as long as there is room. */
void record_frame(uint32_t offset, const struct signal_context *context);

#endif
