/*
 * Chooses variants by the capability vector, for each primitive the last one
 * of its stanza in rig.toml whose needs all hold. A bit stands for itself: none
 * implies another, so every combination of bits has exactly one answer.
 *
 * rig_select_PRIMITIVE fills table with the functions of the choice: of a leaf
 * in the order of its contract's header, of an AEAD slot by slot. len is the
 * length class asked for; no choice depends on it.
 */
#include "aes.h"
#include "aes_gcm_fused.h"
#include "chacha20.h"
#include "chacha20_poly1305_fused.h"
#include "ghash.h"
#include "poly1305.h"

#define BIT(n) ((uint32_t)1 << (n))

/*
 * Per architecture: the words of its vector that count (capabilities.h), and
 * its variants, lowest preference first, each with the bits that it needs.
 * Those of AES and GHASH name the variant that sets up for them, itself or
 * another; fused ones name both. The first needs nothing, but for fused ones,
 * of which an architecture may have none.
 */
#if defined(__x86_64__) || defined(__i386__)

extern uint32_t rig_ia32cap[10];
#define VECTOR rig_ia32cap
#define WORDS 4

/* Word by word. */
#define SSE2 BIT(26)

#define PCLMUL BIT(1)
#define SSSE3 BIT(9)
#define AESNI BIT(25)

#define AVX2 BIT(5)
#define AVX512F BIT(16)
#define AVX512IFMA BIT(21)
#define AVX512BW BIT(30)

#define VAES BIT(9)
#define VPCLMUL BIT(10)

#else

extern uint32_t rig_armcap;
#define VECTOR (&rig_armcap)
#define WORDS 1

#define NEON BIT(0)
#define AESE BIT(2)
#define PMULL BIT(5)

#endif

#if defined(__x86_64__)

#define AES_VARIANTS(VARIANT)                                       \
    VARIANT(ct64, ct64, 0)                                          \
    VARIANT(ssse3, ssse3, [1] = SSSE3)                              \
    VARIANT(aesni, aesni, [1] = AESNI)                              \
    VARIANT(vaes_avx2, aesni, [1] = AESNI, [2] = AVX2, [3] = VAES)  \
    VARIANT(vaes_avx512, aesni, [1] = AESNI, [2] = AVX512F | AVX512BW, [3] = VAES)

#define GHASH_VARIANTS(VARIANT)                                                      \
    VARIANT(ct64, ct64, 0)                                                           \
    VARIANT(ssse3, ssse3, [1] = SSSE3)                                               \
    VARIANT(pclmul8, pclmul8, [1] = SSSE3 | PCLMUL)                                  \
    VARIANT(vpclmul_avx2, pclmul8, [1] = SSSE3 | PCLMUL, [2] = AVX2, [3] = VPCLMUL)  \
    VARIANT(vpclmul_avx512, pclmul8, [1] = SSSE3 | PCLMUL, [2] = AVX512F | AVX512BW, \
            [3] = VPCLMUL)

#define CHACHA20_VARIANTS(VARIANT) \
    VARIANT(sse2, 0)               \
    VARIANT(ssse3, [1] = SSSE3)    \
    VARIANT(avx2, [2] = AVX2)      \
    VARIANT(avx512, [2] = AVX512F)

#define POLY1305_VARIANTS(VARIANT) \
    VARIANT(donna44, 0)            \
    VARIANT(avx2, [2] = AVX2)      \
    VARIANT(avx512ifma, [2] = AVX512F | AVX512IFMA)

#define AES_GCM_FUSED_VARIANTS(VARIANT)                                 \
    VARIANT(aesni_pclmul, aesni, pclmul8, [1] = AESNI | SSSE3 | PCLMUL) \
    VARIANT(vaes_avx2, aesni, pclmul8, [1] = AESNI | SSSE3 | PCLMUL,    \
            [2] = AVX2, [3] = VAES | VPCLMUL)                           \
    VARIANT(vaes_avx512, aesni, pclmul8, [1] = AESNI | SSSE3 | PCLMUL,  \
            [2] = AVX512F | AVX512BW, [3] = VAES | VPCLMUL)

