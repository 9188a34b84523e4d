/*
 * i386: what surrounds the trampoline.
 */
#include "machine.h"

#include <stddef.h>

#include "child.h"
#include "garbage.h"
#include "i386.h"
#include "stack.h"
#include "x86.h"

enum { EAX, EBX, ECX, EDX, ESI, EDI, EBP, REGISTERS };
enum { OUT_EAX, OUT_EDX, OUT_EBX, OUT_EBP, OUT_ESI, OUT_EDI, OUT_ESP, OUT_FLAGS, OUTS };
/* The order of `kept` in rig/architectures.py. */
enum { KEPT_EBX, KEPT_EBP, KEPT_ESI, KEPT_EDI, KEPT_ESP, KEPT_DF, KEPT_MXCSR };

struct call_frame {
    uint32_t target, sp, flags, level, own_sp;
    uint32_t in[REGISTERS], out[OUTS];
    uint32_t mxcsr;
    uint16_t x87[14]; /* control word 0, tag word 4 */
    uint64_t masks[8];
    uint32_t clean, in_use;
    _Alignas(64) uint64_t vectors[8 * 8];
} call_frame;

_Static_assert(offsetof(struct call_frame, target) == FRAME_TARGET, "target");
_Static_assert(offsetof(struct call_frame, sp) == FRAME_SP, "sp");
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

void machine_trampoline(void);

static unsigned stack_words;

int machine_prepare(uint64_t seed, uint32_t flags) {
    const struct garbage garbage = garbage_from(~seed), registers = garbage_part(garbage, 1);
    fill_words(call_frame.masks, 8, garbage_part(garbage, 2));
    fill_words(call_frame.vectors, 8 * 8, garbage_part(garbage, 3));
    stack_prepare(garbage_part(garbage, 4), garbage_part(garbage, 5));
    for (unsigned i = 0; i < REGISTERS; i++)
        call_frame.in[i] = (uint32_t)garbage_word(registers, i);
    call_frame.flags = x86_prepare(seed, flags);
    call_frame.level = x86_vector_level();
    call_frame.clean = flags & RUN_CLEAN_UPPERS && x86_tells_uppers();
    return (int)call_frame.clean;
}

/* All arguments are on the stack, where 64 bits take two words, the lower one first. */
uint64_t machine_call(uint64_t target, unsigned convention, const struct argument *arguments,
                      unsigned count, unsigned phase) {
    (void)convention;
    uintptr_t *sp = stack_open(phase);
    stack_words = 0;
    for (unsigned i = 0; i < count; i++) {
        sp[stack_words++] = (uint32_t)arguments[i].value;
        if (arguments[i].bits == 64) sp[stack_words++] = (uint32_t)(arguments[i].value >> 32);
    }
    call_frame.target = (uint32_t)target;
    call_frame.sp = (uintptr_t)sp;
    machine_trampoline();
    return (uint64_t)call_frame.out[OUT_EDX] << 32 | call_frame.out[OUT_EAX];
}

void machine_check(void) {
    static const struct {
        uint8_t kept, in, out;
    } saved[] = {{KEPT_EBX, EBX, OUT_EBX}, {KEPT_EBP, EBP, OUT_EBP}, {KEPT_ESI, ESI, OUT_ESI},
                 {KEPT_EDI, EDI, OUT_EDI}};
    for (unsigned i = 0; i < sizeof saved / sizeof *saved; i++)
        note_register(saved[i].kept, call_frame.in[saved[i].in], call_frame.out[saved[i].out]);
    note_register(KEPT_ESP, call_frame.sp, call_frame.out[OUT_ESP]);
    note_register(KEPT_DF, 0, !!(call_frame.out[OUT_FLAGS] & FLAG_DIRECTION));
    x86_check_control_words(KEPT_MXCSR, call_frame.x87,
                            call_frame.level == LEVEL_NONE ? NULL : &call_frame.mxcsr);
    x86_check_uppers(call_frame.in_use);
    stack_check((uintptr_t *)call_frame.sp, stack_words, call_frame.own_sp);
}

unsigned machine_kept(uint64_t *words) {
    static const uint8_t in[] = {EBX, EBP, ESI, EDI};
    for (unsigned i = 0; i < sizeof in; i++) words[i] = call_frame.in[in[i]];
    words[KEPT_ESP] = call_frame.sp;
    return KEPT_ESP + 1;
}

unsigned machine_registers(const struct signal_context *context, uint64_t *words) {
    static const uint8_t order[] = {FRAME_EAX, FRAME_EBX, FRAME_CX,  FRAME_EDX,
                                    FRAME_ESI, FRAME_EDI, FRAME_EBP, FRAME_ESP,
                                    FRAME_IP,  FRAME_FLAGS_WORD, FRAME_ERROR};
    for (unsigned i = 0; i < sizeof order; i++) words[i] = context->registers[order[i]];
    words[9] = x86_flags(context);
    return sizeof order;
}
