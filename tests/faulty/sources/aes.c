/*
 * AES with one fault for each variant around the bundled constant-time code.
 * clean is the same source without the fault.
 */
#include "../../../native/generic/aes_ct64.c"

enum fault { NONE, LONG_COUNTER, BITS, SHORT_COUNT, TAIL_WRAP, BACKWARDS, PAIRS };

#define INLINE static inline __attribute__((always_inline))

/* Any number of bits but 192 and 256 is taken for 128. */
static int set_encrypt_key(const uint8_t *key, int64_t bits, void *schedule)
{
    const int known = bits == 256 ? 256 : bits == 192 ? 192 : 128;

    return rig_aes_set_encrypt_key_ct64(key, known, schedule);
}

/* SP 800-38D clause 6.2: the last 32 bits only. */
INLINE void increment(enum fault fault, uint8_t counter[16])
{
    const int last = fault == LONG_COUNTER ? 0 : 12;

    for (int i = 15; i >= last && ++counter[i] == 0; i--)
        ;
}

/* Which block is next: for a fault not the one behind the last, which shows where out runs into
   in. */
INLINE size_t place_of(enum fault fault, size_t done, size_t blocks)
{
    if (fault == BACKWARDS)
        return blocks - 1 - done;
    return fault == PAIRS && (done | 1) < blocks ? done ^ 1 : done;
}

/* In the last lane but one of the code for six blocks behind those for eight at once. */
INLINE int wraps_in_tail(const uint8_t counter[16], size_t done, size_t blocks)
{
    return blocks % 8 == 6 && done + 2 == blocks && load32_be(counter + 12) == 0;
}

INLINE void ctr32_with(enum fault fault, const uint8_t *in, uint8_t *out, size_t blocks,
                       const void *schedule, const uint8_t ivec[16])
{
    uint8_t counter[16], keystream[16];
    const uint32_t start = load32_be(ivec + 12);

    __builtin_memcpy(counter, ivec, 16);
    for (size_t done = 0; done < blocks; done++) {
        const size_t at = place_of(fault, done, blocks);

        if (fault == BACKWARDS || fault == PAIRS)
            store32_be(counter + 12, start + (uint32_t)at);
        if (fault == SHORT_COUNT && done == 1 << 16)
            __builtin_memcpy(counter, ivec, 16); /* as a count of 16 bits wraps */
        if (fault == TAIL_WRAP && wraps_in_tail(counter, done, blocks))
            counter[11]++;
        rig_aes_encrypt_ct64(counter, keystream, schedule);
        for (int i = 0; i < 16; i++)
            out[16 * at + i] = in[16 * at + i] ^ keystream[i];
        increment(fault, counter);
    }
}

/* bits_type wider than the contract's takes in what the caller left above it. */
#define VARIANT(name, fault, bits_type)                                                          \
    int faulty_aes_set_encrypt_key_##name(const uint8_t *, bits_type, void *);                   \
    __typeof__(aes_encrypt) faulty_aes_encrypt_##name;                                           \
    __typeof__(aes_ctr32_encrypt_blocks) faulty_aes_ctr32_encrypt_blocks_##name;                 \
    int faulty_aes_set_encrypt_key_##name(const uint8_t *key, bits_type bits, void *schedule)    \
    {                                                                                            \
        return set_encrypt_key(key, bits, schedule);                                             \
    }                                                                                            \
    void faulty_aes_encrypt_##name(const uint8_t in[16], uint8_t out[16], const void *schedule)  \
    {                                                                                            \
        rig_aes_encrypt_ct64(in, out, schedule);                                                 \
    }                                                                                            \
    void faulty_aes_ctr32_encrypt_blocks_##name(const uint8_t *in, uint8_t *out, size_t blocks,  \
                                                const void *schedule, const uint8_t ivec[16])    \
    {                                                                                            \
        ctr32_with(fault, in, out, blocks, schedule, ivec);                                      \
    }

VARIANT(clean, NONE, int)
VARIANT(long_counter, LONG_COUNTER, int)
VARIANT(bits, BITS, int64_t)
VARIANT(short_count, SHORT_COUNT, int)
VARIANT(tail_wrap, TAIL_WRAP, int)
VARIANT(backwards, BACKWARDS, int)
VARIANT(pairs, PAIRS, int)
