/*
 * Htable as pclmul8 makes it and the other variants with aggregated products
 * read it: H^16/x to H^1/x, 16 octets each, in the order in which 16 blocks meet
 * them; n blocks meet the last n. Why H/x and not H: ghash_clmul.h.
 */
#ifndef RIG_GHASH_POWERS_H
#define RIG_GHASH_POWERS_H

enum { GHASH_POWERS = 16 };

/* Where the powers for the last len octets, at most 256, begin. */
static inline const uint8_t *powers_for(const void *Htable, size_t len)
{
    return (const uint8_t *)Htable + 16 * GHASH_POWERS - len;
}

#endif
