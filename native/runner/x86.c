#include "x86.h"

#include "child.h"
#include "garbage.h"
#include "machine.h"
#include "memory.h"
#include "platform.h"
#include "signals.h"

enum { FLAG_CARRY = 1, FLAG_PARITY = 1 << 2, FLAG_ZERO = 1 << 6, FLAG_SIGN = 1 << 7,
       FLAG_OVERFLOW = 1 << 11 };
enum { UPPERS = 1 << 2 | 1 << 6 }; /* in XINUSE: bits 128-255 of ymm0-15, 256-511 of zmm0-15 */
enum { MXCSR_CONTROL = 0xffc0, MXCSR_INITIAL = 0x1f80 };
enum { X87_CONTROL_INITIAL = 0x37f, X87_TAGS_EMPTY = 0xffff };

static int stepping;
static struct trap *stepped_over; /* the jump that is executed just now */

/* -------- the CPU -------- */

int machine_cpuid(uint32_t leaf, uint32_t subleaf, uint32_t words[4]) {
    __asm__ volatile("cpuid"
                     : "=a"(words[0]), "=b"(words[1]), "=c"(words[2]), "=d"(words[3])
                     : "a"(leaf), "c"(subleaf));
    return 1;
}

int machine_xgetbv(uint32_t index, uint64_t *value) {
    const uint32_t osxsave = 1u << 27;
    uint32_t words[4], low, high;
    machine_cpuid(1, 0, words);
    if (!(words[2] & osxsave)) return 0;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(index));
    *value = (uint64_t)high << 32 | low;
    return 1;
}

/* AVX-512F without BW (its kmovq) is a Xeon Phi: its upper halves stay as they are. */
unsigned x86_vector_level(void) {
    uint32_t basic[4] = {0}, extended[4] = {0};
    uint64_t enabled = 0;
    const uint32_t sse2 = 1u << 26, avx = 1u << 28, avx512 = 1u << 16 | 1u << 30;
    machine_cpuid(1, 0, basic);
    if (!(basic[3] & sse2)) return LEVEL_NONE;
    if (!(basic[2] & avx) || !machine_xgetbv(0, &enabled)) return LEVEL_SSE;
    if ((enabled & 0x06) != 0x06) return LEVEL_SSE;
    machine_cpuid(7, 0, extended);
    if ((extended[1] & avx512) != avx512) return LEVEL_AVX;
    return (enabled & 0xe6) == 0xe6 ? LEVEL_AVX512 : LEVEL_AVX;
}

uintptr_t x86_prepare(uint64_t seed, uint32_t flags) {
    const uint64_t garbage = mix(seed >> 1, 0) ^ -(seed & 1); /* each differs by parity */
    stepping = !!(flags & RUN_STEP);
    return (garbage & ARITHMETIC_FLAGS) | FLAG_ALWAYS | (stepping ? FLAG_TRAP : 0);
}

static uint32_t in_use(void) {
    uint64_t state = 0;
    machine_xgetbv(1, &state);
    return (uint32_t)state;
}

/* Tried out: an emulator has the instruction and a constant answer. */
int x86_tells_uppers(void) {
    static const uint8_t ones[32] = {[0 ... 31] = 0xff};
    uint32_t highest[4], extended[4];
    const uint32_t has_xinuse = 1u << 2, leaf = 0xd;
    machine_cpuid(0, 0, highest);
    if (x86_vector_level() < LEVEL_AVX || highest[0] < leaf) return 0;
    machine_cpuid(leaf, 1, extended);
    if (!(extended[0] & has_xinuse)) return 0;
    __asm__ volatile("vzeroupper");
    const uint32_t clean = in_use();
    __asm__ volatile("vmovdqu %0, %%ymm0" : : "m"(ones) : "xmm0");
    const uint32_t dirty = in_use();
    __asm__ volatile("vzeroupper");
    return !(clean & UPPERS) && dirty & UPPERS;
}

void x86_check_uppers(uint32_t state) {
    const struct event event = {.kind = EVENT_UPPERS, .actual = state & UPPERS};
    if (event.actual) note(&event, NULL);
}

static void check_mxcsr(unsigned kept, uint32_t actual) {
    const uint32_t initial = MXCSR_INITIAL;
    note_register(kept, MXCSR_INITIAL & MXCSR_CONTROL, actual & MXCSR_CONTROL);
    if ((actual & MXCSR_CONTROL) != MXCSR_INITIAL) __asm__ volatile("ldmxcsr %0" : : "m"(initial));
}

void x86_check_control_words(unsigned kept, const uint16_t x87[14], const uint32_t *mxcsr) {
    const unsigned control = x87[0], tags = x87[4];
    if (mxcsr) check_mxcsr(kept, *mxcsr);
    note_register(kept + 1, X87_CONTROL_INITIAL, control);
    note_register(kept + 2, X87_TAGS_EMPTY, tags);
    if (control != X87_CONTROL_INITIAL || tags != X87_TAGS_EMPTY) __asm__ volatile("fninit");
}

/* -------- jumps (Intel SDM volume 2: Jcc, JCXZ, LOOP) -------- */

enum { PREFIX_ADDRESS = 0x67, LONGEST = 15 };
enum { TWO_BYTES = 0x0f, JCC_NEAR = 0x80, JCC_SHORT = 0x70 };
enum { LOOPNE = 0xe0, LOOPE = 0xe1, LOOP = 0xe2, JCXZ = 0xe3 };

