/*
 * aarch64: what surrounds the trampoline, the signal frames of Linux, jumps.
 */
#include "aarch64.h"
#include "flagless.h"
#include "garbage.h"
#include "machine.h"
#include "memory.h"
#include "platform.h"
#include "signals.h"
#include "stack.h"
#include "system.h"

enum { X18 = 18, X29 = 29, TARGET = 30, REGISTERS };
enum { OUT_X0, OUT_X18, OUT_SP = 13, OUT_FPCR, OUTS };
/* The order of `kept` in rig/architectures.py. */
enum { KEPT_X18, KEPT_SP = 12, KEPT_D8, KEPT_FPCR = KEPT_D8 + 8 };

enum { REGISTER_ARGUMENTS = 8, KEPT_VECTORS = 8, VECTORS = 32 };
enum { ARITHMETIC_FLAGS = 0xf0000000u }; /* N Z C V */

struct call_frame {
    uint64_t sp, own_sp, nzcv, reserved;
    uint64_t in[REGISTERS], out[OUTS];
    _Alignas(16) uint64_t vectors[VECTORS][2];
    uint64_t kept_vectors[KEPT_VECTORS];
} call_frame;

_Static_assert(offsetof(struct call_frame, sp) == FRAME_SP, "sp");
_Static_assert(offsetof(struct call_frame, own_sp) == FRAME_OWN_SP, "own_sp");
_Static_assert(offsetof(struct call_frame, nzcv) == FRAME_NZCV, "nzcv");
_Static_assert(offsetof(struct call_frame, in) == FRAME_IN, "in");
_Static_assert(offsetof(struct call_frame, out) == FRAME_OUT, "out");
_Static_assert(offsetof(struct call_frame, vectors) == FRAME_VECTORS, "vectors");
_Static_assert(offsetof(struct call_frame, kept_vectors) == FRAME_KEPT_VECTORS, "kept_vectors");

void machine_trampoline(void);

static uint64_t patterns[REGISTERS];
static unsigned stack_words;
static int stepping;

int machine_prepare(uint64_t seed, uint32_t run_flags) {
    const struct garbage garbage = garbage_from(~seed);
    const uint64_t flags = mix(seed >> 1, 0) ^ -(seed & 1); /* each differs by parity */
    stepping = !!(run_flags & RUN_STEP);
    fill_words(patterns, REGISTERS, garbage_part(garbage, 1));
    fill_words(*call_frame.vectors, VECTORS * 2, garbage_part(garbage, 3));
    stack_prepare(garbage_part(garbage, 4), garbage_part(garbage, 5));
    for (unsigned i = 0; i < REGISTERS; i++) call_frame.in[i] = patterns[i];
    call_frame.nzcv = flags & ARITHMETIC_FLAGS;
    return 0;
}

uint64_t machine_call(uint64_t target, unsigned convention, const struct argument *arguments,
                      unsigned count, unsigned phase) {
    (void)convention;
    uint64_t *sp = stack_open(phase);
    stack_words = count > REGISTER_ARGUMENTS ? count - REGISTER_ARGUMENTS : 0;
    for (unsigned i = 0; i < REGISTER_ARGUMENTS; i++)
        call_frame.in[i] = i < count ? arguments[i].value : patterns[i];
    for (unsigned i = 0; i < stack_words; i++) sp[i] = arguments[REGISTER_ARGUMENTS + i].value;
    call_frame.in[TARGET] = target;
    call_frame.sp = (uintptr_t)sp;
    machine_trampoline();
    replant_lifted();
    return call_frame.out[OUT_X0];
}

/* Of v8 to v15 the low halves are the caller's (AAPCS64 6.1.2); of FPSR nothing is. */
void machine_check(void) {
    for (unsigned i = 0; i <= X29 - X18; i++)
        note_register(KEPT_X18 + i, call_frame.in[X18 + i], call_frame.out[OUT_X18 + i]);
    note_register(KEPT_SP, call_frame.sp, call_frame.out[OUT_SP]);
    for (unsigned i = 0; i < KEPT_VECTORS; i++)
        note_register(KEPT_D8 + i, call_frame.vectors[8 + i][0], call_frame.kept_vectors[i]);
    note_register(KEPT_FPCR, 0, call_frame.out[OUT_FPCR]);
    if (call_frame.out[OUT_FPCR]) __asm__ volatile("msr fpcr, xzr");
    stack_check((uintptr_t *)call_frame.sp, stack_words, call_frame.own_sp);
}

int machine_cpuid(uint32_t leaf, uint32_t subleaf, uint32_t words[4]) {
    (void)leaf, (void)subleaf, (void)words;
    return 0;
}

int machine_xgetbv(uint32_t index, uint64_t *value) {
    (void)index, (void)value;
    return 0;
}

/* The kernel's layout: ucontext_t with struct sigcontext. */
enum { FRAME_LR = 30, FRAME_SP_WORD, FRAME_PC, FRAME_PSTATE, FRAME_REGISTERS, ZERO_REGISTER = 31 };
#define FPSIMD_RECORD 0x46508001u /* fpsr, fpcr, v0-v31 */

struct signal_context {
    uint64_t flags, link, stack[3], mask, unused[16], fault_address;
    uintptr_t registers[FRAME_REGISTERS]; /* x0-x30, sp, pc, pstate */
    _Alignas(16) uint8_t records[];
};

_Static_assert(offsetof(struct signal_context, registers) == 184, "registers");
_Static_assert(offsetof(struct signal_context, records) == 464, "records");

