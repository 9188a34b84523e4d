/*
 * arm: what surrounds the trampoline, the signal frames of Linux, jumps of A32 code.
 */
#include "arm.h"
#include "flagless.h"
#include "garbage.h"
#include "machine.h"
#include "memory.h"
#include "platform.h"
#include "signals.h"
#include "stack.h"
#include "system.h"

enum { R4 = 4, R11 = 11, TARGET = 13, REGISTERS };
enum { OUT_R0, OUT_R1, OUT_R4, OUT_SP = 10, OUTS };
/* The order of `kept` in rig/architectures.py. */
enum { KEPT_R4, KEPT_SP = 8, KEPT_D8, KEPT_FPSCR = KEPT_D8 + 8 };

enum { REGISTER_ARGUMENTS = 4, KEPT_VECTORS = 8, VECTORS = 32 };
#define ARITHMETIC_FLAGS 0xf80f0000u /* of CPSR: N Z C V Q, GE */
#define FPSCR_FLAGS 0xf8000000u      /* N Z C V, QC */
#define FPSCR_CONTROL 0x07ffff00u    /* neither flags nor cumulative exceptions */

enum { AUXILIARY_HWCAP = 16 };
enum { HWCAP_VFP = 1 << 6, HWCAP_NEON = 1 << 12, HWCAP_VFPD32 = 1 << 19 };

struct call_frame {
    uint32_t sp, own_sp, cpsr, level, fpscr_in, fpscr_out;
    uint32_t in[REGISTERS], out[OUTS], reserved;
    uint64_t vectors[VECTORS], kept_vectors[KEPT_VECTORS];
} call_frame;

_Static_assert(offsetof(struct call_frame, sp) == FRAME_SP, "sp");
_Static_assert(offsetof(struct call_frame, own_sp) == FRAME_OWN_SP, "own_sp");
_Static_assert(offsetof(struct call_frame, cpsr) == FRAME_CPSR, "cpsr");
_Static_assert(offsetof(struct call_frame, level) == FRAME_LEVEL, "level");
_Static_assert(offsetof(struct call_frame, fpscr_in) == FRAME_FPSCR_IN, "fpscr_in");
_Static_assert(offsetof(struct call_frame, fpscr_out) == FRAME_FPSCR_OUT, "fpscr_out");
_Static_assert(offsetof(struct call_frame, in) == FRAME_IN, "in");
_Static_assert(offsetof(struct call_frame, out) == FRAME_OUT, "out");
_Static_assert(offsetof(struct call_frame, vectors) == FRAME_VECTORS, "vectors");
_Static_assert(offsetof(struct call_frame, kept_vectors) == FRAME_KEPT_VECTORS, "kept_vectors");

void machine_trampoline(void);

static uint64_t patterns[REGISTERS];
static unsigned stack_words;
static int stepping;

static unsigned vector_level(void) {
    const uintptr_t *word = auxiliary_word(AUXILIARY_HWCAP);
    const uintptr_t has = word ? *word : 0;
    if (has & (HWCAP_NEON | HWCAP_VFPD32)) return LEVEL_D32;
    return has & HWCAP_VFP ? LEVEL_D16 : LEVEL_NONE;
}

int machine_prepare(uint64_t seed, uint32_t run_flags) {
    const struct garbage garbage = garbage_from(~seed);
    const uint64_t flags = mix(seed >> 1, 0) ^ -(seed & 1); /* each differs by parity */
    stepping = !!(run_flags & RUN_STEP);
    fill_words(patterns, REGISTERS, garbage_part(garbage, 1));
    fill_words(call_frame.vectors, VECTORS, garbage_part(garbage, 3));
    stack_prepare(garbage_part(garbage, 4), garbage_part(garbage, 5));
    for (unsigned i = 0; i < REGISTERS; i++) call_frame.in[i] = (uint32_t)patterns[i];
    call_frame.cpsr = flags & ARITHMETIC_FLAGS;
    call_frame.fpscr_in = flags >> 32 & FPSCR_FLAGS;
    call_frame.level = vector_level();
    return 0;
}

/* AAPCS32 6.5, stage C: 64 bits go in an even pair of registers, or on the stack aligned to 8;
   behind the first argument on the stack all others are there. */
