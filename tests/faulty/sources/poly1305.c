/*
 * Poly1305 (RFC 8439 section 2.5) on two words of 64 bits and a third of a few
 * bits, with one fault for each variant. clean is the same source without it.
 */
#include "poly1305.h"
#include "words.h"

typedef unsigned __int128 uint128;

enum fault { NONE, LAST_CARRY, UNSET, PADBIT, REDUCES, REUSED, STATIC, EMPTY, ODD, TURNED };

struct poly1305 {
    uint64_t r[2], h[3], before[2]; /* what the last call left: USED, the number of blocks */
};

#define USED UINT64_C(0x75736564)

#define INLINE static inline __attribute__((always_inline))

/* Between calls the accumulator lies in the context in another form than clean's. */
INLINE void turn(enum fault fault, uint64_t h[3])
{
    if (fault == TURNED)
        h[0] = ~h[0];
}

INLINE void init(enum fault fault, struct poly1305 *poly, const uint8_t key[16])
{
    poly->r[0] = load64_le(key) & 0x0ffffffc0fffffff;
    poly->r[1] = load64_le(key + 8) & 0x0ffffffc0ffffffc;
    poly->h[0] = poly->h[1] = 0;
    if (fault != UNSET)
        poly->h[2] = 0;
    /* Set up again, it goes on where it was. */
    if (fault == REUSED && poly->before[0] == USED)
        poly->h[0] = poly->before[1];
    poly->before[0] = poly->before[1] = 0;
    turn(fault, poly->h);
}

static inline void add(uint64_t h[3], uint64_t low, uint64_t high, uint64_t top)
{
    uint128 sum = (uint128)h[0] + low;

    h[0] = (uint64_t)sum;
    sum = (uint128)h[1] + high + (uint64_t)(sum >> 64);
    h[1] = (uint64_t)sum;
    h[2] += top + (uint64_t)(sum >> 64);
}

/* r[1] is a multiple of 4 and 2^130 = 5, so that r[1] * 2^128 is r[1] + r[1] / 4. */
INLINE void multiply(enum fault fault, uint64_t h[3], const uint64_t r[2])
{
    const uint64_t wrap = r[1] + (r[1] >> 2);
    const uint128 low = (uint128)h[0] * r[0] + (uint128)h[1] * wrap;
    const uint128 high = (uint128)h[0] * r[1] + (uint128)h[1] * r[0] + (uint128)h[2] * wrap +
                         (uint64_t)(low >> 64);
    const uint64_t top = h[2] * r[0] + (uint64_t)(high >> 64);
    const uint64_t kept = top & 3, over = (top >> 2) + (top & ~(uint64_t)3);

    h[0] = (uint64_t)low;
    h[1] = (uint64_t)high;
    h[2] = kept;
    add(h, over, 0, 0);
    if (fault == LAST_CARRY)
        h[2] = kept;
}

INLINE void blocks(enum fault fault, struct poly1305 *poly, const uint8_t *in, size_t len,
                   uint64_t padbit)
{
    static uint64_t shared[3]; /* of all contexts, where one of each was meant */
    uint64_t h[3] = {poly->h[0], poly->h[1], poly->h[2]};
    const uint64_t count = len / 16;

    turn(fault, h);
    if (fault == STATIC && poly->before[0] == USED)
        __builtin_memcpy(h, shared, sizeof h);
    if (fault == EMPTY && !len)
        h[0] = h[1] = h[2] = 0;
    /* The odd block of the call before is still in the other lane. */
    if (fault == ODD && padbit && poly->before[1] > 1 && poly->before[1] % 2)
        h[2] = 0;
    for (; len; in += 16, len -= 16) {
        add(h, load64_le(in), load64_le(in + 8), padbit);
        multiply(fault, h, poly->r);
    }
    turn(fault, h);
    __builtin_memcpy(poly->h, h, sizeof h);
    __builtin_memcpy(shared, h, sizeof h);
    poly->before[0] = USED, poly->before[1] = count;
}

/* h < 2 * (2^130 - 5). */
INLINE void emit(enum fault fault, const struct poly1305 *poly, uint8_t mac[16],
                 const uint32_t nonce[4])
{
    uint64_t h[3] = {poly->h[0], poly->h[1], poly->h[2]}, g[3];

    turn(fault, h);
    __builtin_memcpy(g, h, sizeof g);
    add(g, 5, 0, 0);
    if (g[2] >> 2) {
        __builtin_memcpy(h, g, sizeof h);
        if (fault == REDUCES)
            __asm__ volatile("nop"); /* so that it is a branch */
    }
    add(h, (uint64_t)nonce[1] << 32 | nonce[0], (uint64_t)nonce[3] << 32 | nonce[2], 0);
    store64_le(mac, h[0]);
    store64_le(mac + 8, h[1]);
}

/* padbit_type wider than the contract's takes in what the caller left above it. */
#define VARIANT(name, fault, padbit_type)                                                        \
    __typeof__(poly1305_init) faulty_poly1305_init_##name;                                       \
    __typeof__(poly1305_emit) faulty_poly1305_emit_##name;                                       \
    void faulty_poly1305_blocks_##name(void *, const uint8_t *, size_t, padbit_type);            \
    void faulty_poly1305_init_##name(void *ctx, const uint8_t key[16]) { init(fault, ctx, key); } \
    void faulty_poly1305_blocks_##name(void *ctx, const uint8_t *in, size_t len,                 \
                                       padbit_type padbit)                                       \
    {                                                                                            \
        blocks(fault, ctx, in, len, padbit);                                                     \
    }                                                                                            \
    void faulty_poly1305_emit_##name(void *ctx, uint8_t mac[16], const uint32_t nonce[4])        \
    {                                                                                            \
        emit(fault, ctx, mac, nonce);                                                                   \
    }

VARIANT(clean, NONE, uint32_t)
VARIANT(last_carry, LAST_CARRY, uint32_t)
VARIANT(unset, UNSET, uint32_t)
VARIANT(padbit, PADBIT, uint64_t)
VARIANT(reduces, REDUCES, uint32_t)
VARIANT(reused, REUSED, uint32_t)
VARIANT(shared, STATIC, uint32_t)
VARIANT(empty, EMPTY, uint32_t)
VARIANT(odd, ODD, uint32_t)
VARIANT(same, NONE, uint32_t)
VARIANT(turned, TURNED, uint32_t)
