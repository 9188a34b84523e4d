/*
 * Contract of GHASH (SP 800-38D clause 6.4) in the CRYPTOGAMS calling
 * convention. The comment lines are explained in aes.h.
 */
#ifndef RIG_GHASH_H
#define RIG_GHASH_H

#include <stddef.h>
#include <stdint.h>

/*
 * Derives the variant's table from the hash subkey. H[0] is the block's first
 * eight bytes read as a big-endian number, H[1] its last eight. The layout of
 * Htable belongs to the variant.
 *   @Htable  out, size 256, align 16, secret, opaque
 *   @H       in, size 16, align 8, secret
 */
void ghash_init(void *Htable, const uint64_t H[2]);

/*
 * Xi = Xi * H (clause 6.3).
 *   @Xi      inout, size 16, secret
 *   @Htable  in, size 256, align 16, secret, opaque
 */
void ghash_gmult(uint8_t Xi[16], const void *Htable);

/*
 * Absorbs whole blocks: for each block X of in, Xi = (Xi ^ X) * H.
 *   @Xi      inout, size 16, secret
 *   @Htable  in, size 256, align 16, secret, opaque
 *   @in      in, size len, secret, nullable
 *   @len     value, multiple 16, min 0, public
 */
void ghash_ghash(uint8_t Xi[16], const void *Htable, const uint8_t *in, size_t len);

#endif
