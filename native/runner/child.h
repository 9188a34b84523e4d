/*
 * What the runner and its forked children share.
 */
#ifndef RIG_RUNNER_CHILD_H
#define RIG_RUNNER_CHILD_H

#include "protocol.h"

enum state { RUNNING, FINISHED, DAMAGED, CRASHED, TIMED_OUT };

/* In memory shared by parent and children; lives through all children of one RUN. */
struct control {
    volatile uint32_t state, script;
    volatile int32_t step;
    uint32_t ran, failed, last_failed;
    uint32_t events, unreported, event_bytes, hits;
    uint64_t steps;
    _Alignas(8) uint8_t event_area[EVENT_LIMIT * (sizeof(struct event) + ACTUAL_LIMIT)];
};

/* hits, order and starts are indexed by, or hold, offsets from base. */
struct traps {
    uint8_t *base;
    uint64_t size;
    uint8_t *starts, *hits, *originals;
    uint32_t *order;
};

struct run {
    struct run_request request;
    const uint8_t *batch;
    const uint64_t *table;
    const uint8_t *writes;
};

extern struct control *control;
extern struct traps traps;
extern uint64_t *trace;

/* Runs scripts from first on; ends the process. */
_Noreturn void run_child(const struct run *run, uint32_t first);

/* Records an event at the current script and step, with event->data bytes of data. */
void note(const struct event *event, const void *data);

/* Ends the child after an event that leaves nothing to go on with. */
_Noreturn void end_child(enum state state);

/* For the architecture's handlers: whether pc was a planted trap, now taken out; a step;
   a tick of the script's budget, true when it is spent. */
int take_trap(uint64_t pc);
void log_step(uint64_t pc);
int budget_spent(void);

#endif
