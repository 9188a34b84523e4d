/*
 * Contract of the AEADs that are composed over slots. The comment lines are
 * explained in aes.h. slots is an array of function pointers, slot by slot in
 * the order that rig.toml names them, each slot with its contract's functions
 * in the order of the header.
 */
#ifndef RIG_AEAD_H
#define RIG_AEAD_H

#include <stddef.h>
#include <stdint.h>

/*
 * Keys a context and copies slots into it. Returns 0, or -1 with nothing written
 * for a key length that the AEAD has not.
 *   @ctx      out, size 1024, align 16, secret, opaque, refused untouched
 *   @slots    table
 *   @key      in, size key_len, secret
 *   @key_len  value, public
 */
int aead_init(void *ctx, void *const *slots, const uint8_t *key, size_t key_len);

/*
 * Encrypts in to out and writes the tag. Returns 0, or -1 with nothing written
 * for a nonce or tag length that the AEAD has not, and where out and in share
 * memory in part.
 *   @ctx        in, size 1024, align 16, secret, opaque
 *   @out        out, size in_len, secret, nullable, alias in, overlap refused, refused untouched
 *   @tag        out, size tag_len, refused untouched
 *   @tag_len    value, public
 *   @nonce      in, size nonce_len, public
 *   @nonce_len  value, public
 *   @aad        in, size aad_len, public, nullable
 *   @aad_len    value, min 0, public
 *   @in         in, size in_len, secret, nullable
 *   @in_len     value, min 0, public
 */
int aead_seal(const void *ctx, uint8_t *out, uint8_t *tag, size_t tag_len, const uint8_t *nonce,
              size_t nonce_len, const uint8_t *aad, size_t aad_len, const uint8_t *in,
              size_t in_len);

/*
 * Decrypts in to out and verifies the tag in constant time. Returns 0. On a
 * wrong tag, or a nonce or tag length that the AEAD has not, returns -1 and
 * out is all zero: no plaintext is released. Where out and in share memory in
 * part, returns -1 with nothing written.
 *   @ctx        in, size 1024, align 16, secret, opaque
 *   @out        out, size in_len, secret, nullable, alias in, overlap refused, refused zero
 *   @tag        in, size tag_len, nullable
 *   @tag_len    value, public
 *   @nonce      in, size nonce_len, public
 *   @nonce_len  value, public
 *   @aad        in, size aad_len, public, nullable
 *   @aad_len    value, min 0, public
 *   @in         in, size in_len, secret, nullable
 *   @in_len     value, min 0, public
 */
int aead_open(const void *ctx, uint8_t *out, const uint8_t *tag, size_t tag_len,
              const uint8_t *nonce, size_t nonce_len, const uint8_t *aad, size_t aad_len,
              const uint8_t *in, size_t in_len);

/*
 * A message in parts: begin, then aad and behind all of it encrypt or decrypt,
 * each as often as one likes with parts of any length, then finish or verify.
 * ctx was keyed by init and takes one message after another. Each call goes
 * through the slots that it is given; others than those of the call before must
 * have the same layouts. A composition may leave these six functions out.
 *
 * Begins a message. Returns 0, or -1 for a nonce length that the AEAD has not:
 * then none has begun.
 *   @ctx        inout, size 1024, align 16, secret, opaque
 *   @slots      table
 *   @nonce      in, size nonce_len, public
 *   @nonce_len  value, public
 */
int aead_begin(void *ctx, void *const *slots, const uint8_t *nonce, size_t nonce_len);

/*
 * Takes a part of the additional data.
 *   @ctx      inout, size 1024, align 16, secret, opaque
 *   @slots    table
 *   @aad      in, size aad_len, public, nullable
 *   @aad_len  value, min 0, public
 */
void aead_aad(void *ctx, void *const *slots, const uint8_t *aad, size_t aad_len);

/*
 * Encrypts a part of the plaintext from in to out.
 *   @ctx     inout, size 1024, align 16, secret, opaque
 *   @slots   table
 *   @out     out, size in_len, secret, nullable, alias in
 *   @in      in, size in_len, secret, nullable
 *   @in_len  value, min 0, public
 */
void aead_encrypt(void *ctx, void *const *slots, uint8_t *out, const uint8_t *in, size_t in_len);

/*
 * Decrypts a part of the ciphertext from in to out. Nobody may act on out until
 * verify has returned 0.
 *   @ctx     inout, size 1024, align 16, secret, opaque
 *   @slots   table
 *   @out     out, size in_len, secret, nullable, alias in
 *   @in      in, size in_len, secret, nullable
 *   @in_len  value, min 0, public
 */
void aead_decrypt(void *ctx, void *const *slots, uint8_t *out, const uint8_t *in, size_t in_len);

/*
 * Ends a message that was encrypted and writes its tag. Returns 0, or -1 with
 * nothing written for a tag length that the AEAD has not.
 *   @ctx      inout, size 1024, align 16, secret, opaque
 *   @slots    table
 *   @tag      out, size tag_len, refused untouched
 *   @tag_len  value, public
 */
int aead_finish(void *ctx, void *const *slots, uint8_t *tag, size_t tag_len);

/*
 * Ends a message that was decrypted. Returns 0 if tag is its tag, compared in
 * constant time, else -1.
 *   @ctx      inout, size 1024, align 16, secret, opaque
 *   @slots    table
 *   @tag      in, size tag_len, nullable
 *   @tag_len  value, public
 */
int aead_verify(void *ctx, void *const *slots, const uint8_t *tag, size_t tag_len);

#endif
