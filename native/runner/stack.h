/*
 * The stack that calls run on: garbage below the stack pointer, kept bytes above it. This
 * first part is for trampolines too.
 */
#ifndef RIG_RUNNER_STACK_H
#define RIG_RUNNER_STACK_H

/* Where, above the stack pointer at the call, a trampoline keeps its own stack pointer for
   unwinders: behind all stack arguments (two words of 32 bits each for 16) and 64 bytes that
   nobody may change. */
#define STACK_KEPT 192

#ifndef __ASSEMBLER__
#include <stdint.h>

/* The stack pointer at a call of phase 0, the highest. */
#define CALL_SP (STACK + STACK_SIZE - 512)

#include "garbage.h"

/* Fills what stack_open lays out. */
void stack_prepare(struct garbage below, struct garbage above);

/* The stack pointer of a call, all garbage around it; phase as of machine_call. */
uintptr_t *stack_open(unsigned phase);

/* Begins a call whose steps are watched for writes below the stack pointer, `zone` bytes of which
   are the callee's. */
void stack_watch(unsigned zone);

/* The instruction at pc is the next: reports by note(), once in a script, what the one before
   wrote there. */
void stack_step(uint64_t pc, uint64_t sp);

/* The call is back. */
void stack_end(void);

/* Reports by note() the first byte changed above the arguments, `words` of them on the stack, up
   to its end; at STACK_KEPT own_sp must still stand. */
void stack_check(uintptr_t *sp, unsigned words, uintptr_t own_sp);
#endif

#endif
