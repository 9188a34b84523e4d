/*
 * Variants that do not come back from one length, the twin of all being finishes.
 * No source but the sweep has that length, and the sweep has it once.
 */
#include "chacha20.h"

enum { FATAL_LENGTH = 4095 };
enum { CALL_GETPID = 39, CALL_KILL = 62, CALL_EXIT_GROUP = 231 };
enum { SIGNAL_KILL = 9, STATUS = 3 };

enum fault { NONE, CRASH, CRASH_WILD, ILLEGAL, ENDLESS, EXITS, KILLED };

__typeof__(chacha20_ctr32) faulty_chacha20_work;

static inline long system_call(long number, long first, long second)
{
    __asm__ volatile("syscall"
                     : "+a"(number)
                     : "D"(first), "S"(second)
                     : "rcx", "r11", "memory");
    return number;
}

static inline __attribute__((always_inline)) void end(enum fault fault)
{
    volatile int forever = 1;

    switch (fault) {
    case NONE: return;
    case CRASH: *(volatile uint8_t *)0x123456789abc = 0; return;
    case CRASH_WILD: *(volatile uint8_t *)0x123456789abcdef0 = 0; return; /* not canonical */
    case ILLEGAL: __asm__ volatile("ud2"); return;
    case ENDLESS:
        while (forever)
            ;
        return;
    case EXITS: system_call(CALL_EXIT_GROUP, STATUS, 0); return;
    case KILLED: system_call(CALL_KILL, system_call(CALL_GETPID, 0, 0), SIGNAL_KILL); return;
    }
}

#define VARIANT(name, fault)                                                                 \
    __typeof__(chacha20_ctr32) faulty_chacha20_##name;                                       \
    void faulty_chacha20_##name(uint8_t *out, const uint8_t *in, size_t len,                 \
                                const uint32_t key[8], const uint32_t counter[4])            \
    {                                                                                        \
        if (len == FATAL_LENGTH)                                                             \
            end(fault);                                                                      \
        faulty_chacha20_work(out, in, len, key, counter);                                    \
    }

VARIANT(finishes, NONE)
VARIANT(crash, CRASH)
VARIANT(crash_wild, CRASH_WILD)
VARIANT(illegal, ILLEGAL)
VARIANT(endless, ENDLESS)
VARIANT(exits, EXITS)
VARIANT(killed, KILLED)
