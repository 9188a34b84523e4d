/*
 * AES by table lookups in registers, in constant time: the 256 bytes of the
 * S-box are sixteen vector registers, of which tbl and tbx each look up in four.
 * For an index past the four tbl gives 0 and tbx leaves the byte, so each byte
 * of the state meets all four lookups and takes one's answer. No address that
 * is read depends on a secret.
 *
 * The schedule is the round keys in order, then the number of rounds.
 */
#include <arm_neon.h>

#include "aes.h"
#include "aes_key.h"

__typeof__(aes_set_encrypt_key) rig_aes_set_encrypt_key_neon;
__typeof__(aes_encrypt) rig_aes_encrypt_neon;
__typeof__(aes_ctr32_encrypt_blocks) rig_aes_ctr32_encrypt_blocks_neon;

enum { LANES = 4 };

/* FIPS 197 figure 7. */
static const uint8_t SBOX[256] = {
    0x63, 0x7c, 0x77, 0x7b, 0xf2, 0x6b, 0x6f, 0xc5, 0x30, 0x01, 0x67, 0x2b, 0xfe, 0xd7, 0xab, 0x76,
    0xca, 0x82, 0xc9, 0x7d, 0xfa, 0x59, 0x47, 0xf0, 0xad, 0xd4, 0xa2, 0xaf, 0x9c, 0xa4, 0x72, 0xc0,
    0xb7, 0xfd, 0x93, 0x26, 0x36, 0x3f, 0xf7, 0xcc, 0x34, 0xa5, 0xe5, 0xf1, 0x71, 0xd8, 0x31, 0x15,
    0x04, 0xc7, 0x23, 0xc3, 0x18, 0x96, 0x05, 0x9a, 0x07, 0x12, 0x80, 0xe2, 0xeb, 0x27, 0xb2, 0x75,
    0x09, 0x83, 0x2c, 0x1a, 0x1b, 0x6e, 0x5a, 0xa0, 0x52, 0x3b, 0xd6, 0xb3, 0x29, 0xe3, 0x2f, 0x84,
    0x53, 0xd1, 0x00, 0xed, 0x20, 0xfc, 0xb1, 0x5b, 0x6a, 0xcb, 0xbe, 0x39, 0x4a, 0x4c, 0x58, 0xcf,
    0xd0, 0xef, 0xaa, 0xfb, 0x43, 0x4d, 0x33, 0x85, 0x45, 0xf9, 0x02, 0x7f, 0x50, 0x3c, 0x9f, 0xa8,
    0x51, 0xa3, 0x40, 0x8f, 0x92, 0x9d, 0x38, 0xf5, 0xbc, 0xb6, 0xda, 0x21, 0x10, 0xff, 0xf3, 0xd2,
    0xcd, 0x0c, 0x13, 0xec, 0x5f, 0x97, 0x44, 0x17, 0xc4, 0xa7, 0x7e, 0x3d, 0x64, 0x5d, 0x19, 0x73,
    0x60, 0x81, 0x4f, 0xdc, 0x22, 0x2a, 0x90, 0x88, 0x46, 0xee, 0xb8, 0x14, 0xde, 0x5e, 0x0b, 0xdb,
    0xe0, 0x32, 0x3a, 0x0a, 0x49, 0x06, 0x24, 0x5c, 0xc2, 0xd3, 0xac, 0x62, 0x91, 0x95, 0xe4, 0x79,
    0xe7, 0xc8, 0x37, 0x6d, 0x8d, 0xd5, 0x4e, 0xa9, 0x6c, 0x56, 0xf4, 0xea, 0x65, 0x7a, 0xae, 0x08,
    0xba, 0x78, 0x25, 0x2e, 0x1c, 0xa6, 0xb4, 0xc6, 0xe8, 0xdd, 0x74, 0x1f, 0x4b, 0xbd, 0x8b, 0x8a,
    0x70, 0x3e, 0xb5, 0x66, 0x48, 0x03, 0xf6, 0x0e, 0x61, 0x35, 0x57, 0xb9, 0x86, 0xc1, 0x1d, 0x9e,
    0xe1, 0xf8, 0x98, 0x11, 0x69, 0xd9, 0x8e, 0x94, 0x9b, 0x1e, 0x87, 0xe9, 0xce, 0x55, 0x28, 0xdf,
    0x8c, 0xa1, 0x89, 0x0d, 0xbf, 0xe6, 0x42, 0x68, 0x41, 0x99, 0x2d, 0x0f, 0xb0, 0x54, 0xbb, 0x16,
};