static void lay_out(uint32_t *sp, const struct argument *arguments, unsigned count) {
    unsigned next = 0;
    stack_words = 0;
    for (unsigned i = 0; i < count; i++) {
        const unsigned words = arguments[i].bits > 32 ? 2 : 1;
        uint32_t *place = &call_frame.in[next += next & (words - 1)];
        if (next + words > REGISTER_ARGUMENTS) {
            next = REGISTER_ARGUMENTS;
            stack_words += stack_words & (words - 1);
            place = sp + stack_words;
            stack_words += words;
        } else {
            next += words;
        }
        place[0] = (uint32_t)arguments[i].value;
        if (words == 2) place[1] = (uint32_t)(arguments[i].value >> 32);
    }
}

uint64_t machine_call(uint64_t target, unsigned convention, const struct argument *arguments,
                      unsigned count, unsigned phase) {
    (void)convention;
    uint32_t *sp = (uint32_t *)stack_open(phase);
    for (unsigned i = 0; i < REGISTER_ARGUMENTS; i++) call_frame.in[i] = (uint32_t)patterns[i];
    lay_out(sp, arguments, count);
    call_frame.in[TARGET] = (uint32_t)target;
    call_frame.sp = (uint32_t)sp;
    machine_trampoline();
    replant_lifted();
    return call_frame.out[OUT_R0] | (uint64_t)call_frame.out[OUT_R1] << 32;
}

static void check_vectors(void) {
    for (unsigned i = 0; i < KEPT_VECTORS; i++)
        note_register(KEPT_D8 + i, call_frame.vectors[8 + i], call_frame.kept_vectors[i]);
    note_register(KEPT_FPSCR, 0, call_frame.fpscr_out & FPSCR_CONTROL);
}

