/*
 * ChaCha20-Poly1305 in one pass by SSSE3, four blocks of key stream at a time
 * (chacha20_poly1305_interleaved.h).
 */
#include "chacha20_rotate_ssse3.h"

#include "chacha20_four.h"
#include "chacha20_poly1305_interleaved.h"

__typeof__(chacha20_poly1305_fused_seal) rig_chacha20_poly1305_fused_seal_ssse3;
__typeof__(chacha20_poly1305_fused_open) rig_chacha20_poly1305_fused_open_ssse3;

void rig_chacha20_poly1305_fused_seal_ssse3(uint8_t *out, const uint8_t *in, size_t len,
                                         const uint8_t *ad, size_t ad_len, void *data)
{
    seal_interleaved(out, in, len, ad, ad_len, data);
}

void rig_chacha20_poly1305_fused_open_ssse3(uint8_t *out, const uint8_t *in, size_t len,
                                         const uint8_t *ad, size_t ad_len, void *data)
{
    open_interleaved(out, in, len, ad, ad_len, data);
}
