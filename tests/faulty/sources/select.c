/*
 * Dispatchers over clean, and wide where RDRAND is there, each with a fault.
 * NAME_select_chacha20 is the one with that fault, or without.
 */
#include "chacha20.h"

enum fault { NONE, FORGETS, UNDECLARED, LENGTH };
enum { RDRAND = 1u << 30 /* word 1 */, BMI2 = 1u << 8 /* word 2 */ };

extern uint32_t faulty_ia32cap[10];

__typeof__(chacha20_ctr32) faulty_chacha20_clean, faulty_chacha20_wide;

static inline __attribute__((always_inline)) void choose(enum fault fault, void **table,
                                                         size_t len)
{
    int wide = (faulty_ia32cap[1] & RDRAND) != 0;

    if (fault == FORGETS)
        wide = 0;
    if (fault == UNDECLARED && faulty_ia32cap[2] & BMI2)
        wide = 0;
    if (fault == LENGTH && len > 1000)
        wide = 1;
    table[0] = wide ? (void *)faulty_chacha20_wide : (void *)faulty_chacha20_clean;
}

#define DISPATCHER(name, fault)                          \
    void name##_select_chacha20(void **table, size_t len); \
    void name##_select_chacha20(void **table, size_t len) { choose(fault, table, len); }

DISPATCHER(clean, NONE)
DISPATCHER(forgets, FORGETS)
DISPATCHER(undeclared, UNDECLARED)
DISPATCHER(length, LENGTH)
