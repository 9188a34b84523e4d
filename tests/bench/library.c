/*
 * A library with the names of libcrypto (or, with SODIUM, of libsodium) around the bundled ChaCha20.
 * With WRONG its answers are wrong; its vector is what the environment says.
 */
#include "../../native/generic/chacha20_generic.c"

char *getenv(const char *name);

static void stream(uint8_t *out, const uint8_t *in, size_t len, const uint8_t *key,
                   const uint8_t *counter) {
    uint32_t words[12];
    for (unsigned i = 0; i < 48; i++)
        ((uint8_t *)words)[i] = i < 32 ? key[i] : counter[i - 32];
    rig_chacha20_ctr32_generic(out, in, len, words, words + 8);
#ifdef WRONG
    out[0] ^= 1;
#endif
}

#ifdef SODIUM
int sodium_init(void) { return 0; }
const char *sodium_version_string(void) { return "0.0"; }

int crypto_stream_chacha20_ietf_xor_ic(uint8_t *out, const uint8_t *in, unsigned long long len,
                                       const uint8_t *nonce, uint32_t first, const uint8_t *key) {
    uint8_t counter[16];
    for (unsigned i = 0; i < 16; i++) counter[i] = i < 4 ? (uint8_t)(first >> 8 * i) : nonce[i - 4];
    stream(out, in, len, key, counter);
    return 0;
}
#else
static uint8_t kept_key[32], kept_counter[16];

const char *OpenSSL_version(int what) { return what ? "" : "OpenSSL 0.0 of a test"; }

const char *OPENSSL_info(int what) {
    static char text[200] = "OPENSSL_ia32cap=";
    const char *given = getenv("OPENSSL_ia32cap");
    unsigned at = 16;
    if (what != 1008) return 0;
    while (given && *given && at < sizeof text - 1) text[at++] = *given++;
    text[at] = 0;
    return text;
}

const void *EVP_chacha20(void) { return kept_key; }
void *EVP_CIPHER_CTX_new(void) { return kept_counter; }

int EVP_CipherInit_ex(void *ctx, const void *cipher, void *engine, const uint8_t *key,
                      const uint8_t *iv, int enc) {
    (void)ctx, (void)cipher, (void)engine, (void)enc;
    for (unsigned i = 0; key && i < 32; i++) kept_key[i] = key[i];
    for (unsigned i = 0; iv && i < 16; i++) kept_counter[i] = iv[i];
    return 1;
}

int EVP_CipherUpdate(void *ctx, uint8_t *out, int *outl, const uint8_t *in, int inl) {
    (void)ctx;
    stream(out, in, (size_t)inl, kept_key, kept_counter);
    *outl = inl;
    return 1;
}
#endif
