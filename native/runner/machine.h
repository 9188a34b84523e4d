/*
 * What an architecture gives to the runner: calls through its trampoline, its
 * signal frames, its CPU's own words.
 */
#ifndef RIG_RUNNER_MACHINE_H
#define RIG_RUNNER_MACHINE_H

#include <stdint.h>

#if defined(__x86_64__)
#define ARCHITECTURE ARCHITECTURE_X86_64
#define TRAP_SIZE 1u
#define TRAP_BYTES "\xcc"
#endif

/* Fills every pattern from the seed; once in each child, before any call. */
void machine_prepare(uint64_t seed, int step);

/*
 * Calls target with count whole 64-bit arguments on the stack of variants. phase is 0 to 3:
 * the stack pointer at the call is 0, 16, 32 or 48 modulo 64. Returns the result register.
 */
uint64_t machine_call(uint64_t target, const uint64_t *arguments, unsigned count, unsigned phase);

/* Reports by note() what the last call should have kept, and puts it right again. */
void machine_check(void);

/* Signal handlers on a stack of their own. */
void machine_catch(void);

/* Words of CPUID and the value of XCR index; 0 where the CPU has none. */
int machine_cpuid(uint32_t leaf, uint32_t subleaf, uint32_t words[4]);
int machine_xgetbv(uint32_t index, uint64_t *value);

#endif
