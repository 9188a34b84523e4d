#include "chacha20.inc"

GLOBAL_FUNCTION ChaCha20_ctr32_nohw
        jmp     chacha20_elsewhere
END ChaCha20_ctr32_nohw
