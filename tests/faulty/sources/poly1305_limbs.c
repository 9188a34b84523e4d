/*
 * Poly1305 with one fault for each variant in the end of the bundled code on
 * limbs of 26 bits. limbs is the same source without the fault.
 */
#include "../../../native/generic/poly1305_donna26.c"

enum fault { NONE, LOST_CARRY, UNREDUCED };

#define INLINE static inline __attribute__((always_inline))

static int is_p(const uint32_t h[5])
{
    return h[0] == LIMB26 - 4 && (h[1] & h[2] & h[3] & h[4]) == LIMB26;
}

/* As where vectors take over: their sum loses the carry that the second limb may have left. */
INLINE void blocks(enum fault fault, void *ctx, const uint8_t *in, size_t len, uint32_t padbit)
{
    rig_poly1305_blocks_donna26(ctx, in, len, padbit);
    if (fault == LOST_CARRY && len >= 8 * 16)
        ((struct poly1305 *)ctx)->h[1] &= LIMB26;
}

INLINE void emit(enum fault fault, const void *ctx, uint8_t mac[16], const uint32_t nonce[4])
{
    uint32_t h[5];

    __builtin_memcpy(h, ((const struct poly1305 *)ctx)->h, sizeof h);
    carry26(h);
    /* `>` for `>=`: what p leaves of its 130 bits in 128. */
    if (fault == UNREDUCED && is_p(h))
        h[4] = LIMB26 >> 2;
    emit26(mac, h, nonce);
}

#define VARIANT(name, fault)                                                               \
    __typeof__(poly1305_init) faulty_poly1305_init_##name;                                 \
    __typeof__(poly1305_blocks) faulty_poly1305_blocks_##name;                             \
    __typeof__(poly1305_emit) faulty_poly1305_emit_##name;                                 \
    void faulty_poly1305_init_##name(void *ctx, const uint8_t key[16])                     \
    {                                                                                      \
        rig_poly1305_init_donna26(ctx, key);                                               \
    }                                                                                      \
    void faulty_poly1305_blocks_##name(void *ctx, const uint8_t *in, size_t len,           \
                                       uint32_t padbit)                                    \
    {                                                                                      \
        blocks(fault, ctx, in, len, padbit);                                               \
    }                                                                                      \
    void faulty_poly1305_emit_##name(void *ctx, uint8_t mac[16], const uint32_t nonce[4])  \
    {                                                                                      \
        emit(fault, ctx, mac, nonce);                                                      \
    }

VARIANT(limbs, NONE)
VARIANT(limbs_carry, LOST_CARRY)
VARIANT(limbs_unreduced, UNREDUCED)
