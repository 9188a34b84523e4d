/*
 * ChaCha20 (RFC 8439 section 2.4) with one fault for each variant. The fault is
 * a constant in each, so clean and wide are the same source without it. The
 * volatile accesses keep the compiler from repairing or exploiting what is
 * wrong on purpose.
 */
#include "chacha20.h"
#include "words.h"

enum fault {
    NONE,
    WRONG_TAIL,
    OVER_READ,
    UNDER_READ,
    OVER_WRITE,
    SCRIBBLE,
    IN_PLACE,
    MISALIGNED,
    NONCE_CARRY,
    COUNTER_ALIGNED,
    APART,
    WIDE_TAIL,
    WIDE_LANE,
    FEED_CARRY,
    CHUNK,
};

#define ARGUMENTS                                                                   \
    uint8_t *out, const uint8_t *in, size_t len, const uint32_t key[8],             \
        const uint32_t counter[4]
#define PASSED out, in, len, key, counter
#define INLINE static inline __attribute__((always_inline))

static inline uint32_t rotate(uint32_t x, int n) { return x << n | x >> (32 - n); }

static void quarter_round(uint32_t *s, int a, int b, int c, int d)
{
    s[a] += s[b], s[d] = rotate(s[d] ^ s[a], 16);
    s[c] += s[d], s[b] = rotate(s[b] ^ s[c], 12);
    s[a] += s[b], s[d] = rotate(s[d] ^ s[a], 8);
    s[c] += s[d], s[b] = rotate(s[b] ^ s[c], 7);
}

/* Section 2.3.1. */
INLINE void make_faulty_block(enum fault fault, uint8_t keystream[64], const uint32_t state[16])
{
    uint32_t s[16];

    __builtin_memcpy(s, state, sizeof s);
    for (int round = 0; round < 10; round++) {
        for (int i = 0; i < 4; i++)
            quarter_round(s, i, 4 + i, 8 + i, 12 + i);
        for (int i = 0; i < 4; i++)
            quarter_round(s, i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4);
    }
    /* As one addition of 64 bits does it. */
    if (fault == FEED_CARRY && s[12] + state[12] < s[12])
        s[13]++;
    for (int i = 0; i < 16; i++)
        store32_le(keystream + 4 * i, s[i] + state[i]);
}

static void make_block(uint8_t keystream[64], const uint32_t state[16])
{
    make_faulty_block(NONE, keystream, state);
}

static void set_up(uint32_t state[16], const uint32_t key[8], const uint32_t counter[4])
{
    state[0] = 0x61707865, state[1] = 0x3320646e, state[2] = 0x79622d32, state[3] = 0x6b206574;
    __builtin_memcpy(state + 4, key, 32);
    __builtin_memcpy(state + 12, counter, 16);
}

INLINE void advance(enum fault fault, uint32_t state[16])
{
    state[12]++;
    if (fault == NONCE_CARRY && state[12] == 0)
        state[13]++;
}

INLINE void combine(enum fault fault, uint8_t *out, const uint8_t *in, size_t len,
                    const uint8_t *keystream)
{
    if (fault == IN_PLACE) {
        /* Lost where in is out: the input, before it was read. */
        for (size_t i = 0; i < len; i++)
            ((volatile uint8_t *)out)[i] = keystream[i];
        for (size_t i = 0; i < len; i++)
            out[i] ^= ((const volatile uint8_t *)in)[i];
    } else {
        for (size_t i = 0; i < len; i++)
            out[i] = in[i] ^ keystream[i];
    }
}

/* What is wrong at the end of a message, or with its place in memory. */
INLINE void spoil(enum fault fault, ARGUMENTS)
{
    if (fault == WRONG_TAIL && len % 4 == 1)
        out[len - 1] ^= 0xff; /* the odd byte behind whole words */
    if (fault == OVER_READ && len % 2)
        (void)((const volatile uint8_t *)in)[len]; /* as 16-bit words read it */
    if (fault == UNDER_READ && len)
        (void)((const volatile uint8_t *)in)[-1];
    if (fault == OVER_WRITE && len % 2)
        ((volatile uint8_t *)out)[len] ^= 0xff;
    if (fault == SCRIBBLE)
        ((volatile uint32_t *)counter)[0]++; /* the caller's, not a copy */
    if (fault == MISALIGNED && len && (uintptr_t)in % 16)
        out[0] ^= 0xff;
    if (fault == COUNTER_ALIGNED && len && (uintptr_t)counter % 16)
        out[0] ^= 0xff; /* as a load of an aligned vector would fault */
    if (fault == APART && len >= 256 && ((uintptr_t)out ^ (uintptr_t)in) % 4 == 1)
        out[0] ^= 0xff;
    (void)key;
}

INLINE void stream(enum fault fault, ARGUMENTS)
{
    uint32_t state[16];
    uint8_t keystream[64];

    set_up(state, key, counter);
    for (size_t done = 0; done < len; done += 64) {
        make_block(keystream, state);
        combine(fault, out + done, in + done, len - done < 64 ? len - done : 64, keystream);
        advance(fault, state);
    }
    spoil(fault, PASSED);
}

/*
 * The shape of AVX2 code: eight blocks at once where more than four are left,
 * of a last lot as much as the message has.
 */
INLINE void stream_wide(enum fault fault, ARGUMENTS)
{
    uint32_t state[16];
    uint8_t keystream[8 * 64];

    set_up(state, key, counter);
    for (size_t done = 0; len > 4 * 64; done += 8 * 64) {
        size_t taken = len < 8 * 64 ? len : 8 * 64;
        for (int lane = 0; lane < 8; lane++) {
            make_faulty_block(fault, keystream + 64 * lane, state);
            state[12]++;
            if (fault == WIDE_LANE && lane == 4 && !state[12])
                state[13]++; /* the sixth lane's counter carries when it is the first to wrap */
        }
        /* The fifth block where it is the last and incomplete: the fourth again. */
        if (fault == WIDE_TAIL && taken < 5 * 64)
            __builtin_memcpy(keystream + 4 * 64, keystream + 3 * 64, 64);
        combine(NONE, out, in, taken, keystream);
        if (fault == CHUNK && done >= 16 * 1024)
            state[12] += 8; /* a second chunk that is counted twice */
        out += taken, in += taken, len -= taken;
    }
    stream(NONE, out, in, len, key, state + 12);
}

#define VARIANT(name, body, fault)                           \
    __typeof__(chacha20_ctr32) faulty_chacha20_##name;       \
    void faulty_chacha20_##name(ARGUMENTS) { body(fault, PASSED); }

/* Nobody's: the other files of this folder hand their work to it. */
VARIANT(work, stream, NONE)

VARIANT(clean, stream, NONE)
VARIANT(wrong_tail, stream, WRONG_TAIL)
VARIANT(over_read, stream, OVER_READ)
VARIANT(under_read, stream, UNDER_READ)
VARIANT(over_write, stream, OVER_WRITE)
VARIANT(scribble, stream, SCRIBBLE)
VARIANT(in_place, stream, IN_PLACE)
VARIANT(misaligned, stream, MISALIGNED)
VARIANT(nonce_carry, stream, NONCE_CARRY)
VARIANT(counter_aligned, stream, COUNTER_ALIGNED)
VARIANT(apart, stream, APART)
VARIANT(wide, stream_wide, NONE)
VARIANT(wide_tail, stream_wide, WIDE_TAIL)
VARIANT(wide_lane, stream_wide, WIDE_LANE)
VARIANT(wide_feed_carry, stream_wide, FEED_CARRY)
VARIANT(wide_chunk, stream_wide, CHUNK)
