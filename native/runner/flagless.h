/*
 * Traps on machines without a trap flag: the handler executes jumps itself, so that the trap on
 * one stays planted. What it cannot execute runs by itself, and its trap comes back at the next
 * hit of another, or when the call is back.
 */
#ifndef RIG_RUNNER_FLAGLESS_H
#define RIG_RUNNER_FLAGLESS_H

#include "child.h"

/* The machine's: executes the jump on a signal frame's registers and tells which way it went;
   NOT_TAKEN for anything else whose condition fails. 0, and nothing done, where code is no jump,
   or one that is better left to the processor. */
enum direction machine_jump(uint32_t code, uintptr_t *registers);

/* A hit, with the program counter at *pc in registers. */
void pass_trap(struct trap *trap, uintptr_t *registers, const uintptr_t *pc);

/* The call is back. */
void replant_lifted(void);

#endif
