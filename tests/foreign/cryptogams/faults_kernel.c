/* Kernels that are wrong in their shape: each is aes_gcm_kernel.c but for one thing. */
#include "aes_gcm_kernel.c"

#define FUSED(name)                                                                         \
    size_t fused_##name(const uint8_t *in, uint8_t *out, size_t len, const void *key,       \
                        uint8_t ivec[16], const void *Htable, uint8_t Xi[16]);              \
    size_t fused_##name(const uint8_t *in, uint8_t *out, size_t len, const void *key,       \
                        uint8_t ivec[16], const void *Htable, uint8_t Xi[16])

static size_t groups(const uint8_t *in, uint8_t *out, size_t len, const void *key,
                     uint8_t ivec[16], const void *Htable, uint8_t Xi[16])
{
    return len < 288 ? 0 : kernel(in, 8 * (uint64_t)(len - len % 96), out, Xi, ivec, key, Htable, 1);
}

FUSED(clean)
{
    return groups(in, out, len, key, ivec, Htable, Xi);
}

FUSED(claims_all)
{
    return groups(in, out, len, key, ivec, Htable, Xi) + len % 96;
}

FUSED(touches_tail)
{
    const size_t done = groups(in, out, len, key, ivec, Htable, Xi);

    if (done < len)
        out[done] ^= 1;
    return done;
}

FUSED(every_block)
{
    const size_t whole = len - len % 16;

    return whole < 288 ? 0 : kernel(in, 8 * (uint64_t)whole, out, Xi, ivec, key, Htable, 1);
}

FUSED(keeps_counter)
{
    uint8_t counter[16];

    __builtin_memcpy(counter, ivec, 16);
    return groups(in, out, len, key, counter, Htable, Xi);
}
