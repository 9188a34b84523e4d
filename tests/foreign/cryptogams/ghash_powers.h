/*
 * GHASH over a table of the first POWERS powers of H, in whose first place (or
 * its last, with DESCENDING) stands H itself. Included behind what a variant
 * defines: POWERS and the names INIT and GHASH.
 */
#include "add_product.h"
#include "ghash.h"

__typeof__(ghash_init) INIT;
__typeof__(ghash_ghash) GHASH;

static inline __m128i load(const void *p)
{
    return _mm_loadu_si128((const __m128i *)p);
}

static inline __m128i *power(void *Htable, int n)
{
#ifdef DESCENDING
    return (__m128i *)Htable + (POWERS - n);
#else
    return (__m128i *)Htable + (n - 1);
#endif
}

void INIT(void *Htable, const uint64_t H[2])
{
    const uint64_t one = H[0] >> 63;
    const uint64_t first[2] = {H[1] << 1 ^ one,
                               (H[0] << 1 | H[1] >> 63) ^ one * (UINT64_C(0xc2) << 56)};
    const __m128i h = load(first);
    __m128i x = h;

    for (int n = 1; n <= POWERS; n++, x = multiply(x, h))
        _mm_storeu_si128(power(Htable, n), x);
}

void GHASH(uint8_t Xi[16], const void *Htable, const uint8_t *in, size_t len)
{
    void *table = (void *)(uintptr_t)Htable;
    __m128i x = swap_bytes(load(Xi));

    while (len) {
        int n = len / 16 < POWERS ? (int)(len / 16) : POWERS;
        struct product sum = product(_mm_xor_si128(x, swap_bytes(load(in))), load(power(table, n)));

        for (int i = 1; i < n; i++)
            sum = add_product(sum, swap_bytes(load(in + 16 * i)), load(power(table, n - i)));
        x = reduce(sum);
        in += 16 * n;
        len -= 16 * (size_t)n;
    }
    _mm_storeu_si128((__m128i *)Xi, swap_bytes(x));
}
