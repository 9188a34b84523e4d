/*
 * Functions that are right within a domain only, as ring and OpenSSL dispatch
 * them; outside of it each one traps.
 */
#include "chacha20.inc"

.macro ALLOW condition
        \condition .Lallowed\@
        ud2
.Lallowed\@:
.endm

/* len >= 1 */
GLOBAL_FUNCTION ChaCha20_ctr32_nohw
        testq   %rdx, %rdx
        ALLOW   jnz
        CHACHA20_SCALAR incl
END ChaCha20_ctr32_nohw

/* len >= 129 */
GLOBAL_FUNCTION ChaCha20_ctr32_ssse3_4x
        cmpq    $129, %rdx
        ALLOW   jae
        CHACHA20_SSSE3 incl
END ChaCha20_ctr32_ssse3_4x

/* Whole blocks, 64 <= len <= 1024. */
GLOBAL_FUNCTION ChaCha20_ctr32_blocks
        testq   $63, %rdx
        ALLOW   jz
        cmpq    $64, %rdx
        ALLOW   jae
        cmpq    $1024, %rdx
        ALLOW   jbe
        CHACHA20_SSSE3 incl
END ChaCha20_ctr32_blocks

/* The block counter carries into the nonce. */
GLOBAL_FUNCTION ChaCha20_ctr32_carries
        CHACHA20_SCALAR incq
END ChaCha20_ctr32_carries
