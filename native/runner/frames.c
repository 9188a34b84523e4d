#include "frames.h"

#include "child.h"
#include "memory.h"
#include "platform.h"
#include "stack.h"

/* What a callee may own above the stack pointer at the call: arguments, home space. */
enum { ABOVE = 64 };
enum { LONGEST = sizeof(struct wire_frame) + 2 * REGISTER_LIMIT * 8 + FRAME_STACK };

extern const char machine_returned[]; /* in the trampoline: where a call comes back */

uint8_t *frames;

/* The stack from the red zone up to behind the call's stack pointer; none of one that is longer
   than FRAME_STACK, or lies elsewhere. */
static void copy_stack(struct wire_frame *frame, uint64_t sp, uint8_t *to) {
    const uint64_t from = sp - RED_ZONE, end = CALL_SP + ABOVE;
    if (sp < STACK + RED_ZONE || from >= end || end - from > FRAME_STACK) return;
    frame->stack = from;
    frame->bytes = (uint32_t)(end - from);
    memcpy(to, (const void *)(uintptr_t)from, frame->bytes);
}

void record_frame(uint32_t offset, const struct signal_context *context) {
    if (FRAME_ROOM - control->frame_bytes < LONGEST) return;
    struct wire_frame *frame = (struct wire_frame *)(frames + control->frame_bytes);
    uint64_t *words = (uint64_t *)(frame + 1);
    *frame = (struct wire_frame){.offset = offset,
                                 .script = control->script,
                                 .returned = (uintptr_t)machine_returned};
    frame->registers = machine_registers(context, words);
    frame->registers += machine_saved_vectors(context, words + frame->registers);
    frame->kept = machine_kept(words + frame->registers);
    words += frame->registers + frame->kept;
    copy_stack(frame, machine_sp(context), (uint8_t *)words);
    control->frame_bytes += (uint32_t)((uint8_t *)words - (uint8_t *)frame);
    control->frame_bytes += (frame->bytes + 7) & ~7u;
}
