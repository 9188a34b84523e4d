/*
 * x86_64: what surrounds the trampoline, and the signal frames of Linux.
 */
#include "child.h"
#include "garbage.h"
#include "machine.h"
#include "memory.h"
#include "system.h"
#include "x86_64.h"

enum { RAX, RBX, RCX, RDX, RSI, RDI, RBP, R8, R9, R10, R11, R12, R13, R14, R15, REGISTERS };
enum { OUT_RAX, OUT_RBX, OUT_RBP, OUT_R12, OUT_R13, OUT_R14, OUT_R15, OUT_RSP, OUT_FLAGS, OUTS };
/* The order of KEPT_REGISTERS in rig/runner/events.py. */
enum { KEPT_RBX, KEPT_RBP, KEPT_R12, KEPT_R13, KEPT_R14, KEPT_R15, KEPT_RSP, KEPT_DF, KEPT_MXCSR,
       KEPT_X87_CONTROL, KEPT_X87_TAGS };

enum { FLAG_ALWAYS = 1 << 1, FLAG_TRAP = 1 << 8, FLAG_DIRECTION = 1 << 10 };
enum { ARITHMETIC_FLAGS = 0x8d5 }; /* CF PF AF ZF SF OF */
enum { FLAG_CARRY = 1, FLAG_PARITY = 1 << 2, FLAG_ZERO = 1 << 6, FLAG_SIGN = 1 << 7,
       FLAG_OVERFLOW = 1 << 11 };
enum { MXCSR_CONTROL = 0xffc0, MXCSR_INITIAL = 0x1f80 };
enum { X87_CONTROL_INITIAL = 0x37f, X87_TAGS_EMPTY = 0xffff };

enum { GARBAGE_BELOW = 8192, REGISTER_ARGUMENTS = 6 };
#define CALL_SP (STACK + STACK_SIZE - 512)

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
void machine_restorer(void);

static uint64_t patterns[REGISTERS];
static struct {
    uint64_t below[GARBAGE_BELOW / 8], above[STACK_KEPT / 8];
} stack_garbage;
static unsigned stack_arguments;
static int stepping;

static void fill(uint64_t *words, unsigned count, struct garbage garbage) {
    for (unsigned i = 0; i < count; i++) words[i] = garbage_word(garbage, i);
}

/* AVX-512F without BW (its kmovq) is a Xeon Phi: its upper halves stay as they are. */
static unsigned vector_level(void) {
    uint32_t basic[4] = {0}, extended[4] = {0};
    uint64_t enabled = 0;
    const uint32_t avx = 1u << 28, avx512 = 1u << 16 | 1u << 30;
    if (!machine_cpuid(1, 0, basic) || !(basic[2] & avx) || !machine_xgetbv(0, &enabled))
        return LEVEL_SSE;
    if ((enabled & 0x06) != 0x06) return LEVEL_SSE;
    if (!machine_cpuid(7, 0, extended) || (extended[1] & avx512) != avx512) return LEVEL_AVX;
    return (enabled & 0xe6) == 0xe6 ? LEVEL_AVX512 : LEVEL_AVX;
}

void machine_prepare(uint64_t seed, int step) {
    const struct garbage garbage = garbage_from(~seed);
    const uint64_t flags = mix(seed >> 1, 0) ^ -(seed & 1); /* each differs by parity */
    fill(patterns, REGISTERS, garbage_part(garbage, 1));
    fill(call_frame.masks, 8, garbage_part(garbage, 2));
    fill(call_frame.vectors, 32 * 8, garbage_part(garbage, 3));
    fill(stack_garbage.below, GARBAGE_BELOW / 8, garbage_part(garbage, 4));
    fill(stack_garbage.above, STACK_KEPT / 8, garbage_part(garbage, 5));
    for (unsigned i = 0; i < REGISTERS; i++) call_frame.in[i] = patterns[i];
    call_frame.flags = (flags & ARITHMETIC_FLAGS) | FLAG_ALWAYS | (step ? FLAG_TRAP : 0);
    call_frame.level = vector_level();
    stepping = step;
}

