/*
 * What the runner and its forked children share.
 */
#ifndef RIG_RUNNER_CHILD_H
#define RIG_RUNNER_CHILD_H

#include "machine.h"
#include "platform.h"
#include "protocol.h"

enum { TRAP_LIMIT = 4 }; /* bytes of the longest trap */

/* With any of these, traps are planted. */
#define TRAPPING (RUN_COVERAGE | (STEPS_BY_TRAPS ? RUN_STEP : 0))

enum state { RUNNING, FINISHED, DAMAGED, CRASHED, TIMED_OUT };

/* In memory shared by parent and children; lives through all children of one RUN. */
struct control {
    volatile uint32_t state, script;
    volatile int32_t step;
    uint32_t ran, failed, last_failed;
    uint32_t events, unreported, event_bytes, hits, targets, frame_bytes, uppers;
    uint64_t steps, traced; /* words */
    uint64_t elapsed_ns, empty_ns;
    _Alignas(8) uint8_t event_area[EVENT_LIMIT * (sizeof(struct event) + ACTUAL_LIMIT)];
};

/* hit and directions live through all children of one RUN, the rest is each child's own. */
struct trap {
    struct wire_trap wire;
    uint8_t hit, directions, planted, original[TRAP_LIMIT];
    uint16_t passes; /* in this script */
};

/* numbers has, by offset from base, a trap's index plus one; order has offsets; passed has
   indexes. */
struct traps {
    uint8_t *base;
    uint64_t size, count;
    struct trap *all;
    uint32_t *numbers, *order, *passed;
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
extern struct wire_target *targets;

/* Runs scripts from first on; ends the process. */
_Noreturn void run_child(const struct run *run, uint32_t first);

/* Does once in the parent what every child begins with, so that an emulator has translated it
   for all of them. */
void rehearse(void);

/* Records an event at the current script and step, with event->data bytes of data. */
void note(const struct event *event, const void *data);

/* Records register `which`, a number in `kept` of rig/architectures.py, if it is not as expected. */
void note_register(unsigned which, uint64_t expected, uint64_t actual);

/* A word of the auxiliary vector; NULL where there is none of the type. */
const uintptr_t *auxiliary_word(uint64_t type);

/* Lets the call write where it tried to; 0 where that is no read-only view, or open already. */
int open_view(uint64_t address);

/* Ends the child after an event that leaves nothing to go on with. */
_Noreturn void end_child(enum state state);

/* For the architecture's handlers: the trap planted at pc, if any, its hit recorded, and at the
   first the frame where the RUN asks for it. If it is still planted, the handler goes on behind the jump and tells which way that was. */
struct trap *take_trap(uint64_t pc, const struct signal_context *context);
void lift_trap(struct trap *trap);
void record_direction(struct trap *trap, enum direction direction);

/* A jump went there; the trap stays, or comes back where it was lifted for the jump. */
void record_target(struct trap *trap, uint64_t target);

/* A lifted trap comes back if it is still of use. */
void replant_trap(struct trap *trap);

/* A step, before the instruction at pc is executed. */
void log_step(uint64_t pc, const struct signal_context *context);

/* A tick of the script's budget, true when it is spent. */
int budget_spent(void);

#endif