#define CHACHA20_POLY1305_FUSED_VARIANTS(VARIANT) \
    VARIANT(ssse3, ssse3, donna44, [1] = SSSE3)   \
    VARIANT(avx2, avx2, avx2, [2] = AVX2)

#elif defined(__i386__)

#define AES_VARIANTS(VARIANT)          \
    VARIANT(ct32, ct32, 0)             \
    VARIANT(ssse3, ssse3, [1] = SSSE3) \
    VARIANT(aesni, aesni, [1] = AESNI)

#define GHASH_VARIANTS(VARIANT)        \
    VARIANT(ct32, ct32, 0)             \
    VARIANT(ssse3, ssse3, [1] = SSSE3) \
    VARIANT(pclmul, pclmul, [1] = SSSE3 | PCLMUL)

#define CHACHA20_VARIANTS(VARIANT) \
    VARIANT(generic, 0)            \
    VARIANT(ssse3, [1] = SSSE3)    \
    VARIANT(avx2, [2] = AVX2)

#define POLY1305_VARIANTS(VARIANT) \
    VARIANT(donna26, 0)            \
    VARIANT(sse2, [0] = SSE2)      \
    VARIANT(avx2, [2] = AVX2)

#elif defined(__aarch64__)

#define AES_VARIANTS(VARIANT) \
    VARIANT(ct64, ct64, 0)    \
    VARIANT(neon, neon, NEON) \
    VARIANT(ce, ce, AESE)

#define GHASH_VARIANTS(VARIANT) \
    VARIANT(ct64, ct64, 0)      \
    VARIANT(neon, neon, NEON)   \
    VARIANT(pmull8, pmull8, PMULL)

#define CHACHA20_VARIANTS(VARIANT) \
    VARIANT(generic, 0)            \
    VARIANT(neon, NEON)

#define POLY1305_VARIANTS(VARIANT) \
    VARIANT(donna44, 0)            \
    VARIANT(neon, NEON)

#define AES_GCM_FUSED_VARIANTS(VARIANT) \
    VARIANT(ce_pmull, ce, pmull8, AESE | PMULL)

#elif defined(__arm__)

#define AES_VARIANTS(VARIANT) \
    VARIANT(ct32, ct32, 0)    \
    VARIANT(neon, neon, NEON) \
    VARIANT(ce, ce, AESE)

#define GHASH_VARIANTS(VARIANT) \
    VARIANT(ct32, ct32, 0)      \
    VARIANT(neon, neon, NEON)   \
    VARIANT(pmull, pmull, PMULL)

#define CHACHA20_VARIANTS(VARIANT) \
    VARIANT(generic, 0)            \
    VARIANT(neon, NEON)

#define POLY1305_VARIANTS(VARIANT) \
    VARIANT(donna26, 0)            \
    VARIANT(neon, NEON)

#endif

#ifndef AES_GCM_FUSED_VARIANTS
#define AES_GCM_FUSED_VARIANTS(VARIANT)
#endif

#ifndef CHACHA20_POLY1305_FUSED_VARIANTS
#define CHACHA20_POLY1305_FUSED_VARIANTS(VARIANT)
#endif

/* beside: for a fused one that sets up for itself, what it stands beside. */
struct variant {
    uint32_t needs[WORDS];
    void *functions[4];
    void *beside[2];
};

/* set_up: the variant that expands the key, and enciphers single blocks. */
#define DECLARE_AES(name, set_up, ...)                                \
    __typeof__(aes_set_encrypt_key) rig_aes_set_encrypt_key_##set_up; \
    __typeof__(aes_encrypt) rig_aes_encrypt_##set_up;                 \
    __typeof__(aes_ctr32_encrypt_blocks) rig_aes_ctr32_encrypt_blocks_##name;
