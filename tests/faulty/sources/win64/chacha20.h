/* ChaCha20 (RFC 8439 section 2.4) for callers in Microsoft's x64 convention. */
#ifndef FAULTY_WIN64_CHACHA20_H
#define FAULTY_WIN64_CHACHA20_H

#include <stddef.h>
#include <stdint.h>

/*
 * out = in xor keystream; the counter's first word counts blocks and wraps.
 *   @out      out, size len, secret, nullable, alias in
 *   @in       in, size len, secret, nullable
 *   @len      value, min 0, public
 *   @key      in, size 32, align 4, secret
 *   @counter  in, size 16, align 4, public
 */
__attribute__((ms_abi)) void chacha20_ctr32(uint8_t *out, const uint8_t *in, size_t len,
                                            const uint32_t key[8], const uint32_t counter[4]);

#endif
