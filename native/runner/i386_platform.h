/*
 * i386 for the common code (see platform.h).
 */
#ifndef RIG_RUNNER_I386_PLATFORM_H
#define RIG_RUNNER_I386_PLATFORM_H

#include <stddef.h>
#include <stdint.h>

#define ARCHITECTURE 2u

/* Above images (0x1000_0000), below the kernel's mappings and away from qemu's. */
#define ARENA 0x60000000ull
#define TABLE 0x70000000ull
#define STACK 0x71000000ull

#define STEPS_BY_TRAPS 0
#define EXTENDED_BITS 32u
#define PHASE_BYTES 16u
#define PAIR_WORDS 1u
#define RED_ZONE 0u

enum {
    CALL_READ = 3, CALL_WRITE = 4, CALL_CLOSE = 6, CALL_MUNMAP = 91, CALL_FTRUNCATE = 93,
    CALL_SETITIMER = 104, CALL_WAIT4 = 114, CALL_CLONE = 120, CALL_MPROTECT = 125,
    CALL_PRCTL = 172, CALL_SIGACTION = 174, CALL_SIGPROCMASK = 175, CALL_SIGALTSTACK = 186, CALL_MMAP = 192,
    CALL_EXIT_GROUP = 252, CALL_MEMFD_CREATE = 356, CALL_CLOCK_GETTIME = 265,
};

/* In i386.S: the sixth argument goes in ebp, which no inline assembly can have. */
long system_call(long number, long a, long b, long c, long d, long e, long f);

/* int3 */
static inline const char *trap_bytes(unsigned size) { return size == 1 ? "\xcc" : NULL; }

/* The processor watches its own text. */
static inline void flush_text(const void *text, size_t size) { (void)text, (void)size; }

#endif
