/*
 * What the common code must know of its architecture when it is compiled: the number in the
 * greeting, the fixed places, the trap, the system calls.
 */
#ifndef RIG_RUNNER_PLATFORM_H
#define RIG_RUNNER_PLATFORM_H

#include <stddef.h>
#include <stdint.h>

#if defined(__x86_64__)
#include "x86_64_platform.h"
#elif defined(__i386__)
#include "i386_platform.h"
#elif defined(__aarch64__)
#include "aarch64_platform.h"
#elif defined(__arm__)
#include "arm_platform.h"
#endif

/*
 * Beside these: STEPS_BY_TRAPS, where a CPU has no trap flag; EXTENDED_BITS, to which a caller
 * extends narrower arguments; PHASE_BYTES, by which the stack pointer at one call differs from
 * that at the next; PAIR_WORDS, of which an argument of two words stands at a multiple; RED_ZONE, bytes below the stack pointer that signals leave alone.
 */
#ifndef MICROSOFT
#define MICROSOFT /* of CONVENTION_MS, where there is such */
#endif

#define WORD_BITS (8u * sizeof(uintptr_t))

#endif
