/*
 * GHASH by a table of the 16 multiples of H, four bits at a time (V. Shoup, On
 * Fast and Provably Secure Message Authentication Based on Universal Hashing,
 * 1996). VARIABLE TIME: the addresses that it reads depend on secrets.
 *
 * A block is read as a big-endian number, x^i at bit 127 - i, so that times x
 * is a shift to the right. Entry n is n * H with n's bit 3 as x^0.
 */
#include "ghash.h"
#include "words.h"

__typeof__(ghash_init) rig_ghash_init_table4;
__typeof__(ghash_gmult) rig_ghash_gmult_table4;
__typeof__(ghash_ghash) rig_ghash_ghash_table4;

struct element {
    uint64_t high, low;
};

/* What the four bits that x^4 shifts out add to the top 16 bits. */
static const uint16_t REDUCTION[16] = {
    0x0000, 0x1c20, 0x3840, 0x2460, 0x7080, 0x6ca0, 0x48c0, 0x54e0,
    0xe100, 0xfd20, 0xd940, 0xc560, 0x9180, 0x8da0, 0xa9c0, 0xb5e0,
};

static struct element times_x(struct element z)
{
    const uint64_t out = z.low & 1;

    z.low = z.low >> 1 | z.high << 63;
    z.high = z.high >> 1 ^ out * (UINT64_C(0xe1) << 56);
    return z;
}

static struct element times_x4(struct element z)
{
    const uint64_t out = z.low & 15;

    z.low = z.low >> 4 | z.high << 60;
    z.high = z.high >> 4 ^ (uint64_t)REDUCTION[out] << 48;
    return z;
}

static struct element sum(struct element a, struct element b)
{
    return (struct element){a.high ^ b.high, a.low ^ b.low};
}

/* Horner's rule over nibbles, from the highest power of x: the last one. */
static struct element multiply(struct element x, const struct element table[16])
{
    struct element z = table[x.low & 15];

    for (int i = 4; i < 64; i += 4)
        z = sum(times_x4(z), table[x.low >> i & 15]);
    for (int i = 0; i < 64; i += 4)
        z = sum(times_x4(z), table[x.high >> i & 15]);
    return z;
}

static struct element load(const uint8_t *p)
{
    return (struct element){load64_be(p), load64_be(p + 8)};
}

static void store(uint8_t *p, struct element z)
{
    store64_be(p, z.high);
    store64_be(p + 8, z.low);
}

void rig_ghash_init_table4(void *Htable, const uint64_t H[2])
{
    struct element *table = Htable;

    table[0] = (struct element){0, 0};
    table[8] = (struct element){H[0], H[1]};
    for (int n = 4; n; n /= 2)
        table[n] = times_x(table[2 * n]);
    for (int n = 2; n < 16; n *= 2)
        for (int i = 1; i < n; i++)
            table[n + i] = sum(table[n], table[i]);
}

void rig_ghash_gmult_table4(uint8_t Xi[16], const void *Htable)
{
    store(Xi, multiply(load(Xi), Htable));
}

void rig_ghash_ghash_table4(uint8_t Xi[16], const void *Htable, const uint8_t *in, size_t len)
{
    struct element z = load(Xi);

    for (; len; in += 16, len -= 16)
        z = multiply(sum(z, load(in)), Htable);
    store(Xi, z);
}