/* Arm ARM, C4.1: loads and stores; what goes by literals loads, and pairs, exclusives and
   structures have one bit for it. */
static int is_store(uint32_t code) {
    const unsigned way = code >> 22 & 3, by_literal = (code & 0x3b000000) == 0x18000000;
    const int whole_vector = (code & 0xc4000000) == 0x04000000 && way == 2;
    if ((code & 0x0a000000) != 0x08000000 || by_literal) return 0;
    return code >> 28 & 1 ? way == 0 || whole_vector : !(way & 1);
}

unsigned machine_registers(const struct signal_context *context, uint64_t *words) {
    for (unsigned i = 0; i < FRAME_REGISTERS; i++) words[i] = context->registers[i];
    return FRAME_REGISTERS;
}

unsigned machine_fault(const struct signal_context *context, uint64_t *words) {
    const uintptr_t pc = context->registers[FRAME_PC];
    *words = readable(pc) && is_store(*(const uint32_t *)pc);
    return 1;
}

uint64_t machine_sp(const struct signal_context *context) {
    return context->registers[FRAME_SP_WORD];
}

/* Records of the frame's reserved space: a number, a size, what it is; number 0 ends them. */
unsigned machine_saved_vectors(const struct signal_context *context, uint64_t *words) {
    const uint8_t *record = context->records;
    uint32_t head[2];
    for (;;) {
        memcpy(head, record, sizeof head);
        if (head[0] == FPSIMD_RECORD) break;
        if (!head[0] || !head[1]) return 0;
        record += head[1];
    }
    for (unsigned i = 0; i < KEPT_VECTORS; i++)
        memcpy(words + i, record + 16 + 16 * (8 + i), sizeof *words);
    return KEPT_VECTORS;
}

unsigned machine_kept(uint64_t *words) {
    for (unsigned i = 0; i <= X29 - X18; i++) words[i] = call_frame.in[X18 + i];
    words[KEPT_SP] = call_frame.sp;
    for (unsigned i = 0; i < KEPT_VECTORS; i++) words[KEPT_D8 + i] = call_frame.vectors[8 + i][0];
    return KEPT_D8 + KEPT_VECTORS;
}

/* -------- jumps (Arm ARM, C4.1: branches) -------- */

enum { NEGATIVE = 8, ZERO = 4, CARRY = 2, OVERFLOW = 1 };

static int holds(unsigned condition, unsigned nzcv) {
    const int even = !(nzcv & NEGATIVE) == !(nzcv & OVERFLOW);
    const int conditions[] = {!!(nzcv & ZERO),
                              !!(nzcv & CARRY),
                              !!(nzcv & NEGATIVE),
                              !!(nzcv & OVERFLOW),
                              nzcv & CARRY && !(nzcv & ZERO),
                              even,
                              even && !(nzcv & ZERO),
                              1};
    return conditions[condition >> 1] ^ (condition & 1 && condition != 15);
}

/* The bits of code from first on, as a signed number of instructions, in bytes. */
static uint64_t distance(uint32_t code, unsigned first, unsigned bits) {
    return (uint64_t)((int64_t)((uint64_t)code << (64 - first - bits)) >> (64 - bits)) * 4;
}

static uint64_t value_of(const uintptr_t *registers, unsigned number) {
    return number == ZERO_REGISTER ? 0 : registers[number];
}

static enum direction go(uintptr_t *registers, int taken, uint64_t by) {
    registers[FRAME_PC] += taken ? by : 4;
    return taken ? TAKEN : NOT_TAKEN;
}

static enum direction jump_to_register(uint32_t code, uintptr_t *registers) {
    const uint64_t target = value_of(registers, code >> 5 & 31);
    if (code >> 21 & 1) registers[FRAME_LR] = registers[FRAME_PC] + 4;
    registers[FRAME_PC] = target;
    return TAKEN;
}

enum direction machine_jump(uint32_t code, uintptr_t *registers) {
    const uint64_t tested = value_of(registers, code & 31);
    const unsigned not_zero = code >> 24 & 1, bit = (code >> 26 & 32) | (code >> 19 & 31);
    if ((code & 0xff000010) == 0x54000000) /* b.cond */
        return go(registers, holds(code & 15, registers[FRAME_PSTATE] >> 28 & 15),
                  distance(code, 5, 19));
    if ((code & 0x7e000000) == 0x34000000) /* cbz, cbnz */
        return go(registers, !(code >> 31 ? tested : (uint32_t)tested) ^ not_zero,
                  distance(code, 5, 19));
    if ((code & 0x7e000000) == 0x36000000) /* tbz, tbnz */
        return go(registers, !(tested >> bit & 1) ^ not_zero, distance(code, 5, 14));
    if ((code & 0x7c000000) == 0x14000000) { /* b, bl */
        if (code >> 31) registers[FRAME_LR] = registers[FRAME_PC] + 4;
        return go(registers, 1, distance(code, 0, 26));
    }
    if ((code & 0xffdffc1f) == 0xd61f0000 /* br, ret */ || (code & 0xfffffc1f) == 0xd63f0000)
        return jump_to_register(code, registers);
    return 0;
}

int machine_trap(const struct signal_info *info, struct signal_context *context) {
    uintptr_t *pc = &context->registers[FRAME_PC];
    struct trap *trap = take_trap(*pc, context);
    (void)info;
    if (trap && stepping) log_step(*pc, context);
    if (trap) pass_trap(trap, context->registers, pc);
    return trap != NULL;
}
