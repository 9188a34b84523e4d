/*
 * Decryption and CBC in portable C, byte by byte and without tables (FIPS 197
 * clause 5.3), included behind a variant's encryption. To plant a fault, FIRST_KEY
 * is the number of the round key that decryption begins with, LAST what is done
 * with the last block of the ciphertext.
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

static uint8_t byte_times2(uint8_t b)
{
    return (uint8_t)(b << 1 ^ (b >> 7) * 0x1b);
}

static uint8_t byte_multiply(uint8_t a, uint8_t b)
{
    uint8_t product = 0;

    for (int i = 0; i < 8; i++, a = byte_times2(a))
        product ^= (uint8_t)(a & -(b >> i & 1));
    return product;
}

/* b to the power of 254, its inverse; 0 for 0. */
static uint8_t byte_inverse(uint8_t b)
{
    uint8_t power = b, product = 1;

    for (int i = 0; i < 7; i++) {
        power = byte_multiply(power, power);
        product = byte_multiply(product, power);
    }
    return product;
}

static uint8_t byte_turn(uint8_t b, int n)
{
    return (uint8_t)(b << n | b >> (8 - n));
}

static uint8_t byte_sub(uint8_t b)
{
    b = byte_inverse(b);
    return b ^ byte_turn(b, 1) ^ byte_turn(b, 2) ^ byte_turn(b, 3) ^ byte_turn(b, 4) ^ 0x63;
}

static uint8_t byte_inv_sub(uint8_t b)
{
    return byte_inverse(byte_turn(b, 1) ^ byte_turn(b, 3) ^ byte_turn(b, 6) ^ 0x05);
}

static uint32_t byte_sub_word(uint32_t w)
{
    uint32_t out = 0;

    for (int i = 0; i < 32; i += 8)
        out |= (uint32_t)byte_sub((uint8_t)(w >> i)) << i;
    return out;
}

int aes_nohw_set_decrypt_key(const uint8_t *key, int bits, void *schedule)
{
    aes_expand_key(schedule, key, bits, byte_sub_word);
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

    __builtin_memcpy(from, s, 16);
    for (int i = 0; i < 16; i++)
        s[(i + 4 * (i % 4)) % 16] = byte_inv_sub(from[i]);
}

static void inv_mix_columns(uint8_t s[16])
{
    uint8_t from[16];

    __builtin_memcpy(from, s, 16);
    for (int i = 0; i < 16; i++) {
        const uint8_t *column = from + i / 4 * 4;

        s[i] = byte_multiply(column[i % 4], 14) ^ byte_multiply(column[(i + 1) % 4], 11) ^
               byte_multiply(column[(i + 2) % 4], 13) ^ byte_multiply(column[(i + 3) % 4], 9);
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