#define AES(name, set_up, ...)                  \
    {{__VA_ARGS__},                             \
     {(void *)rig_aes_set_encrypt_key_##set_up, \
      (void *)rig_aes_encrypt_##set_up,         \
      (void *)rig_aes_ctr32_encrypt_blocks_##name}},
#define AES_FUNCTIONS 3

/* set_up: the variant that makes the table, and multiplies single blocks. */
#define DECLARE_GHASH(name, set_up, ...)              \
    __typeof__(ghash_init) rig_ghash_init_##set_up;   \
    __typeof__(ghash_gmult) rig_ghash_gmult_##set_up; \
    __typeof__(ghash_ghash) rig_ghash_ghash_##name;
#define GHASH(name, set_up, ...)        \
    {{__VA_ARGS__},                     \
     {(void *)rig_ghash_init_##set_up,  \
      (void *)rig_ghash_gmult_##set_up, \
      (void *)rig_ghash_ghash_##name}},
#define GHASH_FUNCTIONS 3

#define DECLARE_CHACHA20(name, ...) __typeof__(chacha20_ctr32) rig_chacha20_ctr32_##name;
#define CHACHA20(name, ...) {{__VA_ARGS__}, {(void *)rig_chacha20_ctr32_##name}},
#define CHACHA20_FUNCTIONS 1

#define DECLARE_POLY1305(name, ...)                         \
    __typeof__(poly1305_init) rig_poly1305_init_##name;     \
    __typeof__(poly1305_blocks) rig_poly1305_blocks_##name; \
    __typeof__(poly1305_emit) rig_poly1305_emit_##name;
#define POLY1305(name, ...)               \
    {{__VA_ARGS__},                       \
     {(void *)rig_poly1305_init_##name,   \
      (void *)rig_poly1305_blocks_##name, \
      (void *)rig_poly1305_emit_##name}},
#define POLY1305_FUNCTIONS 3

#define DECLARE_AES_GCM_FUSED(name, ...)                            \
    __typeof__(aes_gcm_fused_seal) rig_aes_gcm_fused_seal_##name; \
    __typeof__(aes_gcm_fused_open) rig_aes_gcm_fused_open_##name;
#define AES_GCM_FUSED(name, aes, ghash, ...)      \
    {{__VA_ARGS__},                               \
     {(void *)rig_aes_set_encrypt_key_##aes,      \
      (void *)rig_ghash_init_##ghash,             \
      (void *)rig_aes_gcm_fused_seal_##name,      \
      (void *)rig_aes_gcm_fused_open_##name}},
#define AES_GCM_FUSED_FUNCTIONS 4

/* A preference: it is faster than these two one after the other. */
#define DECLARE_CHACHA20_POLY1305_FUSED(name, ...)                                    \
    __typeof__(chacha20_poly1305_fused_seal) rig_chacha20_poly1305_fused_seal_##name; \
    __typeof__(chacha20_poly1305_fused_open) rig_chacha20_poly1305_fused_open_##name;
#define CHACHA20_POLY1305_FUSED(name, chacha20, poly1305, ...)   \
    {{__VA_ARGS__},                                              \
     {(void *)rig_chacha20_poly1305_fused_seal_##name,           \
      (void *)rig_chacha20_poly1305_fused_open_##name},          \
     {(void *)rig_chacha20_ctr32_##chacha20, (void *)rig_poly1305_init_##poly1305}},
#define CHACHA20_POLY1305_FUSED_FUNCTIONS 2

AES_VARIANTS(DECLARE_AES)
GHASH_VARIANTS(DECLARE_GHASH)
CHACHA20_VARIANTS(DECLARE_CHACHA20)
POLY1305_VARIANTS(DECLARE_POLY1305)
AES_GCM_FUSED_VARIANTS(DECLARE_AES_GCM_FUSED)
CHACHA20_POLY1305_FUSED_VARIANTS(DECLARE_CHACHA20_POLY1305_FUSED)

static const struct variant aes_variants[] = {AES_VARIANTS(AES)};
static const struct variant ghash_variants[] = {GHASH_VARIANTS(GHASH)};
static const struct variant chacha20_variants[] = {CHACHA20_VARIANTS(CHACHA20)};
static const struct variant poly1305_variants[] = {POLY1305_VARIANTS(POLY1305)};
/* The first is none. */
static const struct variant aes_gcm_fused_variants[] = {
    {{0}, {0}, {0}}, AES_GCM_FUSED_VARIANTS(AES_GCM_FUSED)};
static const struct variant chacha20_poly1305_fused_variants[] = {
    {{0}, {0}, {0}}, CHACHA20_POLY1305_FUSED_VARIANTS(CHACHA20_POLY1305_FUSED)};

typedef void select_function(void **table, size_t len);

select_function rig_select_aes, rig_select_ghash, rig_select_chacha20, rig_select_poly1305,
    rig_select_aes_gcm_fused, rig_select_aes_gcm, rig_select_chacha20_poly1305_fused,
    rig_select_chacha20_poly1305, rig_select_chacha20_poly1305_old, rig_select_xchacha20_poly1305;

static int is_usable(const struct variant *variant)
{
    uint32_t missing = 0;

    for (int word = 0; word < WORDS; word++)
        missing |= variant->needs[word] & ~VECTOR[word];
    return missing == 0;
}

static void take(void **table, const struct variant *chosen, int functions)
{
    for (int i = 0; i < functions; i++)
        table[i] = chosen->functions[i];
}

static void take_last(void **table, const struct variant *variants, size_t count, int functions)
{
    const struct variant *chosen = &variants[count - 1];

    while (!is_usable(chosen))
        chosen--;
    take(table, chosen, functions);
}

#define COUNT(variants) (sizeof(variants) / sizeof((variants)[0]))
#define TAKE_LAST(table, variants, functions) \
    take_last(table, variants, COUNT(variants), functions)

void rig_select_aes(void **table, size_t len)
{
    (void)len;
    TAKE_LAST(table, aes_variants, AES_FUNCTIONS);
}

void rig_select_ghash(void **table, size_t len)
{
    (void)len;
    TAKE_LAST(table, ghash_variants, GHASH_FUNCTIONS);
}

void rig_select_chacha20(void **table, size_t len)
{
    (void)len;
    TAKE_LAST(table, chacha20_variants, CHACHA20_FUNCTIONS);
}

void rig_select_poly1305(void **table, size_t len)
{
    (void)len;
    TAKE_LAST(table, poly1305_variants, POLY1305_FUNCTIONS);
}

void rig_select_aes_gcm_fused(void **table, size_t len)
{
    (void)len;
    TAKE_LAST(table, aes_gcm_fused_variants, AES_GCM_FUSED_FUNCTIONS);
}

/* The last fused variant that the chosen ones of AES and GHASH set up for, or none. */
void rig_select_aes_gcm(void **table, size_t len)
{
    void **aes = table + AES_GCM_FUSED_FUNCTIONS, **ghash = aes + AES_FUNCTIONS;
    const struct variant *none = aes_gcm_fused_variants;
    const struct variant *fused = none + COUNT(aes_gcm_fused_variants) - 1;

    rig_select_aes(aes, len);
    rig_select_ghash(ghash, len);
    while (fused != none && !(is_usable(fused) && fused->functions[0] == aes[0] &&
                              fused->functions[1] == ghash[0]))
        fused--;
    take(table, fused, AES_GCM_FUSED_FUNCTIONS);
}

void rig_select_chacha20_poly1305_fused(void **table, size_t len)
{
    (void)len;
    TAKE_LAST(table, chacha20_poly1305_fused_variants, CHACHA20_POLY1305_FUSED_FUNCTIONS);
}

static void take_pair(void **table, size_t len)
{
    rig_select_chacha20(table, len);
    rig_select_poly1305(table + CHACHA20_FUNCTIONS, len);
}

/* The last fused variant that stands beside the chosen ones of ChaCha20 and Poly1305, or none. */
void rig_select_chacha20_poly1305(void **table, size_t len)
{
    void **chacha20 = table + CHACHA20_POLY1305_FUSED_FUNCTIONS;
    void **poly1305 = chacha20 + CHACHA20_FUNCTIONS;
    const struct variant *none = chacha20_poly1305_fused_variants;
    const struct variant *fused = none + COUNT(chacha20_poly1305_fused_variants) - 1;

    take_pair(chacha20, len);
    while (fused != none && !(is_usable(fused) && fused->beside[0] == chacha20[0] &&
                              fused->beside[1] == poly1305[0]))
        fused--;
    take(table, fused, CHACHA20_POLY1305_FUSED_FUNCTIONS);
}

void rig_select_chacha20_poly1305_old(void **table, size_t len)
{
    take_pair(table, len);
}

void rig_select_xchacha20_poly1305(void **table, size_t len)
{
    take_pair(table, len);
}
