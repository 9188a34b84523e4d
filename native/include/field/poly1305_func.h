/*
 * Poly1305 with an init that dispatches, as OpenSSL's poly1305-* have it. The
 * comment lines are explained in aes.h.
 */
#ifndef RIG_POLY1305_FUNC_H
#define RIG_POLY1305_FUNC_H

#include <stddef.h>
#include <stdint.h>

/*
 * As poly1305_init. Where the processor has better ones, puts the functions
 * that stand for blocks and emit with this context into func and returns
 * other than 0; else func stays as it was and the caller goes on with those
 * that it knows by name.
 *   @ctx   out, size 192, align 8, secret, opaque
 *   @key   in, size 16, secret
 *   @func  table, at blocks
 */
int poly1305_func_init(void *ctx, const uint8_t key[16], void *func[2]);

/*
 * As poly1305_blocks.
 *   @ctx     inout, size 192, align 8, secret, opaque
 *   @in      in, size len, secret, nullable
 *   @len     value, multiple 16, min 0, public
 *   @padbit  value, min 0, max 1, public
 */
void poly1305_func_blocks(void *ctx, const uint8_t *in, size_t len, uint32_t padbit);

/*
 * As poly1305_emit.
 *   @ctx    in, size 192, align 8, secret, opaque
 *   @mac    out, size 16, secret
 *   @nonce  in, size 16, align 4, secret
 */
void poly1305_func_emit(void *ctx, uint8_t mac[16], const uint32_t nonce[4]);

#endif
