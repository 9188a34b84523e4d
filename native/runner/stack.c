#include "stack.h"

#include "child.h"
#include "memory.h"
#include "platform.h"

enum { GARBAGE_BELOW = 8192, KEPT_ABOVE = 512 };

static struct {
    uint64_t below[GARBAGE_BELOW / 8], above[KEPT_ABOVE / 8];
} laid;

static uint8_t *opened; /* the last stack pointer of a call: laid.below ends there */

/* The last step of a call, pc 0 before the first one. */
static struct {
    uint64_t pc, sp;
    unsigned zone;
} watched;

/* For some KiB of whole words before every call: x86 does this best by itself, and QEMU by
   words rather than bytes. */
static void copy_words(void *to, const void *from, size_t words) {
#if defined(__x86_64__)
    __asm__ volatile("rep movsq" : "+D"(to), "+S"(from), "+c"(words) : : "memory");
#elif defined(__i386__)
    __asm__ volatile("rep movsl" : "+D"(to), "+S"(from), "+c"(words) : : "memory");
#else
    memcpy(to, from, words * sizeof(uintptr_t));
#endif
}

void stack_prepare(struct garbage below, struct garbage above) {
    fill_words(laid.below, GARBAGE_BELOW / 8, below);
    fill_words(laid.above, KEPT_ABOVE / 8, above);
}

uintptr_t *stack_open(unsigned phase) {
    uint8_t *sp = (uint8_t *)(uintptr_t)(CALL_SP - PHASE_BYTES * phase);
    copy_words(sp - GARBAGE_BELOW, &laid, sizeof laid / sizeof(uintptr_t));
    opened = sp;
    return (uintptr_t *)sp;
}

/* -------- below the stack pointer -------- */

void stack_watch(unsigned zone) {
    watched.pc = 0;
    watched.zone = zone;
}

/* What has its garbage below an address of the laid out part. */
static const uint8_t *laid_at(const uint8_t *address) {
    return (const uint8_t *)laid.below + GARBAGE_BELOW - (opened - address);
}

static void lay_again(const uint8_t *from, const uint8_t *to) {
    if (from < to) memcpy((uint8_t *)from, laid_at(from), (size_t)(to - from));
}

static uint32_t told = UINT32_MAX; /* the script in which it was; what it wrote is left alone */

/* The lowest byte that changed, the stack pointer at `sp`. */
static void note_below(uint64_t sp) {
    const uint8_t *at = opened - GARBAGE_BELOW;
    while (*at == *laid_at(at)) at++;
    const struct event event = {.kind = EVENT_BELOW,
                                .offset = (int64_t)(sp - (uintptr_t)at),
                                .expected = *laid_at(at),
                                .actual = *at,
                                .address = watched.pc};
    note(&event, NULL);
    told = control->script;
}

/* The part whose garbage is whole ends at the lower of two stack pointers, unless the instruction
   between them wrote below both. */
static const uint8_t *check_below(uint64_t sp) {
    const uint8_t *base = opened - GARBAGE_BELOW;
    if (!watched.pc) return base;
    const uint64_t least = sp < watched.sp ? sp : watched.sp;
    const uint8_t *end = (const uint8_t *)(uintptr_t)least - watched.zone;
    if (memcmp(base, laid_at(base), (size_t)(end - base))) note_below(least);
    return end;
}

void stack_step(uint64_t pc, uint64_t sp) {
    const uint64_t top = (uintptr_t)opened;
    const int laid_out = sp <= top && sp >= top - GARBAGE_BELOW + watched.zone;
    if (told == control->script) return;
    if (laid_out) lay_again(check_below(sp), (const uint8_t *)(uintptr_t)sp - watched.zone);
    watched.pc = laid_out ? pc : 0; /* elsewhere: begins anew when it is back */
    watched.sp = sp;
}

void stack_end(void) {
    if (told != control->script) check_below(watched.sp);
    watched.pc = 0;
}

void stack_check(uintptr_t *sp, unsigned words, uintptr_t own_sp) {
    const unsigned used = words * sizeof *sp;
    uintptr_t *kept = sp + STACK_KEPT / sizeof *sp;
    if (*kept == own_sp) memcpy(kept, (const uint8_t *)laid.above + STACK_KEPT, sizeof *kept);
    const uint8_t *actual = (const uint8_t *)sp + used;
    const uint8_t *expected = (const uint8_t *)laid.above + used;
    unsigned i = 0;
    if (!memcmp(actual, expected, KEPT_ABOVE - used)) return;
    while (actual[i] == expected[i]) i++;
    const struct event event = {.kind = EVENT_STACK,
                                .offset = i,
                                .expected = expected[i],
                                .actual = actual[i],
                                .address = (uintptr_t)(actual + i)};
    note(&event, NULL);
}
