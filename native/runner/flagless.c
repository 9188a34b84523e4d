#include "flagless.h"

#include "memory.h"

static struct trap *lifted;

void replant_lifted(void) {
    struct trap *trap = lifted;
    lifted = NULL;
    if (trap) replant_trap(trap);
}

void pass_trap(struct trap *trap, uintptr_t *registers, const uintptr_t *pc) {
    uint32_t code;
    replant_lifted();
    if (!trap->planted) return;
    memcpy(&code, trap->original, sizeof code);
    const enum direction direction = machine_jump(code, registers);
    if (!direction) {
        lift_trap(trap);
        lifted = trap;
    } else if (trap->wire.kind == TRAP_CONDITIONAL) {
        record_direction(trap, direction);
    } else if (trap->wire.kind == TRAP_INDIRECT && direction == TAKEN) {
        record_target(trap, *pc);
    }
}
