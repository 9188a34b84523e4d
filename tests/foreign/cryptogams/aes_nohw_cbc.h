/*
 * Decryption (FIPS 197 clause 5.3) and CBC in portable C, over the bitsliced S-box of
 * aes_ct64.c, behind which it is included. To plant a fault, FIRST_KEY is the number
 * of the round key that decryption begins with, LAST what is done with the last block
 * of the ciphertext.
 */
#ifndef FIRST_KEY
#define FIRST_KEY(rounds) (rounds)
#endif
#ifndef LAST
#define LAST(ivec, block) __builtin_memcpy(ivec, block, 16)
#endif

__typeof__(aes_set_encrypt_key) aes_nohw_set_decrypt_key;
__typeof__(aes_encrypt) aes_nohw_decrypt;
void aes_nohw_cbc_encrypt(const uint8_t *in, uint8_t *out, size_t len, const void *schedule,
                          uint8_t ivec[16], int enc);

#define EACH(byte) (UINT64_C(0x0101010101010101) * (byte))

static uint64_t times2(uint64_t x)
{
    return (x & EACH(0x7f)) << 1 ^ (x >> 7 & EACH(1)) * 0x1b;
}

static uint64_t turn(uint64_t x, int n)
{
    return (x << n & EACH(0xff << n & 0xff)) | (x >> (8 - n) & EACH(0xff >> (8 - n)));
}

/* The inverse of the S-box's affine map (clause 5.3.2). */
static uint64_t unmap(uint64_t x)
{
    return turn(x, 1) ^ turn(x, 3) ^ turn(x, 6) ^ EACH(0x05);
}

/* The S-box is an inversion, then the map: between two inverse maps it is its own inverse. */
static void inv_sub(uint64_t s[2])
{
    uint64_t q[8] = {unmap(s[0]), unmap(s[1])};

    transpose(q);
    sub_bytes(q);
    transpose(q);
    s[0] = unmap(q[0]);
    s[1] = unmap(q[1]);
}

int aes_nohw_set_decrypt_key(const uint8_t *key, int bits, void *schedule)
{
    aes_expand_key(schedule, key, bits, sub_word);
    return 0;
}

static void xor_round_key(uint8_t s[16], const uint8_t *round_key)
{
    for (int i = 0; i < 16; i++)
        s[i] ^= round_key[i];
}

static void inv_shift_rows_and_sub(uint8_t s[16])
{
    uint8_t from[16];
    uint64_t halves[2];

    __builtin_memcpy(from, s, 16);
    for (int i = 0; i < 16; i++)
        s[(i + 4 * (i % 4)) % 16] = from[i];
    halves[0] = load64_le(s);
    halves[1] = load64_le(s + 8);
    inv_sub(halves);
    store64_le(s, halves[0]);
    store64_le(s + 8, halves[1]);
}

/* Two columns; each byte's neighbour in its column is n bytes on. */
static uint64_t below(uint64_t x, int n)
{
    const uint64_t low = UINT64_C(0x0000000100000001) * (0xffffffff >> 8 * n);

    return (x >> 8 * n & low) | (x << (32 - 8 * n) & ~low);
}

static void inv_mix_columns(uint8_t s[16])
{
    for (int i = 0; i < 16; i += 8) {
        const uint64_t x = load64_le(s + i), x2 = times2(x), x4 = times2(x2), x8 = times2(x4);

        store64_le(s + i, x8 ^ x4 ^ x2 ^ below(x8 ^ x2 ^ x, 1) ^ below(x8 ^ x4 ^ x, 2) ^
                              below(x8 ^ x, 3));
    }
}

void aes_nohw_decrypt(const uint8_t in[16], uint8_t out[16], const void *schedule)
{
    const uint8_t *round_keys = schedule;
    const uint32_t rounds = load32_le(round_keys + AES_ROUNDS_AT);
    uint8_t s[16];

    __builtin_memcpy(s, in, 16);
    xor_round_key(s, round_keys + 16 * FIRST_KEY(rounds));
    for (uint32_t i = rounds - 1; i; i--) {
        inv_shift_rows_and_sub(s);
        xor_round_key(s, round_keys + 16 * i);
        inv_mix_columns(s);
    }
    inv_shift_rows_and_sub(s);
    xor_round_key(s, round_keys);
    __builtin_memcpy(out, s, 16);
}

void aes_nohw_cbc_encrypt(const uint8_t *in, uint8_t *out, size_t len, const void *schedule,
                          uint8_t ivec[16], int enc)
{
    uint8_t before[16], read[16], block[16];

    __builtin_memcpy(before, ivec, 16);
    for (; len; len -= 16, in += 16, out += 16) {
        __builtin_memcpy(read, in, 16);
        if (enc) {
            __builtin_memcpy(block, read, 16);
            xor_round_key(block, before);
            aes_nohw_encrypt(block, block, schedule);
            __builtin_memcpy(before, block, 16);
        } else {
            aes_nohw_decrypt(read, block, schedule);
            xor_round_key(block, before);
            __builtin_memcpy(before, read, 16);
        }
        __builtin_memcpy(out, block, 16);
    }
    LAST(ivec, before);
}
