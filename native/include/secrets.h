/*
 * What portable code needs to handle secrets: erasure that the optimiser keeps,
 * a comparison whose time does not depend on what differs, and the refusal of
 * a forgery.
 */
#ifndef RIG_SECRETS_H
#define RIG_SECRETS_H

#include <stddef.h>
#include <stdint.h>

/* The empty assembly "reads" the memory, so the stores before it are not dead. */
static inline void wipe(void *secret, size_t len)
{
    __builtin_memset(secret, 0, len);
    __asm__ volatile("" : : "r"(secret) : "memory");
}

/* 0 if equal. A shorter tag is compared zero-padded on both sides. The empty assembly hides the
   difference: a caller that branches on it would otherwise be compiled to a branch for each word,
   so that the time tells which word differs first. */
static inline uintptr_t tags_differ(const uint8_t a[16], const uint8_t b[16])
{
    uintptr_t difference = 0, x, y;

    for (unsigned i = 0; i < 16; i += sizeof x) {
        __builtin_memcpy(&x, a + i, sizeof x);
        __builtin_memcpy(&y, b + i, sizeof y);
        difference |= x ^ y;
        __asm__("" : "+r"(difference));
    }
    return difference;
}

/* Whether both have some of the same memory, but are not the same. */
static inline int shares_in_part(const uint8_t *out, const uint8_t *in, size_t len)
{
    const uintptr_t a = (uintptr_t)out, b = (uintptr_t)in, distance = a > b ? a - b : b - a;

    return distance != 0 && distance < len;
}

/* What open answers instead of a plaintext. */
static inline int refuse(uint8_t *out, size_t len)
{
    if (len)
        __builtin_memset(out, 0, len);
    return -1;
}

#endif
