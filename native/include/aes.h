/*
 * Contract of AES (FIPS 197) in the CRYPTOGAMS calling convention.
 *
 * Each function's comment has one line per argument, in order:
 *   @name  direction, size EXPR | multiple N | min N | max N, align N, secret | public,
 *          opaque, nullable, alias NAME, overlap before | refused,
 *          refused zero | untouched
 * Directions: in (unchanged by the call), out, inout, value, table. `alias` is
 * an argument whose memory an output may be, as a whole. `overlap` says what
 * becomes of an output that shares memory with it in part: it may begin any
 * number of bytes before it, or the call refuses and writes nothing; without
 * it no call is made so. `refused` is what a call that refuses its other
 * arguments leaves in an output.
 */
#ifndef RIG_AES_H
#define RIG_AES_H

#include <stddef.h>
#include <stdint.h>

/*
 * Expands a key of 128, 192 or 256 bits (clause 5.2). The layout of the
 * schedule belongs to the variant. Returns 0.
 *   @key       in, size bits/8, secret
 *   @bits      value, public
 *   @schedule  out, size 244, align 4, secret, opaque
 */
int aes_set_encrypt_key(const uint8_t *key, int bits, void *schedule);

/*
 * Enciphers one block (clause 5.1).
 *   @in        in, size 16, secret
 *   @out       out, size 16, secret, alias in
 *   @schedule  in, size 244, align 4, secret, opaque
 */
void aes_encrypt(const uint8_t in[16], uint8_t out[16], const void *schedule);

/*
 * Counter mode over whole blocks (SP 800-38A clause 6.5) with the standard
 * incrementing function on the last 32 bits only (SP 800-38D clause 6.2):
 * they wrap modulo 2^32 and carry nowhere. ivec is not updated. Blocks are read
 * and written in order, so that out may begin before in and run into it.
 *   @in        in, size blocks*16, secret, nullable
 *   @out       out, size blocks*16, secret, nullable, alias in, overlap before
 *   @blocks    value, min 0, public
 *   @schedule  in, size 244, align 4, secret, opaque
 *   @ivec      in, size 16, public
 */
void aes_ctr32_encrypt_blocks(const uint8_t *in, uint8_t *out, size_t blocks,
                              const void *schedule, const uint8_t ivec[16]);

#endif
