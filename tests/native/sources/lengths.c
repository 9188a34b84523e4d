/*
 * Slots of the AEADs that touch no message, so that its length may be any: GHASH
 * multiplies by 1, AES and ChaCha20 give zeros, and Poly1305 keeps the last block that it was
 * given, alone. What is left of a tag is the block of lengths.
 */
#include "aes.h"
#include "chacha20.h"
#include "ghash.h"
#include "poly1305.h"

int lengths_set_encrypt_key(const uint8_t *key, int bits, void *schedule)
{
    (void)key, (void)bits, (void)schedule;
    return 0;
}

void lengths_encrypt(const uint8_t in[16], uint8_t out[16], const void *schedule)
{
    (void)in, (void)schedule;
    __builtin_memset(out, 0, 16);
}

void lengths_ctr32_encrypt_blocks(const uint8_t *in, uint8_t *out, size_t blocks,
                                  const void *schedule, const uint8_t ivec[16])
{
    (void)in, (void)out, (void)blocks, (void)schedule, (void)ivec;
}

void lengths_ghash_init(void *Htable, const uint64_t H[2])
{
    (void)Htable, (void)H;
}

void lengths_gmult(uint8_t Xi[16], const void *Htable)
{
    (void)Xi, (void)Htable;
}

void lengths_ghash(uint8_t Xi[16], const void *Htable, const uint8_t *in, size_t len)
{
    (void)Xi, (void)Htable, (void)in, (void)len;
}

void lengths_ctr32(uint8_t *out, const uint8_t *in, size_t len, const uint32_t key[8],
                   const uint32_t counter[4])
{
    (void)out, (void)in, (void)len, (void)key, (void)counter;
}

void lengths_poly1305_init(void *ctx, const uint8_t key[16])
{
    (void)ctx, (void)key;
}

void lengths_blocks(void *ctx, const uint8_t *in, size_t len, uint32_t padbit)
{
    (void)padbit;
    if (len == 16)
        __builtin_memcpy(ctx, in, 16);
}

void lengths_emit(void *ctx, uint8_t mac[16], const uint32_t nonce[4])
{
    (void)nonce;
    __builtin_memcpy(mac, ctx, 16);
}