static void copy_words(void *to, const void *from, uint64_t words) {
    __asm__ volatile("rep movsq" : "+D"(to), "+S"(from), "+c"(words) : : "memory");
}

uint64_t machine_call(uint64_t target, const uint64_t *arguments, unsigned count, unsigned phase) {
    static const uint8_t in[REGISTER_ARGUMENTS] = {RDI, RSI, RDX, RCX, R8, R9};
    uint64_t *sp = (uint64_t *)(CALL_SP - 16 * phase);
    stack_arguments = count > REGISTER_ARGUMENTS ? count - REGISTER_ARGUMENTS : 0;
    copy_words((uint8_t *)sp - GARBAGE_BELOW, &stack_garbage, sizeof stack_garbage / 8);
    for (unsigned i = 0; i < REGISTER_ARGUMENTS; i++)
        call_frame.in[in[i]] = i < count ? arguments[i] : patterns[in[i]];
    for (unsigned i = 0; i < stack_arguments; i++) sp[i] = arguments[REGISTER_ARGUMENTS + i];
    call_frame.target = target;
    call_frame.sp = (uint64_t)sp;
    machine_trampoline();
    return call_frame.out[OUT_RAX];
}

static void expect(unsigned which, uint64_t expected, uint64_t actual) {
    if (expected == actual) return;
    const struct event event = {
        .kind = EVENT_REGISTER, .which = which, .expected = expected, .actual = actual};
    note(&event, NULL);
}

static void check_control_words(void) {
    const uint32_t mxcsr = MXCSR_INITIAL;
    const unsigned control = call_frame.x87[0], tags = call_frame.x87[4];
    expect(KEPT_MXCSR, MXCSR_INITIAL & MXCSR_CONTROL, call_frame.mxcsr & MXCSR_CONTROL);
    expect(KEPT_X87_CONTROL, X87_CONTROL_INITIAL, control);
    expect(KEPT_X87_TAGS, X87_TAGS_EMPTY, tags);
    if ((call_frame.mxcsr & MXCSR_CONTROL) != MXCSR_INITIAL)
        __asm__ volatile("ldmxcsr %0" : : "m"(mxcsr));
    if (control != X87_CONTROL_INITIAL || tags != X87_TAGS_EMPTY) __asm__ volatile("fninit");
}

static void check_stack(void) {
    const uint8_t *actual = (const uint8_t *)(call_frame.sp + 8 * stack_arguments);
    const uint8_t *expected = (const uint8_t *)(stack_garbage.above + stack_arguments);
    for (unsigned i = 0; i < STACK_KEPT - 8 * stack_arguments; i++) {
        if (actual[i] == expected[i]) continue;
        const struct event event = {.kind = EVENT_STACK,
                                    .offset = i,
                                    .expected = expected[i],
                                    .actual = actual[i],
                                    .address = (uint64_t)(actual + i)};
        note(&event, NULL);
        return;
    }
}

void machine_check(void) {
    static const struct {
        uint8_t kept, in, out;
    } saved[] = {{KEPT_RBX, RBX, OUT_RBX}, {KEPT_RBP, RBP, OUT_RBP}, {KEPT_R12, R12, OUT_R12},
                 {KEPT_R13, R13, OUT_R13}, {KEPT_R14, R14, OUT_R14}, {KEPT_R15, R15, OUT_R15}};
    for (unsigned i = 0; i < sizeof saved / sizeof *saved; i++)
        expect(saved[i].kept, call_frame.in[saved[i].in], call_frame.out[saved[i].out]);
    expect(KEPT_RSP, call_frame.sp, call_frame.out[OUT_RSP]);
    expect(KEPT_DF, 0, !!(call_frame.out[OUT_FLAGS] & FLAG_DIRECTION));
    check_control_words();
    check_stack();
}

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

