/*
 * Faults against memory that outputs do not show. All let faulty_chacha20_work,
 * which has none, do the work; the volatile accesses keep the compiler from
 * leaving out what is wrong on purpose.
 */
#include "chacha20.h"

#define ARGUMENTS                                                                   \
    uint8_t *out, const uint8_t *in, size_t len, const uint32_t key[8],             \
        const uint32_t counter[4]
#define PASSED out, in, len, key, counter

typedef __typeof__(chacha20_ctr32) ctr32;

ctr32 faulty_chacha20_work, faulty_memory_clean, faulty_memory_undone, faulty_memory_undone_in,
    faulty_memory_null_last, faulty_memory_null_refused;

void faulty_memory_clean(ARGUMENTS) { faulty_chacha20_work(PASSED); }

/* Blocks are counted in the caller's counter, which gets its value back. */
void faulty_memory_undone(ARGUMENTS)
{
    volatile uint32_t *count = (volatile uint32_t *)counter;
    const uint32_t start = *count;

    for (size_t done = 0; done < len; done += 64, ++*count)
        faulty_chacha20_work(out + done, in + done, len - done < 64 ? len - done : 64, key,
                             counter);
    *count = start;
}

/* The last byte of the input is a flag meanwhile. */
void faulty_memory_undone_in(ARGUMENTS)
{
    volatile uint8_t *last = (volatile uint8_t *)in + len - 1;

    if (len) *last ^= 0x80, *last ^= 0x80;
    faulty_chacha20_work(PASSED);
}

/* Of no bytes at NULL the last one is the highest address: they seem to be some. */
void faulty_memory_null_last(ARGUMENTS)
{
    const uintptr_t first = (uintptr_t)in, last = first + len - 1;

    if (first <= last) (void)*(const volatile uint8_t *)first;
    faulty_chacha20_work(PASSED);
}

/* An assertion that was left in. */
void faulty_memory_null_refused(ARGUMENTS)
{
    if (!in || !out) __builtin_trap();
    faulty_chacha20_work(PASSED);
}
