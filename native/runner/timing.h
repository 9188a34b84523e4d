/*
 * Calls by the clock, as a program makes them: no garbage, no checks, no trampoline.
 */
#ifndef RIG_RUNNER_TIMING_H
#define RIG_RUNNER_TIMING_H

#include "protocol.h"

enum { TIMED_WORDS = 2 * ARGUMENT_LIMIT };

/* Arguments as words of the architecture, in the order in which its convention takes them. */
struct timed_call {
    uintptr_t target;
    unsigned convention, count;
    uintptr_t words[TIMED_WORDS];
};

/* Makes all calls in turn, so often; then as many with functions that do nothing. Nanoseconds of
   this thread's CPU time, the clock's own included in both. */
void time_calls(const struct timed_call *calls, unsigned count, uint64_t repeats,
                uint64_t *elapsed, uint64_t *empty);

#endif
