/*
 * Contract of Poly1305 (RFC 8439 section 2.5) in the CRYPTOGAMS calling
 * convention. The comment lines are explained in aes.h.
 */
#ifndef RIG_POLY1305_H
#define RIG_POLY1305_H

#include <stddef.h>
#include <stdint.h>

/*
 * Sets the accumulator to 0 and r to the clamped key (section 2.5.1).
 *   @ctx  out, size 192, align 8, secret, opaque
 *   @key  in, size 16, secret
 */
void poly1305_init(void *ctx, const uint8_t key[16]);

/*
 * Absorbs whole blocks with padbit as each block's bit 128. padbit is 1, or 0
 * for one last block that the caller has padded itself.
 *   @ctx     inout, size 192, align 8, secret, opaque
 *   @in      in, size len, secret, nullable
 *   @len     value, multiple 16, min 0, public
 *   @padbit  value, min 0, max 1, public
 */
void poly1305_blocks(void *ctx, const uint8_t *in, size_t len, uint32_t padbit);

/*
 * mac = (accumulator + nonce) mod 2^128, little-endian; nonce is the key's
 * second half s as four words in host order.
 *   @ctx    in, size 192, align 8, secret, opaque
 *   @mac    out, size 16, secret
 *   @nonce  in, size 16, align 4, secret
 */
void poly1305_emit(void *ctx, uint8_t mac[16], const uint32_t nonce[4]);

#endif