/* ShiftRows, then each byte replaced by the one a row on in its column. */
static const uint8_t SHIFT_ROWS[16] = {0, 5, 10, 15, 4, 9, 14, 3, 8, 13, 2, 7, 12, 1, 6, 11};
static const uint8_t NEXT_ROWS[16] = {5, 10, 15, 0, 9, 14, 3, 4, 13, 2, 7, 8, 1, 6, 11, 12};

static inline uint8x16_t sub_bytes(uint8x16_t x)
{
    const uint8x16_t quarter = vdupq_n_u8(64);
    uint8x16_t y = vqtbl4q_u8(vld1q_u8_x4(SBOX), x);

#pragma GCC unroll 3
    for (int i = 64; i < 256; i += 64) {
        x = vsubq_u8(x, quarter);
        y = vqtbx4q_u8(y, vld1q_u8_x4(SBOX + i), x);
    }
    return y;
}

/* Twice each byte in GF(2^8). */
static inline uint8x16_t times2(uint8x16_t x)
{
    const uint8x16_t over = vreinterpretq_u8_s8(vshrq_n_s8(vreinterpretq_s8_u8(x), 7));

    return veorq_u8(vshlq_n_u8(x, 1), vandq_u8(over, vdupq_n_u8(0x1b)));
}

static inline uint8x16_t two_rows_on(uint8x16_t x)
{
    return vreinterpretq_u8_u16(vrev32q_u16(vreinterpretq_u16_u8(x)));
}

/* 2a + 3a' + a'' + a''' = 2(a + a') + a' + (a + a')'', each prime a row on. */
static inline uint8x16_t middle_round(uint8x16_t x, uint8x16_t key)
{
    const uint8x16_t s = sub_bytes(x), next = vqtbl1q_u8(s, vld1q_u8(NEXT_ROWS));
    const uint8x16_t sum = veorq_u8(vqtbl1q_u8(s, vld1q_u8(SHIFT_ROWS)), next);

    return veorq_u8(veorq_u8(times2(sum), next), veorq_u8(two_rows_on(sum), key));
}

static inline uint8x16_t last_round(uint8x16_t x, uint8x16_t key)
{
    return veorq_u8(vqtbl1q_u8(sub_bytes(x), vld1q_u8(SHIFT_ROWS)), key);
}

/* Enciphers n blocks at once; n is a constant at each call. */
static inline __attribute__((always_inline)) void
encrypt(uint8x16_t s[], int n, const uint8_t *schedule)
{
    const uint8_t *last = schedule + 16 * load32_le(schedule + AES_ROUNDS_AT);
    uint8x16_t key = vld1q_u8(schedule);

#pragma GCC unroll 4
    for (int i = 0; i < n; i++)
        s[i] = veorq_u8(s[i], key);
    schedule += 16;
    do {
        key = vld1q_u8(schedule);
#pragma GCC unroll 4
        for (int i = 0; i < n; i++)
            s[i] = middle_round(s[i], key);
    } while ((schedule += 16) != last);
    key = vld1q_u8(last);
#pragma GCC unroll 4
    for (int i = 0; i < n; i++)
        s[i] = last_round(s[i], key);
}

static uint32_t sub_word(uint32_t w)
{
    const uint8x16_t s = sub_bytes(vreinterpretq_u8_u32(vdupq_n_u32(w)));

    return vgetq_lane_u32(vreinterpretq_u32_u8(s), 0);
}

int rig_aes_set_encrypt_key_neon(const uint8_t *key, int bits, void *schedule)
{
    aes_expand_key(schedule, key, bits, sub_word);
    return 0;
}

#include "aes_ctr32_neon.h"

void rig_aes_encrypt_neon(const uint8_t in[16], uint8_t out[16], const void *schedule)
{
    uint8x16_t s = vld1q_u8(in);

    encrypt(&s, 1, schedule);
    vst1q_u8(out, s);
}

void rig_aes_ctr32_encrypt_blocks_neon(const uint8_t *in, uint8_t *out, size_t blocks,
                                       const void *schedule, const uint8_t ivec[16])
{
    ctr32(in, out, blocks, schedule, ivec);
}
