/*
 * GHASH bit by bit (SP 800-38D clause 6.3), twice: over the subkey itself, and
 * over a table of its first 129 multiples by powers of x, which wants more room
 * than the contract gives, and a cache line's alignment.
 */
#include <stddef.h>
#include <stdint.h>

struct element {
    uint64_t high, low;
};

void gcm_init_bits(void *table, const uint64_t h[2]);
void gcm_gmult_bits(uint8_t xi[16], const void *table);
void gcm_ghash_bits(uint8_t xi[16], const void *table, const uint8_t *in, size_t len);
void powers_set_up(void *table, const uint64_t h[2]);
void powers_times_h(uint8_t xi[16], const void *table);
void powers_absorb(uint8_t xi[16], const void *table, const uint8_t *in, size_t len);

static uint64_t load64_be(const uint8_t *p)
{
    uint64_t x;

    __builtin_memcpy(&x, p, 8);
    return __builtin_bswap64(x);
}

static void store64_be(uint8_t *p, uint64_t x)
{
    x = __builtin_bswap64(x);
    __builtin_memcpy(p, &x, 8);
}

static struct element times_x(struct element v)
{
    uint64_t reduce = -(v.low & 1) & UINT64_C(0xe1) << 56;

    return (struct element){v.high >> 1 ^ reduce, v.high << 63 | v.low >> 1};
}

/* Bit i of a block, the first one first, as a mask. */
static uint64_t bit(struct element x, int i)
{
    return -((i < 64 ? x.high : x.low) >> (63 - i % 64) & 1);
}

static void multiply(uint8_t xi[16], struct element v)
{
    struct element x = {load64_be(xi), load64_be(xi + 8)}, z = {0, 0};

    for (int i = 0; i < 128; i++, v = times_x(v)) {
        z.high ^= v.high & bit(x, i);
        z.low ^= v.low & bit(x, i);
    }
    store64_be(xi, z.high);
    store64_be(xi + 8, z.low);
}

static void add(uint8_t xi[16], const uint8_t in[16])
{
    for (int i = 0; i < 16; i++)
        xi[i] ^= in[i];
}

void gcm_init_bits(void *table, const uint64_t h[2])
{
    *(struct element *)table = (struct element){h[0], h[1]};
}

void gcm_gmult_bits(uint8_t xi[16], const void *table)
{
    multiply(xi, *(const struct element *)table);
}

void gcm_ghash_bits(uint8_t xi[16], const void *table, const uint8_t *in, size_t len)
{
    for (; len; len -= 16, in += 16) {
        add(xi, in);
        multiply(xi, *(const struct element *)table);
    }
}

static void check_alignment(const void *table)
{
    if ((uintptr_t)table % 64)
        __builtin_trap();
}

void powers_set_up(void *table, const uint64_t h[2])
{
    struct element v = {h[0], h[1]};

    check_alignment(table);
    for (int i = 0; i <= 128; i++, v = times_x(v))
        ((struct element *)table)[i] = v;
}

void powers_times_h(uint8_t xi[16], const void *table)
{
    const struct element *powers = table;
    struct element x = {load64_be(xi), load64_be(xi + 8)}, z = {0, 0};

    check_alignment(table);
    for (int i = 0; i < 128; i++) {
        z.high ^= powers[i].high & bit(x, i);
        z.low ^= powers[i].low & bit(x, i);
    }
    store64_be(xi, z.high);
    store64_be(xi + 8, z.low);
}

void powers_absorb(uint8_t xi[16], const void *table, const uint8_t *in, size_t len)
{
    for (; len; len -= 16, in += 16) {
        add(xi, in);
        powers_times_h(xi, table);
    }
}
