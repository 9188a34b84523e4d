/* What poly1305_init_func hands out where there is AVX2: the context is that of poly1305.c. */
#include "poly1305.h"

__typeof__(poly1305_blocks) poly1305_blocks_avx2;
__typeof__(poly1305_emit) poly1305_emit_avx;

void poly1305_blocks_avx2(void *ctx, const uint8_t *in, size_t len, uint32_t padbit)
{
    for (; len > 128; len -= 128, in += 128)
        poly1305_blocks(ctx, in, 128, padbit);
    poly1305_blocks(ctx, in, len, padbit);
}

void poly1305_emit_avx(void *ctx, uint8_t mac[16], const uint32_t nonce[4])
{
    poly1305_emit(ctx, mac, nonce);
}
