/*
 * x86_64 for the common code (see platform.h).
 */
#ifndef RIG_RUNNER_X86_64_PLATFORM_H
#define RIG_RUNNER_X86_64_PLATFORM_H

#include <stddef.h>
#include <stdint.h>

#define ARCHITECTURE 1u

/* Far above images (0x1_0000_0000) and far below the kernel's mappings. */
#define ARENA 0x200000000000ull
#define TABLE 0x200200000000ull
#define STACK 0x200300000000ull

#define STEPS_BY_TRAPS 0
#define EXTENDED_BITS 32u
#define PHASE_BYTES 16u
#define PAIR_WORDS 1u
#define RED_ZONE 128u
#define MICROSOFT __attribute__((ms_abi))

enum {
    CALL_READ = 0, CALL_WRITE = 1, CALL_CLOSE = 3, CALL_MMAP = 9, CALL_MPROTECT = 10,
    CALL_MUNMAP = 11, CALL_SIGACTION = 13, CALL_SIGPROCMASK = 14, CALL_SETITIMER = 38,
    CALL_CLONE = 56, CALL_WAIT4 = 61, CALL_FTRUNCATE = 77, CALL_SIGALTSTACK = 131, CALL_PRCTL = 157,
    CALL_EXIT_GROUP = 231, CALL_MEMFD_CREATE = 319, CALL_CLOCK_GETTIME = 228,
};

static inline long system_call(long number, long a, long b, long c, long d, long e, long f) {
    register long r10 __asm__("r10") = d;
    register long r8 __asm__("r8") = e;
    register long r9 __asm__("r9") = f;
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return result;
}

/* int3 */
static inline const char *trap_bytes(unsigned size) { return size == 1 ? "\xcc" : NULL; }

/* The processor watches its own text. */
static inline void flush_text(const void *text, size_t size) { (void)text, (void)size; }

#endif
