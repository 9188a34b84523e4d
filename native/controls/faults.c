/*
 * ChaCha20 with one fault each, after RFC 8439 section 2.3. `clean` is the twin
 * that must pass. The volatile accesses keep the compiler from repairing or
 * exploiting what is wrong on purpose.
 */
#include "chacha20.h"

typedef __typeof__(chacha20_ctr32) ctr32;

ctr32 control_clean, control_wrong_tail, control_over_read, control_over_write, control_scribble,
    control_stale, control_crash, control_endless, control_borrows, control_branches,
    control_looks_up, control_divides, control_undoes, control_null;

static inline uint32_t rotate(uint32_t x, int n) { return x << n | x >> (32 - n); }

static inline void quarter(uint32_t *s, int a, int b, int c, int d)
{
    s[a] += s[b], s[d] = rotate(s[d] ^ s[a], 16);
    s[c] += s[d], s[b] = rotate(s[b] ^ s[c], 12);
    s[a] += s[b], s[d] = rotate(s[d] ^ s[a], 8);
    s[c] += s[d], s[b] = rotate(s[b] ^ s[c], 7);
}

static void block(uint8_t out[64], const uint32_t key[8], const uint32_t counter[4], uint32_t add)
{
    uint32_t start[16] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574}, s[16];

    for (int i = 0; i < 8; i++)
        start[4 + i] = key[i];
    for (int i = 0; i < 4; i++)
        start[12 + i] = counter[i];
    start[12] += add;
    for (int i = 0; i < 16; i++)
        s[i] = start[i];
    for (int round = 0; round < 10; round++) {
        for (int i = 0; i < 4; i++)
            quarter(s, i, 4 + i, 8 + i, 12 + i);
        for (int i = 0; i < 4; i++)
            quarter(s, i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4);
    }
    for (int i = 0; i < 64; i++)
        out[i] = (uint8_t)((s[i / 4] + start[i / 4]) >> (8 * (i % 4)));
}

/* Not static: the .S files use it. It belongs to no variant. */
ctr32 control_run;

void control_run(uint8_t *out, const uint8_t *in, size_t len, const uint32_t key[8],
                 const uint32_t counter[4])
{
    uint8_t keystream[64];

    for (size_t i = 0; i < len; i++) {
        if (i % 64 == 0)
            block(keystream, key, counter, (uint32_t)(i / 64));
        out[i] = in[i] ^ keystream[i % 64];
    }
}

void control_clean(uint8_t *out, const uint8_t *in, size_t len, const uint32_t key[8],
                   const uint32_t counter[4])
{
    control_run(out, in, len, key, counter);
}

void control_wrong_tail(uint8_t *out, const uint8_t *in, size_t len, const uint32_t key[8],
                        const uint32_t counter[4])
{
    control_run(out, in, len, key, counter);
    if (len % 16)
        out[len - 1] ^= 1;
}

void control_over_read(uint8_t *out, const uint8_t *in, size_t len, const uint32_t key[8],
                       const uint32_t counter[4])
{
    control_run(out, in, len, key, counter);
    (void)*(const volatile uint8_t *)(in + len);
}

void control_over_write(uint8_t *out, const uint8_t *in, size_t len, const uint32_t key[8],
                        const uint32_t counter[4])
{
    control_run(out, in, len, key, counter);
    *(volatile uint8_t *)(out + len) ^= 1;
}

void control_scribble(uint8_t *out, const uint8_t *in, size_t len, const uint32_t key[8],
                      const uint32_t counter[4])
{
    control_run(out, in, len, key, counter);
    *(volatile uint32_t *)counter += 1;
}

/* Counts in the caller's memory, and counts back. */
void control_undoes(uint8_t *out, const uint8_t *in, size_t len, const uint32_t key[8],
                    const uint32_t counter[4])
{
    *(volatile uint32_t *)counter += 1;
    *(volatile uint32_t *)counter -= 1;
    control_run(out, in, len, key, counter);
}

/* Takes the last byte of a message for its end: of no bytes at NULL it is above all others. */
void control_null(uint8_t *out, const uint8_t *in, size_t len, const uint32_t key[8],
                  const uint32_t counter[4])
{
    const uintptr_t first = (uintptr_t)in, last = first + len - 1;

    if (first <= last)
        (void)*(const volatile uint8_t *)first;
    control_run(out, in, len, key, counter);
}

/* Takes what out held before for a starting value. */
void control_stale(uint8_t *out, const uint8_t *in, size_t len, const uint32_t key[8],
                   const uint32_t counter[4])
{
    uint8_t before = len ? *(volatile uint8_t *)out : 0;

    control_run(out, in, len, key, counter);
    if (len)
        out[0] ^= before & 1;
}

void control_crash(uint8_t *out, const uint8_t *in, size_t len, const uint32_t key[8],
                   const uint32_t counter[4])
{
    control_run(out, in, len, key, counter);
    if (len % 64 == 63)
        *(volatile uint8_t *)(uintptr_t)16 = 0;
}

void control_endless(uint8_t *out, const uint8_t *in, size_t len, const uint32_t key[8],
                     const uint32_t counter[4])
{
    volatile size_t left = len;

    control_run(out, in, len, key, counter);
    while (left == 65)
        ;
}

/* Right output, by another variant's function. */
void control_borrows(uint8_t *out, const uint8_t *in, size_t len, const uint32_t key[8],
                     const uint32_t counter[4])
{
    ctr32 *volatile other = control_clean;

    other(out, in, len, key, counter);
}

/* Right output, in a time that the key has a part in. */
void control_branches(uint8_t *out, const uint8_t *in, size_t len, const uint32_t key[8],
                      const uint32_t counter[4])
{
    control_run(out, in, len, key, counter);
    if (*(const volatile uint32_t *)key & 1)
        (void)*(const volatile uint32_t *)counter;
}

void control_looks_up(uint8_t *out, const uint8_t *in, size_t len, const uint32_t key[8],
                      const uint32_t counter[4])
{
    static const volatile uint8_t table[256] = {1};

    control_run(out, in, len, key, counter);
    (void)table[key[0] & 255];
}

void control_divides(uint8_t *out, const uint8_t *in, size_t len, const uint32_t key[8],
                     const uint32_t counter[4])
{
    volatile uint32_t quotient;

    control_run(out, in, len, key, counter);
    quotient = UINT32_C(0xffffffff) / (key[0] | 1);
    (void)quotient;
}
