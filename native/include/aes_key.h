/*
 * The key expansion of FIPS 197 clause 5.2 over a variant's own SubWord.
 */
#ifndef RIG_AES_KEY_H
#define RIG_AES_KEY_H

#include "words.h"

/* Where a schedule keeps its number of rounds: past 15 round keys. */
enum { AES_ROUNDS_AT = 240 };

/*
 * Writes the round keys in order, then the number of rounds, which it returns:
 * 10, 12 or 14. SubWord takes a word with its first byte lowest.
 */
static inline __attribute__((always_inline)) uint32_t
aes_expand_key(uint8_t *schedule, const uint8_t *key, int bits, uint32_t (*sub_word)(uint32_t))
{
    const uint32_t nk = (uint32_t)bits / 32, rounds = nk + 6;
    uint32_t i = 0, phase = 0, rcon = 1, word = 0;

    do {
        if (i < nk) {
            word = load32_le(key + 4 * i);
        } else {
            if (phase == 0) {
                word = sub_word(word >> 8 | word << 24) ^ rcon;
                rcon = rcon << 1 ^ (rcon >> 7) * 0x11b;
            } else if (nk == 8 && phase == 4) {
                word = sub_word(word);
            }
            word ^= load32_le(schedule + 4 * (i - nk));
        }
        store32_le(schedule + 4 * i, word);
        phase = phase + 1 == nk ? 0 : phase + 1;
    } while (++i < 4 * (rounds + 1));
    store32_le(schedule + AES_ROUNDS_AT, rounds);
    return rounds;
}

#endif
