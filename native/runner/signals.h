/*
 * Signals of a child: crashes and ticks are reported, traps go to the machine.
 */
#ifndef RIG_RUNNER_SIGNALS_H
#define RIG_RUNNER_SIGNALS_H

#include <stdint.h>

enum { BY_KERNEL = 0x80 }; /* si_code */

/* The kernel's siginfo_t as far as a fault's address. */
struct signal_info {
    int32_t number, error, code;
    void *address;
};

/* Handlers on a stack of their own. */
void catch_signals(void);

#endif
