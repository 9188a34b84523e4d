/*
 * Contract of fused ChaCha20-Poly1305 (RFC 8439 section 2.8) in the shape that
 * chacha20_poly1305_x86_64 and chacha20_poly1305_armv8 have in BoringSSL and
 * AWS-LC: a whole message in one call, its last argument a union. In: the key
 * (32 bytes), a 32-bit 0, the nonce (12 bytes); for seal then the address of
 * more ciphertext, which the tag covers behind this one, and its length (8
 * bytes each). Out: the tag, in the first 16 bytes; nobody compares it. The
 * comment lines are explained in aes.h.
 */
#ifndef RIG_CHACHA20_POLY1305_FUSED_H
#define RIG_CHACHA20_POLY1305_FUSED_H

#include <stddef.h>
#include <stdint.h>

/*
 *   @out     out, size len, secret, nullable, alias in
 *   @in      in, size len, secret, nullable
 *   @len     value, min 0, public
 *   @ad      in, size ad_len, public, nullable
 *   @ad_len  value, min 0, public
 *   @data    inout, size 64, align 16, secret
 */
void chacha20_poly1305_fused_seal(uint8_t *out, const uint8_t *in, size_t len, const uint8_t *ad,
                                  size_t ad_len, void *data);

/*
 *   @out     out, size len, secret, nullable, alias in
 *   @in      in, size len, secret, nullable
 *   @len     value, min 0, public
 *   @ad      in, size ad_len, public, nullable
 *   @ad_len  value, min 0, public
 *   @data    inout, size 48, align 16, secret
 */
void chacha20_poly1305_fused_open(uint8_t *out, const uint8_t *in, size_t len, const uint8_t *ad,
                                  size_t ad_len, void *data);

#endif
