/*
 * Contract of ChaCha20 (RFC 8439 section 2.4) in the CRYPTOGAMS calling
 * convention. The comment lines are explained in aes.h.
 */
#ifndef RIG_CHACHA20_H
#define RIG_CHACHA20_H

#include <stddef.h>
#include <stdint.h>

/*
 * out = in xor keystream. counter[0] is the block counter, counter[1..3] the
 * nonce, all in host order. The block counter has 32 bits: past 2^32-1 it
 * wraps to 0 and carries nowhere. counter is not updated. out is in, or apart
 * from it: vector code stores a group of blocks by columns, and so over input
 * that it has still to read where they share memory in part.
 *   @out      out, size len, secret, nullable, alias in
 *   @in       in, size len, secret, nullable
 *   @len      value, min 0, public
 *   @key      in, size 32, align 4, secret
 *   @counter  in, size 16, align 4, public
 */
void chacha20_ctr32(uint8_t *out, const uint8_t *in, size_t len, const uint32_t key[8],
                    const uint32_t counter[4]);

#endif
