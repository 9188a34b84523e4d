/*
 * Garbage: the same from the same seed everywhere, and different in every byte between two
 * seeds that differ in their lowest byte only (the default profile's two), so that no use of
 * an uninitialised byte can agree by chance.
 */
#ifndef RIG_RUNNER_GARBAGE_H
#define RIG_RUNNER_GARBAGE_H

#include <stdint.h>

/* key takes in all of the seed but its lowest byte, which is low. */
struct garbage {
    uint64_t key, low;
};

/* Counter-based: each word follows from key and index alone. */
static inline uint64_t mix(uint64_t key, uint64_t index) {
    uint64_t z = key + (index + 1) * 0x9e3779b97f4a7c15ull;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
}

static inline struct garbage garbage_from(uint64_t seed) {
    return (struct garbage){mix(seed >> 8, 0), seed & 0xff};
}

/* Garbage of its own for part index of what g is for. */
static inline struct garbage garbage_part(struct garbage g, uint64_t index) {
    return (struct garbage){mix(~g.key, index), g.low};
}

/* In each byte, low times an odd number: different for each low, and by another difference
   at each place, so that garbage combined with garbage differs too. */
static inline uint64_t garbage_word(struct garbage g, uint64_t index) {
    const uint64_t word = mix(g.key, index), even = 0x00ff00ff00ff00ffull;
    const uint64_t odd = word | 0x0101010101010101ull;
    const uint64_t low = g.low * (odd & even) & even, high = g.low * (odd >> 8 & even) & even;
    return (word >> 32 | word << 32) ^ (low | high << 8);
}

static inline void fill_words(uint64_t *words, unsigned count, struct garbage g) {
    for (unsigned i = 0; i < count; i++) words[i] = garbage_word(g, i);
}

static inline uint8_t garbage_byte(struct garbage g, uint64_t offset) {
    return (uint8_t)(garbage_word(g, offset / 8) >> 8 * (offset % 8));
}

#endif
