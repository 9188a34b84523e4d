/*
 * Leaves whose results are wrong behind a condition that no sweep of lengths
 * meets. The work is that of ../../faulty.
 */
#include "chacha20.h"
#include "poly1305.h"

#define ARGUMENTS                                                                   \
    uint8_t *out, const uint8_t *in, size_t len, const uint32_t key[8],             \
        const uint32_t counter[4]

/* Volatile, so that what leads here stays a jump. */
static inline void spoil(uint8_t *byte)
{
    *(volatile uint8_t *)byte ^= 1;
}

__typeof__(chacha20_ctr32) faulty_chacha20_work;

#define CHACHA20(name, condition)                           \
    __typeof__(chacha20_ctr32) deep_chacha20_##name;        \
    void deep_chacha20_##name(ARGUMENTS)                    \
    {                                                       \
        faulty_chacha20_work(out, in, len, key, counter);   \
        if (condition)                                      \
            spoil(out);                                     \
    }

/* The nested conditions must stay jumps, so that each is reached by itself. */
static inline int nested(size_t len, const uint32_t *key, const uint32_t *counter)
{
    if (len < 3000)
        return 0;
    __asm__ volatile("");
    if ((uintptr_t)key % 64 != 16)
        return 0;
    __asm__ volatile("");
    return counter[1] == 0xffffffff;
}

CHACHA20(clean, 0)
CHACHA20(wide, len > 4999)
CHACHA20(exact, len == 7777)
CHACHA20(placed, (uintptr_t)key % 64 == 20 && len)
CHACHA20(nested, nested(len, key, counter))

__typeof__(poly1305_init) faulty_poly1305_init_clean;
__typeof__(poly1305_blocks) faulty_poly1305_blocks_clean;
__typeof__(poly1305_emit) faulty_poly1305_emit_clean;

enum { STARTED = 64 }; /* the context's byte that says so, behind the work's own */

#define POLY1305(name, fault)                                                                   \
    __typeof__(poly1305_init) deep_poly1305_init_##name;                                        \
    __typeof__(poly1305_blocks) deep_poly1305_blocks_##name;                                    \
    __typeof__(poly1305_emit) deep_poly1305_emit_##name;                                        \
    void deep_poly1305_init_##name(void *ctx, const uint8_t key[16])                            \
    {                                                                                           \
        faulty_poly1305_init_clean(ctx, key);                                                   \
        ((uint8_t *)ctx)[STARTED] = 0;                                                          \
    }                                                                                           \
    void deep_poly1305_blocks_##name(void *ctx, const uint8_t *in, size_t len, uint32_t padbit) \
    {                                                                                           \
        uint8_t *bytes = ctx;                                                                   \
        faulty_poly1305_blocks_clean(ctx, in, len, padbit);                                     \
        if (fault && padbit && len && bytes[STARTED])                                           \
            spoil(bytes + 8); /* the accumulator, as if a carry had been lost */                \
        bytes[STARTED] |= len != 0;                                                             \
    }                                                                                           \
    void deep_poly1305_emit_##name(void *ctx, uint8_t mac[16], const uint32_t nonce[4])         \
    {                                                                                           \
        faulty_poly1305_emit_clean(ctx, mac, nonce);                                            \
    }

POLY1305(clean, 0)
POLY1305(resumed, 1)
