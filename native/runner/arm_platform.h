/*
 * arm, EABI, for the common code (see platform.h).
 */
#ifndef RIG_RUNNER_ARM_PLATFORM_H
#define RIG_RUNNER_ARM_PLATFORM_H

#include <stddef.h>
#include <stdint.h>

#define ARCHITECTURE 4u

/* Above images (0x1000_0000), below the kernel's mappings and away from qemu's. */
#define ARENA 0x60000000ull
#define TABLE 0x70000000ull
#define STACK 0x71000000ull

#define STEPS_BY_TRAPS 1
#define EXTENDED_BITS 32u
#define PHASE_BYTES 24u
#define PAIR_WORDS 2u
#define RED_ZONE 0u

enum {
    CALL_READ = 3, CALL_WRITE = 4, CALL_CLOSE = 6, CALL_MUNMAP = 91, CALL_FTRUNCATE = 93,
    CALL_SETITIMER = 104, CALL_WAIT4 = 114, CALL_CLONE = 120, CALL_MPROTECT = 125,
    CALL_PRCTL = 172, CALL_SIGACTION = 174, CALL_SIGPROCMASK = 175, CALL_SIGALTSTACK = 186, CALL_MMAP = 192,
    CALL_EXIT_GROUP = 248, CALL_MEMFD_CREATE = 385, CALL_CLOCK_GETTIME = 263, CALL_CACHEFLUSH = 0xf0002,
};

static inline long system_call(long number, long a, long b, long c, long d, long e, long f) {
    register long r7 __asm__("r7") = number;
    register long r0 __asm__("r0") = a;
    register long r1 __asm__("r1") = b;
    register long r2 __asm__("r2") = c;
    register long r3 __asm__("r3") = d;
    register long r4 __asm__("r4") = e;
    register long r5 __asm__("r5") = f;
    __asm__ volatile("svc #0"
                     : "+r"(r0)
                     : "r"(r7), "r"(r1), "r"(r2), "r"(r3), "r"(r4), "r"(r5)
                     : "memory");
    return r0;
}

/* The undefined instructions that Linux answers with SIGTRAP: A32, and T16 in Thumb text. */
static inline const char *trap_bytes(unsigned size) {
    if (size == 4) return "\xf0\x01\xf0\xe7";
    return size == 2 ? "\x01\xde" : NULL;
}

static inline void flush_text(const void *text, size_t size) {
    system_call(CALL_CACHEFLUSH, (long)text, (long)text + (long)size, 0, 0, 0, 0);
}

#endif