/* The kernel's layouts: siginfo_t, ucontext_t, struct sigaction, stack_t. */
struct signal_info {
    int32_t number, error, code, padding;
    uint64_t address;
};

enum { FRAME_REGISTERS = 20, FRAME_RCX = 14, FRAME_RIP = 16, FRAME_RFLAGS = 17 };
enum { BY_KERNEL = 0x80 }; /* si_code */

struct signal_context {
    uint64_t flags, link, stack[3];
    uint64_t registers[FRAME_REGISTERS]; /* GENERAL_REGISTERS in rig/runner/events.py */
};

struct signal_action {
    void (*handler)(int, const struct signal_info *, struct signal_context *);
    uint64_t flags;
    void (*restorer)(void);
    uint64_t mask;
};

/* The address means something only where the kernel raised the signal for a fault, and not
   for a general protection fault (BY_KERNEL). */
static uint64_t fault_address(int signal, const struct signal_info *info) {
    if (signal != SIGNAL_SEGV && signal != SIGNAL_BUS) return NO_ADDRESS;
    return info->code > 0 && info->code != BY_KERNEL ? info->address : NO_ADDRESS;
}

static void report(enum event_kind kind, int signal, const struct signal_info *info,
                   const struct signal_context *context) {
    const struct event event = {.kind = kind,
                                .which = (uint32_t)signal,
                                .data = sizeof context->registers,
                                .address = fault_address(signal, info)};
    note(&event, context->registers);
}

static struct trap *stepped_over; /* the jump that is executed just now */

static void on_fault(int signal, const struct signal_info *info, struct signal_context *context) {
    if (stepped_over && !stepping) context->registers[FRAME_RFLAGS] &= ~(uint64_t)FLAG_TRAP;
    report(EVENT_CRASH, signal, info, context);
    end_child(CRASHED);
}

/* -------- jumps (Intel SDM volume 2: Jcc, JCXZ, LOOP) -------- */

enum { PREFIX_ADDRESS = 0x67, LONGEST = 15 };
enum { TWO_BYTES = 0x0f, JCC_NEAR = 0x80, JCC_SHORT = 0x70 };
enum { LOOPNE = 0xe0, LOOPE = 0xe1, LOOP = 0xe2, JCXZ = 0xe3 };

static int is_prefix(uint8_t byte) {
    const int segment = (byte & 0xe7) == 0x26 || byte == 0x64 || byte == 0x65;
    const int rex = (byte & 0xf0) == 0x40, repeat = byte == 0xf2 || byte == 0xf3;
    return segment || rex || repeat || byte == PREFIX_ADDRESS;
}