static int is_prefix(uint8_t byte) {
    const int segment = (byte & 0xe7) == 0x26 || byte == 0x64 || byte == 0x65;
    const int rex = sizeof(uintptr_t) == 8 && (byte & 0xf0) == 0x40, repeat = byte == 0xf2 || byte == 0xf3;
    return segment || rex || repeat || byte == PREFIX_ADDRESS;
}

static int holds(unsigned condition, uintptr_t flags) {
    const int less = !(flags & FLAG_SIGN) != !(flags & FLAG_OVERFLOW);
    const int conditions[] = {!!(flags & FLAG_OVERFLOW),
                              !!(flags & FLAG_CARRY),
                              !!(flags & FLAG_ZERO),
                              !!(flags & (FLAG_CARRY | FLAG_ZERO)),
                              !!(flags & FLAG_SIGN),
                              !!(flags & FLAG_PARITY),
                              less,
                              less || flags & FLAG_ZERO};
    return conditions[condition >> 1 & 7] ^ (int)(condition & 1);
}

/* A write to ecx clears the upper half of rcx, one to cx leaves that of ecx. */
static int counts_on(uint8_t opcode, int narrow, uintptr_t *registers) {
    const uintptr_t half = UINTPTR_MAX >> WORD_BITS / 2, mask = narrow ? half : UINTPTR_MAX;
    const uintptr_t kept = sizeof(uintptr_t) == 8 ? 0 : ~mask;
    uintptr_t *counter = &registers[FRAME_CX];
    const int zero = !!(registers[FRAME_FLAGS_WORD] & FLAG_ZERO);
    if (opcode == JCXZ) return !(*counter & mask);
    *counter = (*counter & kept) | ((*counter - 1) & mask);
    return *counter & mask && (opcode == LOOP || zero == (opcode == LOOPE));
}

/* Executes the conditional jump that a trap stands on. 0, and nothing done, where the text was
   patched to something else, or has prefix 66, on which processors differ. */
static enum direction jump(const struct trap *trap, uintptr_t *registers) {
    const uint8_t *at = (const uint8_t *)registers[FRAME_IP];
    uint8_t opcode = trap->original[0];
    int taken, narrow = 0, near;
    const uint8_t *rest = at + 1; /* behind the opcode */
    for (; is_prefix(opcode) && rest < at + LONGEST; opcode = *rest++)
        narrow |= opcode == PREFIX_ADDRESS;
    near = opcode == TWO_BYTES;
    if (near) opcode = *rest++;
    if ((opcode & 0xf0) == (near ? JCC_NEAR : JCC_SHORT))
        taken = holds(opcode & 0x0f, registers[FRAME_FLAGS_WORD]);
    else if (!near && opcode >= LOOPNE && opcode <= JCXZ)
        taken = counts_on(opcode, narrow, registers);
    else return 0;
    int32_t distance = (int8_t)*rest;
    if (near) memcpy(&distance, rest, sizeof distance);
    registers[FRAME_IP] = (uintptr_t)rest + (near ? sizeof distance : 1);
    if (taken) registers[FRAME_IP] += (uintptr_t)(intptr_t)distance;
    return taken ? TAKEN : NOT_TAKEN;
}

static void step_over(struct trap *trap, uintptr_t *registers) {
    lift_trap(trap);
    stepped_over = trap;
    registers[FRAME_FLAGS_WORD] |= FLAG_TRAP;
}

/* Whether it was a step of ours. */
static int take_step(struct signal_context *context) {
    uintptr_t *registers = context->registers;
    const uintptr_t pc = registers[FRAME_IP];
    if (!stepped_over && !stepping) return 0;
    if (stepping) log_step(pc, context);
    else registers[FRAME_FLAGS_WORD] &= ~(uintptr_t)FLAG_TRAP;
    if (stepped_over) record_target(stepped_over, pc);
    stepped_over = NULL;
    return 1;
}

static void pass(struct trap *trap, struct signal_context *context) {
    uintptr_t *registers = context->registers;
    if (!trap->planted) return;
    if (trap->wire.kind == TRAP_INDIRECT) return step_over(trap, registers);
    const enum direction direction = jump(trap, registers);
    if (!direction) return lift_trap(trap);
    record_direction(trap, direction);
    if (stepping) log_step(registers[FRAME_IP], context);
}

uint64_t machine_sp(const struct signal_context *context) {
    return context->registers[FRAME_SP_WORD];
}

unsigned machine_saved_vectors(const struct signal_context *context, uint64_t *words) {
    (void)context, (void)words;
    return 0;
}

uintptr_t x86_flags(const struct signal_context *context) {
    const uintptr_t flags = context->registers[FRAME_FLAGS_WORD];
    return stepped_over && !stepping ? flags & ~(uintptr_t)FLAG_TRAP : flags;
}

unsigned machine_fault(const struct signal_context *context, uint64_t *words) {
    (void)context, (void)words;
    return 0;
}

/* int3 comes with code BY_KERNEL and a pc behind it, a step with another; qemu 7.2 leaves the
   context's trap number unset. */
int machine_trap(const struct signal_info *info, struct signal_context *context) {
    uintptr_t *pc = &context->registers[FRAME_IP];
    if (info->code != BY_KERNEL) return info->code > 0 && take_step(context);
    *pc -= 1;
    struct trap *trap = take_trap(*pc, context);
    if (trap) pass(trap, context);
    return trap != NULL;
}
