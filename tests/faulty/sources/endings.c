/*
 * Variants that do not come back from one length, or not by themselves, the twin of all being
 * finishes.
 * No source but the sweep has that length, and the sweep has it once.
 */
#include "chacha20.h"

enum { FATAL_LENGTH = 4095 };
#if defined(__x86_64__)
enum { CALL_GETPID = 39, CALL_KILL = 62, CALL_EXIT_GROUP = 231 };
#elif defined(__i386__)
enum { CALL_GETPID = 20, CALL_KILL = 37, CALL_EXIT_GROUP = 252 };
#elif defined(__aarch64__)
enum { CALL_GETPID = 172, CALL_KILL = 129, CALL_EXIT_GROUP = 94 };
#else
enum { CALL_GETPID = 20, CALL_KILL = 37, CALL_EXIT_GROUP = 248 };
#endif
enum { SIGNAL_KILL = 9, STATUS = 3 };

enum fault { NONE, CRASH, CRASH_WILD, ILLEGAL, ENDLESS, EXITS, KILLED };

__typeof__(chacha20_ctr32) faulty_chacha20_work;

static inline long system_call(long number, long first, long second)
{
#if defined(__x86_64__)
    __asm__ volatile("syscall"
                     : "+a"(number)
                     : "D"(first), "S"(second)
                     : "rcx", "r11", "memory");
    return number;
#elif defined(__i386__)
    __asm__ volatile("int $0x80" : "+a"(number) : "b"(first), "c"(second) : "memory");
    return number;
#else
#if defined(__aarch64__)
    register long call __asm__("x8") = number, a __asm__("x0") = first, b __asm__("x1") = second;
#else
    register long call __asm__("r7") = number, a __asm__("r0") = first, b __asm__("r1") = second;
#endif
    __asm__ volatile("svc #0" : "+r"(a) : "r"(call), "r"(b) : "memory");
    return a;
#endif
}

static inline __attribute__((always_inline)) void end(enum fault fault)
{
    volatile int forever = 1;

    switch (fault) {
    case NONE: return;
    case CRASH: *(volatile uint8_t *)(uintptr_t)0x123456789abc = 0; return;
    case CRASH_WILD: /* not canonical */
        *(volatile uint8_t *)(uintptr_t)0x123456789abcdef0 = 0;
        return;
#if defined(__x86_64__) || defined(__i386__)
    case ILLEGAL: __asm__ volatile("ud2"); return;
#else
    case ILLEGAL: __asm__ volatile("udf #0"); return;
#endif
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
    __attribute__((noinline))                                                                \
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

/* Comes back, by way of another variant. */
__typeof__(chacha20_ctr32) faulty_chacha20_strays;
void faulty_chacha20_strays(uint8_t *out, const uint8_t *in, size_t len, const uint32_t key[8],
                            const uint32_t counter[4])
{
    if (len == FATAL_LENGTH)
        faulty_chacha20_finishes(out, in, len, key, counter);
    else
        faulty_chacha20_work(out, in, len, key, counter);
}
