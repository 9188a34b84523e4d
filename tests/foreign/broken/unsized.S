        .text
        .globl  ChaCha20_ctr32_nohw
        .type   ChaCha20_ctr32_nohw, @function
ChaCha20_ctr32_nohw:
        ret