static int holds(unsigned condition, uint64_t flags) {
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

/* A write to ecx clears the upper half of rcx. */
static int counts_on(uint8_t opcode, int narrow, uint64_t *registers) {
    const uint64_t mask = narrow ? UINT32_MAX : UINT64_MAX;
    uint64_t *rcx = &registers[FRAME_RCX];
    const int zero = !!(registers[FRAME_RFLAGS] & FLAG_ZERO);
    if (opcode == JCXZ) return !(*rcx & mask);
    *rcx = (*rcx - 1) & mask;
    return *rcx && (opcode == LOOP || zero == (opcode == LOOPE));
}

/* Executes the conditional jump that a trap stands on. 0, and nothing done, where the text was
   patched to something else, or has prefix 66, on which processors differ. */
static enum direction jump(const struct trap *trap, uint64_t *registers) {
    const uint8_t *at = (const uint8_t *)registers[FRAME_RIP];
    uint8_t opcode = trap->original[0];
    int taken, narrow = 0, near;
    const uint8_t *rest = at + 1; /* behind the opcode */
    for (; is_prefix(opcode) && rest < at + LONGEST; opcode = *rest++)
        narrow |= opcode == PREFIX_ADDRESS;
    near = opcode == TWO_BYTES;
    if (near) opcode = *rest++;
    if ((opcode & 0xf0) == (near ? JCC_NEAR : JCC_SHORT))
        taken = holds(opcode & 0x0f, registers[FRAME_RFLAGS]);
    else if (!near && opcode >= LOOPNE && opcode <= JCXZ)
        taken = counts_on(opcode, narrow, registers);
    else return 0;
    int32_t distance = (int8_t)*rest;
    if (near) memcpy(&distance, rest, sizeof distance);
    registers[FRAME_RIP] = (uint64_t)rest + (near ? sizeof distance : 1);
    if (taken) registers[FRAME_RIP] += (uint64_t)(int64_t)distance;
    return taken ? TAKEN : NOT_TAKEN;
}

static void step_over(struct trap *trap, uint64_t *registers) {
    lift_trap(trap);
    stepped_over = trap;
    registers[FRAME_RFLAGS] |= FLAG_TRAP;
}

/* Whether it was a step of ours. */
static int take_step(uint64_t *registers) {
    const uint64_t pc = registers[FRAME_RIP];
    if (!stepped_over && !stepping) return 0;
    if (stepping) log_step(pc);
    else registers[FRAME_RFLAGS] &= ~(uint64_t)FLAG_TRAP;
    if (stepped_over) record_target(stepped_over, pc);
    stepped_over = NULL;
    return 1;
}

static void pass(struct trap *trap, uint64_t *registers) {
    if (!trap->planted) return;
    if (trap->wire.kind == TRAP_INDIRECT) return step_over(trap, registers);
    const enum direction direction = jump(trap, registers);
    if (!direction) return lift_trap(trap);
    record_direction(trap, direction);
    if (stepping) log_step(registers[FRAME_RIP]);
}

/* int3 comes with code BY_KERNEL and a pc behind it, a step with another; qemu 7.2 leaves the
   context's trap number unset. */
static void on_trap(int signal, const struct signal_info *info, struct signal_context *context) {
    uint64_t *pc = &context->registers[FRAME_RIP];
    if (info->code == BY_KERNEL) {
        *pc -= TRAP_SIZE;
        struct trap *trap = take_trap(*pc);
        if (trap) return pass(trap, context->registers);
    } else if (info->code > 0 && take_step(context->registers)) {
        return;
    }
    on_fault(signal, info, context);
}

static void on_tick(int signal, const struct signal_info *info, struct signal_context *context) {
    if (!budget_spent()) return;
    report(EVENT_TIMEOUT, signal, info, context);
    end_child(TIMED_OUT);
}

static void catch_signal(int signal, void (*handler)(int, const struct signal_info *,
                                                     struct signal_context *)) {
    const uint64_t with_info = 4, restorer = 0x04000000, on_stack = 0x08000000, restart = 1 << 28;
    const uint64_t flags = with_info | restorer | on_stack | restart, all = UINT64_MAX;
    const struct signal_action action = {handler, flags, machine_restorer, all};
    system_call(CALL_SIGACTION, signal, (long)&action, 0, sizeof action.mask, 0, 0);
}

void machine_catch(void) {
    static uint8_t stack[128 << 10];
    static const int faults[] = {SIGNAL_ILL, SIGNAL_ABRT, SIGNAL_BUS,
                                 SIGNAL_FPE, SIGNAL_SEGV, SIGNAL_SYS};
    const struct {
        void *base;
        uint64_t flags, size;
    } alternate = {stack, 0, sizeof stack};
    const uint64_t none = 0;
    system_call(CALL_SIGALTSTACK, (long)&alternate, 0, 0, 0, 0, 0);
    for (unsigned i = 0; i < sizeof faults / sizeof *faults; i++) catch_signal(faults[i], on_fault);
    catch_signal(SIGNAL_TRAP, on_trap);
    catch_signal(SIGNAL_VTALRM, on_tick);
    const int set_mask = 2;
    system_call(CALL_SIGPROCMASK, set_mask, (long)&none, 0, sizeof none, 0, 0);
}
