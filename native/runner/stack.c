#include "stack.h"

#include "child.h"
#include "memory.h"
#include "platform.h"

enum { GARBAGE_BELOW = 8192, KEPT_ABOVE = 512 };

static struct {
    uint64_t below[GARBAGE_BELOW / 8], above[KEPT_ABOVE / 8];
} laid;

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
    return (uintptr_t *)sp;
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
