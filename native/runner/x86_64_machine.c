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
       KEPT_X87_CONTROL, KEPT_X87_TAGS, KEPT_RDI, KEPT_RSI, KEPT_XMM6 };

enum { MS_XMM = 6, MS_VECTORS = 10 }; /* xmm6-xmm15 are the caller's in the Microsoft convention */

/* Where arguments go; words between the return address and those on the stack. */
struct places {
    uint8_t registers, home, in[6];
};

static const struct places conventions[] = {
    [CONVENTION_OWN] = {6, 0, {RDI, RSI, RDX, RCX, R8, R9}},
    [CONVENTION_MS] = {4, 4, {RCX, RDX, R8, R9}},
};

struct call_frame {
    uint64_t target, sp, flags, level, own_sp;
    uint64_t in[REGISTERS], out[OUTS];
    uint32_t mxcsr;
    uint16_t x87[14]; /* control word 0, tag word 4 */
    uint64_t masks[8];
    uint32_t clean, in_use;
    _Alignas(64) uint64_t vectors[32 * 8];
    uint64_t indexes[2], kept_vectors[MS_VECTORS][2]; /* behind the call */
} call_frame;

_Static_assert(offsetof(struct call_frame, flags) == FRAME_FLAGS, "flags");
_Static_assert(offsetof(struct call_frame, level) == FRAME_LEVEL, "level");
_Static_assert(offsetof(struct call_frame, own_sp) == FRAME_OWN_SP, "own_sp");
_Static_assert(offsetof(struct call_frame, in) == FRAME_IN, "in");
_Static_assert(offsetof(struct call_frame, out) == FRAME_OUT, "out");
_Static_assert(offsetof(struct call_frame, mxcsr) == FRAME_MXCSR, "mxcsr");
_Static_assert(offsetof(struct call_frame, x87) == FRAME_X87, "x87");
_Static_assert(offsetof(struct call_frame, masks) == FRAME_MASKS, "masks");
_Static_assert(offsetof(struct call_frame, clean) == FRAME_CLEAN, "clean");
_Static_assert(offsetof(struct call_frame, in_use) == FRAME_IN_USE, "in_use");
_Static_assert(offsetof(struct call_frame, vectors) == FRAME_VECTORS, "vectors");
_Static_assert(offsetof(struct call_frame, indexes) == FRAME_INDEXES, "indexes");
_Static_assert(offsetof(struct call_frame, kept_vectors) == FRAME_KEPT_VECTORS, "kept_vectors");

void machine_trampoline(void);

static uint64_t patterns[REGISTERS];
static unsigned stack_words, called; /* the last one, by enum convention */

int machine_prepare(uint64_t seed, uint32_t flags) {
    const struct garbage garbage = garbage_from(~seed);
    fill_words(patterns, REGISTERS, garbage_part(garbage, 1));
    fill_words(call_frame.masks, 8, garbage_part(garbage, 2));
    fill_words(call_frame.vectors, 32 * 8, garbage_part(garbage, 3));
    stack_prepare(garbage_part(garbage, 4), garbage_part(garbage, 5));
    call_frame.flags = x86_prepare(seed, flags);
    call_frame.level = x86_vector_level();
    call_frame.clean = flags & RUN_CLEAN_UPPERS && x86_tells_uppers();
    return (int)call_frame.clean;
}

uint64_t machine_call(uint64_t target, unsigned convention, const struct argument *arguments,
                      unsigned count, unsigned phase) {
    const struct places *to = &conventions[convention];
    uint64_t *sp = stack_open(phase);
    const unsigned above = count > to->registers ? count - to->registers : 0;
    stack_words = to->home + above;
    called = convention;
    for (unsigned i = 0; i < REGISTERS; i++) call_frame.in[i] = patterns[i];
    for (unsigned i = 0; i < count - above; i++) call_frame.in[to->in[i]] = arguments[i].value;
    for (unsigned i = 0; i < above; i++) sp[to->home + i] = arguments[to->registers + i].value;
    call_frame.target = target;
    call_frame.sp = (uint64_t)sp;
    machine_trampoline();
    return call_frame.out[OUT_RAX];
}

/* What Microsoft's x64 convention asks for besides. */
static void check_ms(void) {
    note_register(KEPT_RDI, call_frame.in[RDI], call_frame.indexes[0]);
    note_register(KEPT_RSI, call_frame.in[RSI], call_frame.indexes[1]);
    for (unsigned i = 0; i < 2 * MS_VECTORS; i++)
        note_register(KEPT_XMM6 + i, call_frame.vectors[8 * (MS_XMM + i / 2) + i % 2],
                      call_frame.kept_vectors[i / 2][i % 2]);
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
    x86_check_uppers(call_frame.in_use);
    if (called == CONVENTION_MS) check_ms();
    stack_check((uintptr_t *)call_frame.sp, stack_words, call_frame.own_sp);
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
