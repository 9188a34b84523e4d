/*
 * Repeats calls by the clock. It is CPU time of this thread, by a system call: where others share
 * the machine, time on the wall is theirs too, and a counter of cycles is another one on each
 * architecture. What the call costs, 1 us or less, is part of the empty repeats as well.
 */
#include "timing.h"

#include "memory.h"
#include "system.h"

enum { WARM = 8 }; /* a part of the repeats, before the clock starts */

#define FOUR uintptr_t, uintptr_t, uintptr_t, uintptr_t
#define FOUR_OF(words) (words)[0], (words)[1], (words)[2], (words)[3]

/* More words than a function takes do it no harm: its caller has put them there. */
#define TYPES(name, convention)                                                                    \
    typedef void convention name##_4(FOUR);                                                        \
    typedef void convention name##_12(FOUR, FOUR, FOUR);                                           \
    typedef void convention name##_32(FOUR, FOUR, FOUR, FOUR, FOUR, FOUR, FOUR, FOUR)

#define MAKE(name, call)                                                                           \
    do {                                                                                           \
        const uintptr_t *w = (call)->words;                                                        \
        if ((call)->count <= 4) ((name##_4 *)(call)->target)(FOUR_OF(w));                          \
        else if ((call)->count <= 12)                                                              \
            ((name##_12 *)(call)->target)(FOUR_OF(w), FOUR_OF(w + 4), FOUR_OF(w + 8));             \
        else                                                                                       \
            ((name##_32 *)(call)->target)(FOUR_OF(w), FOUR_OF(w + 4), FOUR_OF(w + 8),              \
                                          FOUR_OF(w + 12), FOUR_OF(w + 16), FOUR_OF(w + 20),       \
                                          FOUR_OF(w + 24), FOUR_OF(w + 28));                       \
    } while (0)

TYPES(own, );
TYPES(microsoft, MICROSOFT);

static void make(const struct timed_call *call) {
    if (call->convention == CONVENTION_MS) MAKE(microsoft, call);
    else MAKE(own, call);
}

static void nothing(void) {}
static void MICROSOFT nothing_for_microsoft(void) {}

static uint64_t spend(const struct timed_call *calls, unsigned count, uint64_t repeats) {
    const uint64_t start = thread_time();
    for (uint64_t i = 0; i < repeats; i++)
        for (unsigned call = 0; call < count; call++) make(&calls[call]);
    return thread_time() - start;
}

void time_calls(const struct timed_call *calls, unsigned count, uint64_t repeats,
                uint64_t *elapsed, uint64_t *empty) {
    static struct timed_call idle[TIMED_LIMIT];
    memcpy(idle, calls, count * sizeof *calls);
    for (unsigned i = 0; i < count; i++)
        idle[i].target = calls[i].convention == CONVENTION_MS ? (uintptr_t)nothing_for_microsoft
                                                              : (uintptr_t)nothing;
    spend(idle, count, 1 + repeats / WARM);
    *empty = spend(idle, count, repeats);
    spend(calls, count, 1 + repeats / WARM);
    *elapsed = spend(calls, count, repeats);
}
