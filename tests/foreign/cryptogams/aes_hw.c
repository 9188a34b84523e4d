/*
 * aes_hw_*, decryption and CBC too. The key set-up has its work done by a function
 * that is nobody's entry.
 */
#define rig_aes_set_encrypt_key_aesni aes_hw_inner_set_encrypt_key
#define rig_aes_encrypt_aesni aes_hw_encrypt
#define rig_aes_ctr32_encrypt_blocks_aesni aes_hw_ctr32_encrypt_blocks
#include "../../../native/x86/aes_aesni.c"

__typeof__(aes_set_encrypt_key) aes_hw_set_encrypt_key, aes_hw_set_decrypt_key;
__typeof__(aes_encrypt) aes_hw_decrypt;
void aes_hw_cbc_encrypt(const uint8_t *in, uint8_t *out, size_t len, const void *schedule,
                        uint8_t ivec[16], int enc);

static __attribute__((noinline)) int expand(const uint8_t *key, int bits, void *schedule)
{
    return aes_hw_inner_set_encrypt_key(key, bits, schedule);
}

int aes_hw_set_encrypt_key(const uint8_t *key, int bits, void *schedule)
{
    return expand(key, bits, schedule);
}

/* The round keys of the equivalent inverse cipher (FIPS 197 clause 5.3.5), last one first. */
int aes_hw_set_decrypt_key(const uint8_t *key, int bits, void *schedule)
{
    uint8_t *round_keys = schedule;
    uint32_t rounds;

    aes_hw_set_encrypt_key(key, bits, schedule);
    rounds = load32_le(round_keys + AES_ROUNDS_AT);
    for (uint32_t i = 0, j = rounds; i < j; i++, j--) {
        const __m128i first = load(round_keys + 16 * i), last = load(round_keys + 16 * j);

        store(round_keys + 16 * i, i ? _mm_aesimc_si128(last) : last);
        store(round_keys + 16 * j, i ? _mm_aesimc_si128(first) : first);
    }
    store(round_keys + 8 * rounds, _mm_aesimc_si128(load(round_keys + 8 * rounds)));
    return 0;
}

void aes_hw_decrypt(const uint8_t in[16], uint8_t out[16], const void *schedule)
{
    const uint8_t *round_keys = schedule;
    const uint32_t rounds = load32_le(round_keys + AES_ROUNDS_AT);
    __m128i s = _mm_xor_si128(load(in), load(round_keys));

    for (uint32_t i = 1; i < rounds; i++)
        s = _mm_aesdec_si128(s, load(round_keys + 16 * i));
    store(out, _mm_aesdeclast_si128(s, load(round_keys + 16 * rounds)));
}

void aes_hw_cbc_encrypt(const uint8_t *in, uint8_t *out, size_t len, const void *schedule,
                        uint8_t ivec[16], int enc)
{
    __m128i before = load(ivec);
    uint8_t block[16];

    for (; len; len -= 16, in += 16, out += 16) {
        const __m128i read = load(in);

        if (enc) {
            store(block, _mm_xor_si128(read, before));
            aes_hw_encrypt(block, block, schedule);
            before = load(block);
            store(out, before);
        } else {
            aes_hw_decrypt(in, block, schedule);
            store(out, _mm_xor_si128(load(block), before));
            before = read;
        }
    }
    store(ivec, before);
}
