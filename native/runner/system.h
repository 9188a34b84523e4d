/*
 * The system calls that the runner makes. Results are the kernel's: -errno on
 * failure. Numbers and calling sequence are the platform's; CALL_MMAP is mmap2 on 32 bits.
 */
#ifndef RIG_RUNNER_SYSTEM_H
#define RIG_RUNNER_SYSTEM_H

#include "platform.h"

enum { ERROR_INTERRUPTED = 4, ERROR_EXISTS = 17 };
enum { READABLE = 1, WRITABLE = 2 };
enum { SHARED = 1, PRIVATE = 2 };
enum {
    SIGNAL_ILL = 4, SIGNAL_TRAP = 5, SIGNAL_ABRT = 6, SIGNAL_BUS = 7, SIGNAL_FPE = 8,
    SIGNAL_KILL = 9, SIGNAL_SEGV = 11, SIGNAL_CHLD = 17, SIGNAL_VTALRM = 26, SIGNAL_SYS = 31,
};

_Noreturn static inline void exit_process(int code) {
    for (;;) system_call(CALL_EXIT_GROUP, code, 0, 0, 0, 0, 0);
}

/* A result that is an errno and no address: those of 32 bits may lie in the upper half. */
static inline int is_error(long result) { return (unsigned long)result > -4096ul; }

/* Of a file, from offset on. */
struct part {
    long file;
    uint64_t offset;
};

/* Memory that costs nothing until it is touched; `address` 0 is anywhere. */
static inline long map_as(uint64_t address, uint64_t size, int protection, int flags,
                          struct part part) {
    const int no_reserve = 0x4000, fixed_no_replace = 0x100000;
    const uint64_t unit = sizeof(long) == 4 ? 4096 : 1; /* of the offset */
    flags |= no_reserve | (address ? fixed_no_replace : 0);
    long got = system_call(CALL_MMAP, (long)address, (long)size, protection, flags, part.file,
                           (long)(part.offset / unit));
    if (is_error(got) || !address || (uintptr_t)got == address) return got;
    system_call(CALL_MUNMAP, got, (long)size, 0, 0, 0, 0); /* a kernel before 4.17, or qemu */
    return -ERROR_EXISTS;
}

static inline long map_memory(uint64_t address, uint64_t size, int protection, int sharing) {
    const int anonymous = 0x20;
    return map_as(address, size, protection, sharing | anonymous, (struct part){-1, 0});
}

static inline long map_part(uint64_t address, uint64_t size, int protection, struct part part) {
    return map_as(address, size, protection, SHARED, part);
}

/* Of 2 GiB at most. */
static inline long resize_file(long file, uint64_t size) {
    return system_call(CALL_FTRUNCATE, file, (long)size, 0, 0, 0, 0);
}

static inline void unmap_memory(const void *address, uint64_t size) {
    system_call(CALL_MUNMAP, (long)address, (long)size, 0, 0, 0, 0);
}

static inline long protect_memory(uint64_t address, uint64_t size, int protection) {
    return system_call(CALL_MPROTECT, (long)address, (long)size, protection, 0, 0, 0);
}

/* Whether 8 bytes there can be read: the kernel copies them before it refuses the way. */
static inline int readable(uint64_t address) {
    const int unknown_way = -1, bad_address = 14;
    if (!address) return 0; /* it would be no set at all */
    return system_call(CALL_SIGPROCMASK, unknown_way, (long)address, 0, 8, 0, 0) != -bad_address;
}

/* Nanoseconds that this thread has had of a CPU: what others take meanwhile does not count. */
static inline uint64_t thread_time(void) {
    const int thread = 3;
    long time[2] = {0}; /* seconds, nanoseconds */
    system_call(CALL_CLOCK_GETTIME, thread, (long)time, 0, 0, 0, 0);
    return (uint64_t)time[0] * 1000000000u + (uint64_t)time[1];
}

/* 0 in the child, its process id in the parent. */
static inline long fork_process(void) {
    return system_call(CALL_CLONE, SIGNAL_CHLD, 0, 0, 0, 0, 0);
}

#endif
