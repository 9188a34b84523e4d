/*
 * Poly1305 whose init chooses: where OPENSSL_ia32cap_P has AVX2 (word 2, bit 5)
 * it hands out poly1305_blocks_avx2, which shares the context of poly1305_blocks
 * and leaves short data to it, and says so by returning 1.
 */
#define rig_poly1305_init_donna44 poly1305_set_up
#define rig_poly1305_blocks_donna44 poly1305_blocks
#define rig_poly1305_emit_donna44 poly1305_emit
#include "../../../native/generic/poly1305_donna44.c"

extern uint32_t OPENSSL_ia32cap_P[];

int poly1305_init_func(void *ctx, const uint8_t key[16], void *func[2]);
__typeof__(poly1305_blocks) poly1305_blocks_avx2;
__typeof__(poly1305_emit) poly1305_emit_avx;

int poly1305_init_func(void *ctx, const uint8_t key[16], void *func[2])
{
    poly1305_set_up(ctx, key);
    if (!(OPENSSL_ia32cap_P[2] >> 5 & 1))
        return 0;
    func[0] = (void *)poly1305_blocks_avx2;
    func[1] = (void *)poly1305_emit_avx;
    return 1;
}
