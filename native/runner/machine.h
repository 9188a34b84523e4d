/*
 * What an architecture gives to the runner: calls through its trampoline, its
 * signal frames, its CPU's own words.
 */
#ifndef RIG_RUNNER_MACHINE_H
#define RIG_RUNNER_MACHINE_H

#include <stdint.h>

enum { REGISTER_LIMIT = 48 };

/* A whole register's value. Of more bits than a register has, it takes two words. */
struct argument {
    uint64_t value;
    unsigned bits;
};

struct signal_info;    /* signals.h */
struct signal_context; /* the machine's own: the kernel's ucontext_t */

/* Fills every pattern from the seed; once in each child, before any call. Of the flags of a RUN
   it takes RUN_STEP and RUN_CLEAN_UPPERS: whether the latter shows anything here. */
int machine_prepare(uint64_t seed, uint32_t flags);

/*
 * Calls target, of enum convention, with count arguments on the stack of variants. phase is 0 to 3: the stack
 * pointer at the call is 0, 16, 32 or 48 modulo 64, on arm 0, 40, 16 or 56. Returns the result
 * register, or the two that a result of 64 bits comes in.
 */
uint64_t machine_call(uint64_t target, unsigned convention, const struct argument *arguments,
                      unsigned count, unsigned phase);

/* Reports by note() what the last call should have kept, and puts it right again. */
void machine_check(void);

/* What signal handlers return to: rt_sigreturn. */
void machine_restorer(void);

/* The registers where a signal came, in the order of `registers` in rig/architectures.py; how
   many. */
unsigned machine_registers(const struct signal_context *context, uint64_t *words);

/* What stands behind them of a fault only, as it takes a look at the instruction; how many. */
unsigned machine_fault(const struct signal_context *context, uint64_t *words);

/* There too: the stack pointer; d8-d15 on ARM, if the frame has them; how many. */
uint64_t machine_sp(const struct signal_context *context);
unsigned machine_saved_vectors(const struct signal_context *context, uint64_t *words);

/* What the call that runs must keep, as its caller left it, in the order of `kept` in
   rig/architectures.py, without control registers; how many. */
unsigned machine_kept(uint64_t *words);

/* Deals with SIGTRAP from a trap or a step of the runner's own; 0 if it was none. */
int machine_trap(const struct signal_info *info, struct signal_context *context);

/* Words of CPUID and the value of XCR index; 0 where the CPU has none. */
int machine_cpuid(uint32_t leaf, uint32_t subleaf, uint32_t words[4]);
int machine_xgetbv(uint32_t index, uint64_t *value);

#endif
