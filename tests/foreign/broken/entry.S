#include "chacha20.inc"

GLOBAL_FUNCTION ChaCha20_ctr32_nohw
        CHACHA20_SCALAR incl
END ChaCha20_ctr32_nohw
