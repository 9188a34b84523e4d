/*
 * GHASH in constant time from integer multiplications with holes. Each factor
 * of 32 bits is split into four numbers whose bits stand four apart; a place of
 * a product of two such numbers receives at most eight ones, and a carry ends
 * within its hole of four bits. Multiplication time must not depend on data,
 * as on every x86_64 and as aarch64's PSTATE.DIT promises.
 */
#include "ghash.h"

__typeof__(ghash_init) rig_ghash_init_ct64;
__typeof__(ghash_gmult) rig_ghash_gmult_ct64;
__typeof__(ghash_ghash) rig_ghash_ghash_ct64;

struct factor {
    uint32_t part[4];
};

static void split32(struct factor *factor, uint32_t x)
{
    for (int i = 0; i < 4; i++)
        factor->part[i] = x & (UINT32_C(0x11111111) << i);
}

static uint64_t multiply32(const struct factor *a, const struct factor *b)
{
    uint64_t product = 0;

    for (int place = 0; place < 4; place++) {
        uint64_t sum = 0;
        for (int i = 0; i < 4; i++)
            sum ^= (uint64_t)a->part[i] * b->part[(place - i) & 3];
        product |= sum & (UINT64_C(0x1111111111111111) << place);
    }
    return product;
}

#include "ghash_karatsuba.h"

void rig_ghash_init_ct64(void *Htable, const uint64_t H[2])
{
    init(Htable, H);
}

void rig_ghash_gmult_ct64(uint8_t Xi[16], const void *Htable)
{
    gmult(Xi, Htable);
}

void rig_ghash_ghash_ct64(uint8_t Xi[16], const void *Htable, const uint8_t *in, size_t len)
{
    ghash(Xi, Htable, in, len);
}
