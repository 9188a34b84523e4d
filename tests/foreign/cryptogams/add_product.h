/*
 * A sum of products, to be reduced once.
 */
#include "ghash_clmul.h"

static inline struct product add_product(struct product sum, __m128i x, __m128i h)
{
    const struct product p = product(x, h);

    return (struct product){_mm_xor_si128(sum.low, p.low), _mm_xor_si128(sum.middle, p.middle),
                            _mm_xor_si128(sum.high, p.high)};
}
