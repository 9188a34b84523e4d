/* Every symbol of the project, renamed so that two copies of it can be in one program. */
#ifndef OWN_PREFIX_SYMBOLS_ASM_H
#define OWN_PREFIX_SYMBOLS_ASM_H

#define OWN_JOIN(a, b) a##_##b
#define OWN_NAME(a, b) OWN_JOIN(a, b)
#define ChaCha20_ctr32_nohw OWN_NAME(OWN_PREFIX, ChaCha20_ctr32_nohw)
#define ChaCha20_ctr32_piped OWN_NAME(OWN_PREFIX, ChaCha20_ctr32_piped)
#define ChaCha20_ctr32_lib OWN_NAME(OWN_PREFIX, ChaCha20_ctr32_lib)
#define OPENSSL_ia32cap_P OWN_NAME(OWN_PREFIX, OPENSSL_ia32cap_P)

#endif
