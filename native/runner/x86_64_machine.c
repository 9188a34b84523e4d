/*
 * x86_64: what surrounds the trampoline.
 */
#include "machine.h"

#include <stddef.h>

#include "child.h"
#include "garbage.h"
#include "stack.h"
#include "x86.h"
#include "x86_64.h"

enum { RAX, RBX, RCX, RDX, RSI, RDI, RBP, R8, R9, R10, R11, R12, R13, R14, R15, REGISTERS };
enum { OUT_RAX, OUT_RBX, OUT_RBP, OUT_R12, OUT_R13, OUT_R14, OUT_R15, OUT_RSP, OUT_FLAGS, OUTS };
/* The order of `kept` in rig/architectures.py. */
enum { KEPT_RBX, KEPT_RBP, KEPT_R12, KEPT_R13, KEPT_R14, KEPT_R15, KEPT_RSP, KEPT_DF, KEPT_MXCSR,
       KEPT_X87_CONTROL, KEPT_X87_TAGS };

enum { REGISTER_ARGUMENTS = 6 };

struct call_frame {
    uint64_t target, sp, flags, level, own_sp;
    uint64_t in[REGISTERS], out[OUTS];
    uint32_t mxcsr;
    uint16_t x87[14]; /* control word 0, tag word 4 */
    uint64_t masks[8];
    _Alignas(64) uint64_t vectors[32 * 8];
} call_frame;

_Static_assert(offsetof(struct call_frame, flags) == FRAME_FLAGS, "flags");
_Static_assert(offsetof(struct call_frame, level) == FRAME_LEVEL, "level");
_Static_assert(offsetof(struct call_frame, own_sp) == FRAME_OWN_SP, "own_sp");
_Static_assert(offsetof(struct call_frame, in) == FRAME_IN, "in");
_Static_assert(offsetof(struct call_frame, out) == FRAME_OUT, "out");
_Static_assert(offsetof(struct call_frame, mxcsr) == FRAME_MXCSR, "mxcsr");
_Static_assert(offsetof(struct call_frame, x87) == FRAME_X87, "x87");
_Static_assert(offsetof(struct call_frame, masks) == FRAME_MASKS, "masks");
_Static_assert(offsetof(struct call_frame, vectors) == FRAME_VECTORS, "vectors");

void machine_trampoline(void);

static uint64_t patterns[REGISTERS];
static unsigned stack_arguments;

void machine_prepare(uint64_t seed, int step) {
    const struct garbage garbage = garbage_from(~seed);
    fill_words(patterns, REGISTERS, garbage_part(garbage, 1));
    fill_words(call_frame.masks, 8, garbage_part(garbage, 2));
    fill_words(call_frame.vectors, 32 * 8, garbage_part(garbage, 3));
    stack_prepare(garbage_part(garbage, 4), garbage_part(garbage, 5));
    for (unsigned i = 0; i < REGISTERS; i++) call_frame.in[i] = patterns[i];
    call_frame.flags = x86_prepare(seed, step);
    call_frame.level = x86_vector_level();
}

uint64_t machine_call(uint64_t target, const struct argument *arguments, unsigned count,
                      unsigned phase) {
    static const uint8_t in[REGISTER_ARGUMENTS] = {RDI, RSI, RDX, RCX, R8, R9};
    uintptr_t *sp = stack_open(phase);
    stack_arguments = count > REGISTER_ARGUMENTS ? count - REGISTER_ARGUMENTS : 0;
    for (unsigned i = 0; i < REGISTER_ARGUMENTS; i++)
        call_frame.in[in[i]] = i < count ? arguments[i].value : patterns[in[i]];
    for (unsigned i = 0; i < stack_arguments; i++)
        sp[i] = arguments[REGISTER_ARGUMENTS + i].value;
    call_frame.target = target;
    call_frame.sp = (uint64_t)sp;
    machine_trampoline();
    return call_frame.out[OUT_RAX];
}

void machine_check(void) {
    static const struct {
        uint8_t kept, in, out;
    } saved[] = {{KEPT_RBX, RBX, OUT_RBX}, {KEPT_RBP, RBP, OUT_RBP}, {KEPT_R12, R12, OUT_R12},
                 {KEPT_R13, R13, OUT_R13}, {KEPT_R14, R14, OUT_R14}, {KEPT_R15, R15, OUT_R15}};
    for (unsigned i = 0; i < sizeof saved / sizeof *saved; i++)
        note_register(saved[i].kept, call_frame.in[saved[i].in], call_frame.out[saved[i].out]);
    note_register(KEPT_RSP, call_frame.sp, call_frame.out[OUT_RSP]);
    note_register(KEPT_DF, 0, !!(call_frame.out[OUT_FLAGS] & FLAG_DIRECTION));
    x86_check_control_words(KEPT_MXCSR, call_frame.x87, &call_frame.mxcsr);
    stack_check((uintptr_t *)call_frame.sp, stack_arguments, call_frame.own_sp);
}

unsigned machine_kept(uint64_t *words) {
    static const uint8_t in[] = {RBX, RBP, R12, R13, R14, R15};
    for (unsigned i = 0; i < sizeof in; i++) words[i] = call_frame.in[in[i]];
    words[KEPT_RSP] = call_frame.sp;
    return KEPT_RSP + 1;
}

unsigned machine_registers(const struct signal_context *context, uint64_t *words) {
    for (unsigned i = 0; i < FRAME_REGISTERS; i++) words[i] = context->registers[i];
    words[FRAME_FLAGS_WORD] = x86_flags(context);
    return FRAME_REGISTERS;
}
