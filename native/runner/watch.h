/*
 * Memory that is watched while a call runs in single steps, and what another call would have
 * written in the meantime.
 */
#ifndef RIG_RUNNER_WATCH_H
#define RIG_RUNNER_WATCH_H

#include <stdint.h>

/* A new script: nothing is watched, nothing is to come. */
void watch_nothing(void);

/* Has the next calls report by note() what they change there. */
void watch_memory(uint64_t address, uint64_t size);

/* Has each call find these bytes there after so many of its steps; they stay where they are. */
void watch_later(uint64_t steps, uint64_t address, const void *bytes, uint64_t size);

/* A call begins; a step of it, before its instruction is executed; it is back. */
void watch_call(void);
void watch_step(void);
void watch_end(void);

#endif
