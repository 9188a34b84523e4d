/*
 * aarch64 for the common code (see platform.h).
 */
#ifndef RIG_RUNNER_AARCH64_PLATFORM_H
#define RIG_RUNNER_AARCH64_PLATFORM_H

#include <stddef.h>
#include <stdint.h>

#define ARCHITECTURE 3u

/* Below 2^39, where some kernels' addresses end; above images, below the kernel's mappings. */
#define ARENA 0x2000000000ull
#define TABLE 0x2200000000ull
#define STACK 0x2300000000ull

#define STEPS_BY_TRAPS 1
#define EXTENDED_BITS 8u
#define PHASE_BYTES 16u
#define PAIR_WORDS 1u
#define RED_ZONE 0u

enum {
    CALL_FTRUNCATE = 46, CALL_CLOSE = 57, CALL_READ = 63, CALL_WRITE = 64, CALL_EXIT_GROUP = 94,
    CALL_SETITIMER = 103, CALL_SIGALTSTACK = 132, CALL_SIGACTION = 134, CALL_SIGPROCMASK = 135, CALL_PRCTL = 167,
    CALL_MUNMAP = 215, CALL_CLONE = 220, CALL_MMAP = 222, CALL_MPROTECT = 226, CALL_WAIT4 = 260,
    CALL_MEMFD_CREATE = 279, CALL_CLOCK_GETTIME = 113,
};

static inline long system_call(long number, long a, long b, long c, long d, long e, long f) {
    register long x8 __asm__("x8") = number;
    register long x0 __asm__("x0") = a;
    register long x1 __asm__("x1") = b;
    register long x2 __asm__("x2") = c;
    register long x3 __asm__("x3") = d;
    register long x4 __asm__("x4") = e;
    register long x5 __asm__("x5") = f;
    __asm__ volatile("svc #0"
                     : "+r"(x0)
                     : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
                     : "memory");
    return x0;
}

/* brk #0 */
static inline const char *trap_bytes(unsigned size) {
    return size == 4 ? "\x00\x00\x20\xd4" : NULL;
}

/* Arm ARM, B2.4.4: the sequence for one core, with the smallest line that CTR_EL0 may tell. */
static inline void flush_text(const void *text, size_t size) {
    const uintptr_t line = 16, end = (uintptr_t)text + size;
    for (uintptr_t at = (uintptr_t)text & -line; at < end; at += line)
        __asm__ volatile("dc cvau, %0" : : "r"(at) : "memory");
    __asm__ volatile("dsb ish" : : : "memory");
    for (uintptr_t at = (uintptr_t)text & -line; at < end; at += line)
        __asm__ volatile("ic ivau, %0" : : "r"(at) : "memory");
    __asm__ volatile("dsb ish\n\tisb" : : : "memory");
}

#endif
