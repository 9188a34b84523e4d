/*
 * Poly1305 whose init chooses: where OPENSSL_ia32cap_P has AVX2 (word 2, bit 5)
 * or OPENSSL_armcap_P NEON (bit 0) it hands out poly1305_blocks_avx2 or _neon,
 * which shares the context of poly1305_blocks and leaves short data to it, and
 * says so by returning 1.
 */
#define rig_poly1305_init_donna26 poly1305_set_up
#define rig_poly1305_blocks_donna26 poly1305_blocks
#define rig_poly1305_emit_donna26 poly1305_emit
#include "../../../native/generic/poly1305_donna26.c"

#if defined(__x86_64__)
#define BLOCKS poly1305_blocks_avx2
#define EMIT poly1305_emit_avx
extern uint32_t OPENSSL_ia32cap_P[];

static int is_wide(void)
{
    return OPENSSL_ia32cap_P[2] >> 5 & 1;
}
#else
#define BLOCKS poly1305_blocks_neon
#define EMIT poly1305_emit_neon
extern uint32_t OPENSSL_armcap_P;

static int is_wide(void)
{
    return OPENSSL_armcap_P & 1;
}
#endif

int poly1305_init_func(void *ctx, const uint8_t key[16], void *func[2]);
__typeof__(poly1305_blocks) BLOCKS;
__typeof__(poly1305_emit) EMIT;

int poly1305_init_func(void *ctx, const uint8_t key[16], void *func[2])
{
    poly1305_set_up(ctx, key);
    if (!is_wide())
        return 0;
    func[0] = (void *)BLOCKS;
    func[1] = (void *)EMIT;
    return 1;
}
