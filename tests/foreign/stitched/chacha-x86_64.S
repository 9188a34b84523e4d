/* Two variants in one file; the second leaves short data to the first. */
#include "chacha20.inc"

GLOBAL_FUNCTION ChaCha20_ctr32_nohw
        CHACHA20_SCALAR incl
END ChaCha20_ctr32_nohw

GLOBAL_FUNCTION ChaCha20_ctr32_ssse3
        cmpq    $128, %rdx
        jb      ChaCha20_ctr32_nohw
        CHACHA20_SSSE3 incl
END ChaCha20_ctr32_ssse3
