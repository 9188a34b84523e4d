/*
 * The capability vector of ARM from what Linux tells a process: AT_HWCAP and
 * AT_HWCAP2 of the auxiliary vector, whose bits are in the kernel's
 * arch/arm64/include/uapi/asm/hwcap.h and arch/arm/include/uapi/asm/hwcap.h.
 * What the vector's bits mean: capabilities.h.
 */
#if defined(__aarch64__) || defined(__arm__)

#include <stddef.h>

#include "capabilities.h"
#include "once.h"

#define AT_NULL 0
#define AT_HWCAP 16
#define AT_HWCAP2 26

#define NEON 0
#define AES 2
#define SHA1 3
#define SHA256 4
#define PMULL 5
#define SHA512 6
#define CPUID 7
#define RNG 8
#define SM3 9
#define SM4 10
#define SHA3 11
#define SVE 13
#define SVE2 14
#define DIT 18

/* The bits that say nothing of vector registers. */
#define SCALAR ((uint32_t)1 << CPUID | (uint32_t)1 << RNG | (uint32_t)1 << DIT)

struct flag {
    unsigned char flag, capability;
};

#if defined(__aarch64__)
static const struct flag hwcap_flags[] = {
    {1, NEON}, {3, AES},  {4, PMULL}, {5, SHA1},    {6, SHA256}, {11, CPUID},
    {17, SHA3}, {18, SM3}, {19, SM4},  {21, SHA512}, {22, SVE},   {24, DIT},
};
static const struct flag hwcap2_flags[] = {{1, SVE2}, {16, RNG}};
#else
static const struct flag hwcap_flags[] = {{12, NEON}};
static const struct flag hwcap2_flags[] = {{0, AES}, {1, PMULL}, {2, SHA1}, {3, SHA256}};
#endif

static uint32_t take(unsigned long word, const struct flag *flags, size_t count)
{
    uint32_t vector = 0;

    for (size_t i = 0; i < count; i++)
        vector |= (uint32_t)(word >> flags[i].flag & 1) << flags[i].capability;
    return vector;
}

uint32_t rig_armcap_from_hwcap(unsigned long hwcap, unsigned long hwcap2)
{
    const uint32_t vector =
        take(hwcap, hwcap_flags, sizeof hwcap_flags / sizeof hwcap_flags[0]) |
        take(hwcap2, hwcap2_flags, sizeof hwcap2_flags / sizeof hwcap2_flags[0]);

    return vector >> NEON & 1 ? vector : vector & SCALAR;
}

enum {
#if defined(__aarch64__)
    CALL_OPENAT = 56,
    CALL_CLOSE = 57,
    CALL_READ = 63,
#else
    CALL_READ = 3,
    CALL_CLOSE = 6,
    CALL_OPENAT = 322,
#endif
};

/* A negative errno where the kernel refuses. */
static long system_call(long number, long a, long b, long c)
{
#if defined(__aarch64__)
    register long call __asm__("x8") = number;
    register long first __asm__("x0") = a;
    register long second __asm__("x1") = b;
    register long third __asm__("x2") = c;
    register long fourth __asm__("x3") = 0;
#else
    register long call __asm__("r7") = number;
    register long first __asm__("r0") = a;
    register long second __asm__("r1") = b;
    register long third __asm__("r2") = c;
    register long fourth __asm__("r3") = 0;
#endif

    __asm__ volatile("svc #0"
                     : "+r"(first)
                     : "r"(call), "r"(second), "r"(third), "r"(fourth)
                     : "memory");
    return first;
}

struct entry {
    unsigned long type, value;
};

/* There is no libc here that would have kept the auxiliary vector; getauxval(3) tells the
 * same. What cannot be read is 0: nothing may be used. */
static void read_hwcap(unsigned long *hwcap, unsigned long *hwcap2)
{
    const long directory = -100; /* AT_FDCWD, which an absolute path leaves alone */
    const long file = system_call(CALL_OPENAT, directory, (long)"/proc/self/auxv", 0);
    struct entry entry;

    *hwcap = *hwcap2 = 0;
    if (file < 0)
        return;
    while (system_call(CALL_READ, file, (long)&entry, sizeof entry) == sizeof entry
           && entry.type != AT_NULL) {
        if (entry.type == AT_HWCAP)
            *hwcap = entry.value;
        if (entry.type == AT_HWCAP2)
            *hwcap2 = entry.value;
    }
    system_call(CALL_CLOSE, file, 0, 0);
}

static void fill(void)
{
    unsigned long hwcap, hwcap2;

    read_hwcap(&hwcap, &hwcap2);
    rig_armcap = rig_armcap_from_hwcap(hwcap, hwcap2);
}

void rig_armcap_init(void)
{
    static int progress;

    rig_once(&progress, fill);
}

#endif