/* The trampoline sets FPSCR before each call. */
void machine_check(void) {
    for (unsigned i = 0; i <= R11 - R4; i++)
        note_register(KEPT_R4 + i, call_frame.in[R4 + i], call_frame.out[OUT_R4 + i]);
    note_register(KEPT_SP, call_frame.sp, call_frame.out[OUT_SP]);
    if (call_frame.level != LEVEL_NONE) check_vectors();
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
enum { FRAME_SP_WORD = 13, FRAME_LR, FRAME_PC, FRAME_CPSR_WORD, FRAME_REGISTERS };
#define VFP_RECORD 0x56465001u /* d0-d31, fpscr */

struct signal_context {
    uint32_t flags, link, stack[3], trap, error, old_mask;
    uintptr_t registers[FRAME_REGISTERS]; /* r0-r15, cpsr */
    uint32_t address, masked[32];
    _Alignas(8) uint32_t records[];
};

_Static_assert(offsetof(struct signal_context, records) == 232, "records");

/* Arm ARM, F4.1: stores of registers, of several, of halves and pairs, of vectors. qemu leaves
   the frame's error word empty. */
static int is_store(uint32_t code) {
    const int load = code >> 20 & 1, pair = (code & 0x60) == 0x40;
    if (code >> 28 == 15) return (code & 0x0f300000) == 0x04000000; /* vst1 to vst4 */
    switch (code >> 25 & 7) {
    case 0: return (code & 0x90) == 0x90 && !load && !pair;
    case 2: case 3: case 4: case 6: return !load;
    }
    return 0;
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

/* Records of the frame's coprocessors: a number, a size in bytes, what it is; number 0 ends
   them. */
unsigned machine_saved_vectors(const struct signal_context *context, uint64_t *words) {
    const uint32_t *record = context->records;
    while (record[0] != VFP_RECORD) {
        if (!record[0] || !record[1]) return 0;
        record += record[1] / sizeof *record;
    }
    memcpy(words, record + 2 + 2 * 8, KEPT_VECTORS * sizeof *words);
    return KEPT_VECTORS;
}

unsigned machine_kept(uint64_t *words) {
    for (unsigned i = 0; i <= R11 - R4; i++) words[i] = call_frame.in[R4 + i];
    words[KEPT_SP] = call_frame.sp;
    if (call_frame.level == LEVEL_NONE) return KEPT_D8;
    for (unsigned i = 0; i < KEPT_VECTORS; i++) words[KEPT_D8 + i] = call_frame.vectors[8 + i];
    return KEPT_D8 + KEPT_VECTORS;
}

/* -------- jumps (Arm ARM for A and R profiles, F4.1: A32 encodings) -------- */

enum { NEGATIVE = 8, ZERO = 4, CARRY = 2, OVERFLOW = 1 };
enum { ALWAYS = 14 };
enum { UP = 1 << 23, BEFORE = 1 << 24, LINK_BRANCH = 1 << 24, WRITE_BACK = 1 << 21 };

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
    return conditions[condition >> 1] ^ (int)(condition & 1);
}

static uint32_t value_of(const uintptr_t *registers, unsigned number) {
    return registers[number] + (number == FRAME_PC ? 8 : 0);
}

/* To Thumb code, or to no instruction, the processor must go by itself. */
static enum direction go(uintptr_t *registers, uint32_t target) {
    if (target & 3) return 0;
    registers[FRAME_PC] = target;
    return TAKEN;
}

static enum direction branch(uint32_t code, uintptr_t *registers) {
    const uint32_t pc = registers[FRAME_PC];
    if (code & LINK_BRANCH) registers[FRAME_LR] = pc + 4;
    return go(registers, pc + 8 + (uint32_t)((int32_t)(code << 8) >> 6));
}

/* bx, blx */
static enum direction branch_to_register(uint32_t code, uintptr_t *registers) {
    const uint32_t back = registers[FRAME_PC] + 4;
    const enum direction direction = go(registers, value_of(registers, code & 15));
    if (direction && code & 1 << 5) registers[FRAME_LR] = back;
    return direction;
}

/* ldr pc, with an immediate or a register, shifted left, as its offset. */
static enum direction load(uint32_t code, uintptr_t *registers) {
    const unsigned base = code >> 16 & 15;
    const uint32_t shifted = value_of(registers, code & 15) << (code >> 7 & 31);
    const uint32_t offset = code & 1 << 25 ? shifted : code & 0xfff;
    const uint32_t at = value_of(registers, base), moved = code & UP ? at + offset : at - offset;
    const uint32_t address = code & BEFORE ? moved : at;
    if (!readable(address)) return 0;
    const enum direction direction = go(registers, *(const uint32_t *)address);
    if (direction && (code & WRITE_BACK || !(code & BEFORE))) registers[base] = moved;
    return direction;
}

/* ldm with pc in its list: the last word, as the registers go up with addresses. */
static enum direction load_several(uint32_t code, uintptr_t *registers) {
    const unsigned base = code >> 16 & 15, size = 4 * (unsigned)__builtin_popcount(code & 0xffff);
    const uint32_t at = registers[base], low = code & UP ? at : at - size;
    const uint32_t first = low + (!(code & UP) == !(code & BEFORE) ? 4 : 0);
    const uint32_t *from = (const uint32_t *)first;
    if (!readable(first) || !readable(first + size - 4)) return 0;
    if (!go(registers, from[size / 4 - 1])) return 0;
    for (unsigned i = 0; i < FRAME_PC; i++)
        if (code & 1u << i) registers[i] = *from++;
    if (code & WRITE_BACK) registers[base] = code & UP ? at + size : at - size;
    return TAKEN;
}

enum direction machine_jump(uint32_t code, uintptr_t *registers) {
    const unsigned condition = code >> 28;
    if (condition > ALWAYS) return 0; /* blx to Thumb, and what has no condition */
    if (!holds(condition, registers[FRAME_CPSR_WORD] >> 28)) {
        registers[FRAME_PC] += 4;
        return NOT_TAKEN;
    }
    if ((code & 0x0e000000) == 0x0a000000) return branch(code, registers);
    if ((code & 0x0fffffd0) == 0x012fff10) return branch_to_register(code, registers);
    if ((code & 0x0ffffff0) == 0x01a0f000) /* mov pc */
        return go(registers, value_of(registers, code & 15));
    if ((code & 0x0fe0f070) == 0x0080f000) /* add pc, with a register, shifted left */
        return go(registers, value_of(registers, code >> 16 & 15) +
                                 (value_of(registers, code & 15) << (code >> 7 & 31)));
    if ((code & 0x0e50f000) == 0x0410f000 || (code & 0x0e50f070) == 0x0610f000)
        return load(code, registers);
    if ((code & 0x0e508000) == 0x08108000) return load_several(code, registers);
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
