/*
 * aes_gcm_enc_kernel and aes_gcm_dec_kernel: whole blocks, their length in bits.
 * ossl_* have the table 32 bytes behind Xi and return the bytes done. Portable C:
 * one block at a time, GHASH bit by bit (SP 800-38D clause 6.3).
 */
#define rig_aes_set_encrypt_key_ct64 inner_set_encrypt_key
#define rig_aes_encrypt_ct64 inner_encrypt_block
#define rig_aes_ctr32_encrypt_blocks_ct64 inner_ctr32_encrypt_blocks
#include "../../../native/generic/aes_ct64.c"

int kernel_set_encrypt_key(const uint8_t *key, int bits, void *schedule);
void kernel_init(void *Htable, const uint64_t H[2]);
void aes_gcm_enc_kernel(const uint8_t *in, uint64_t in_bits, void *out, void *Xi, uint8_t *ivec,
                        const void *key, const void *Htable);
void aes_gcm_dec_kernel(const uint8_t *in, uint64_t in_bits, void *out, void *Xi, uint8_t *ivec,
                        const void *key, const void *Htable);
size_t ossl_enc_kernel(const uint8_t *in, uint64_t in_bits, void *out, void *Xi, uint8_t *ivec,
                       const void *key);
size_t ossl_dec_kernel(const uint8_t *in, uint64_t in_bits, void *out, void *Xi, uint8_t *ivec,
                       const void *key);

int kernel_set_encrypt_key(const uint8_t *key, int bits, void *schedule)
{
    return inner_set_encrypt_key(key, bits, schedule);
}

void kernel_init(void *Htable, const uint64_t H[2])
{
    __builtin_memcpy(Htable, H, 16);
}

static void absorb(uint8_t Xi[16], const uint8_t block[16], const uint64_t H[2])
{
    uint64_t v[2] = {H[0], H[1]}, x[2], z[2] = {0, 0};

    x[0] = load64_be(Xi) ^ load64_be(block);
    x[1] = load64_be(Xi + 8) ^ load64_be(block + 8);
    for (int i = 0; i < 128; i++) {
        const uint64_t bit = -(x[i / 64] >> (63 - i % 64) & 1), reduce = -(v[1] & 1);

        z[0] ^= v[0] & bit;
        z[1] ^= v[1] & bit;
        v[1] = v[1] >> 1 | v[0] << 63;
        v[0] = v[0] >> 1 ^ (reduce & UINT64_C(0xe1) << 56);
    }
    store64_be(Xi, z[0]);
    store64_be(Xi + 8, z[1]);
}

static size_t kernel(const uint8_t *in, uint64_t in_bits, uint8_t *out, uint8_t *Xi, uint8_t *ivec,
                     const void *key, const void *Htable, int sealing)
{
    if (!in_bits || in_bits % 128)
        __builtin_trap();
    for (size_t done = 0; done < in_bits / 8; done += 16) {
        if (!sealing)
            absorb(Xi, in + done, Htable);
        inner_ctr32_encrypt_blocks(in + done, out + done, 1, key, ivec);
        store32_be(ivec + 12, load32_be(ivec + 12) + 1);
        if (sealing)
            absorb(Xi, out + done, Htable);
    }
    return (size_t)(in_bits / 8);
}

void aes_gcm_enc_kernel(const uint8_t *in, uint64_t in_bits, void *out, void *Xi, uint8_t *ivec,
                        const void *key, const void *Htable)
{
    kernel(in, in_bits, out, Xi, ivec, key, Htable, 1);
}

void aes_gcm_dec_kernel(const uint8_t *in, uint64_t in_bits, void *out, void *Xi, uint8_t *ivec,
                        const void *key, const void *Htable)
{
    kernel(in, in_bits, out, Xi, ivec, key, Htable, 0);
}

size_t ossl_enc_kernel(const uint8_t *in, uint64_t in_bits, void *out, void *Xi, uint8_t *ivec,
                       const void *key)
{
    return kernel(in, in_bits, out, Xi, ivec, key, (uint8_t *)Xi + 32, 1);
}

size_t ossl_dec_kernel(const uint8_t *in, uint64_t in_bits, void *out, void *Xi, uint8_t *ivec,
                       const void *key)
{
    return kernel(in, in_bits, out, Xi, ivec, key, (uint8_t *)Xi + 32, 0);
}
