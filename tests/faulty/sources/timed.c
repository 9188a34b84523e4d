/*
 * ChaCha20 whose output is right and whose time tells of the key, in one way for each variant.
 * `clean` does the same with what is public, and works on secrets as constant-time code does. The
 * volatile accesses and the assembly keep the compiler from doing better.
 */
#include "chacha20.h"

enum fault { NONE, BRANCH, ZERO_KEY, LOOKUP, STORE, COPIES, PREFETCH, DIVIDE, HELPER, PREDICATE };

#define ARGUMENTS                                                       \
    uint8_t *out, const uint8_t *in, size_t len, const uint32_t key[8], \
        const uint32_t counter[4]
#define PASSED out, in, len, key, counter
#define INLINE static inline __attribute__((always_inline))

__typeof__(chacha20_ctr32) rig_chacha20_ctr32_generic;

static volatile uint8_t table[16384];

static void branch(uint32_t number)
{
    if (number & 1)
        __asm__ volatile("nop" : : : "memory");
}

/* A word that is a secret's or not, by a mask that is a secret's. */
static uint32_t choose(uint32_t number)
{
    uint32_t mask = 0 - (number & 1);

    __asm__("" : "+r"(mask));
    return (mask & number) | (~mask & (number >> 1));
}

static void copy(volatile uint8_t *to, size_t count)
{
#if defined(__x86_64__) || defined(__i386__)
    __asm__ volatile("rep stosb" : "+D"(to), "+c"(count) : "a"(0) : "memory");
#else
    for (; count; count--)
        *to++ = 0;
#endif
}

static void divide(uint32_t number)
{
    volatile uint32_t quotient;

#if defined(__arm__)
    __asm__ volatile(".arch_extension idiv\n\tudiv %0, %1, %2"
                     : "=r"(number)
                     : "r"(0xffffffff), "r"(number | 1));
    quotient = number;
#else
    quotient = UINT32_C(0xffffffff) / (number | 1);
#endif
    (void)quotient;
}

/* On machines of 32 bits a function that the compiler calls divides. */
static void divide_long(uint32_t number)
{
    volatile uint64_t quotient = UINT64_C(0xffffffffffffffff) / (number | (uint64_t)1 << 33);

    (void)quotient;
}

static void load_if(uint32_t number)
{
#if defined(__arm__)
    __asm__ volatile("tst %0, #1\n\tldrne r12, [%1]"
                     :
                     : "r"(number), "r"(table)
                     : "r12", "cc", "memory");
#else
    (void)number;
#endif
}

INLINE void show(enum fault fault, uint32_t number)
{
    switch (fault) {
    case NONE: break;
    case BRANCH: branch(number); break;
    case ZERO_KEY: branch(number == 0); break;
    case LOOKUP: (void)table[number & 0xff]; break;
    case STORE: table[number >> 24 << 2] = 0; break;
    case COPIES: copy(table, number & 15); break;
    case PREFETCH: __builtin_prefetch((const void *)(table + (number >> 24) * 64)); break;
    case DIVIDE: divide(number); break;
    case HELPER: divide_long(number); break;
    case PREDICATE: load_if(number); break;
    }
}

INLINE void ctr32(enum fault fault, ARGUMENTS)
{
    const enum fault all[] = {BRANCH, LOOKUP, STORE, COPIES, PREFETCH, DIVIDE, PREDICATE};

    rig_chacha20_ctr32_generic(PASSED);
    show(fault, *(const volatile uint32_t *)key);
    if (fault != NONE)
        return;
#pragma clang loop unroll(full)
    for (unsigned i = 0; i < sizeof all / sizeof *all; i++)
        show(all[i], counter[1]);
    branch(choose(key[0]) & 0);
}

#define VARIANT(name, fault)                              \
    __typeof__(chacha20_ctr32) faulty_timed_##name;       \
    void faulty_timed_##name(ARGUMENTS) { ctr32(fault, PASSED); }

VARIANT(clean, NONE)
VARIANT(branch, BRANCH)
VARIANT(zero_key, ZERO_KEY)
VARIANT(lookup, LOOKUP)
VARIANT(store, STORE)
VARIANT(copies, COPIES)
VARIANT(prefetch, PREFETCH)
VARIANT(divide, DIVIDE)
VARIANT(helper, HELPER)
VARIANT(predicate, PREDICATE)
