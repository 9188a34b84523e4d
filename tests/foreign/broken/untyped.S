        .text
        .globl  ChaCha20_ctr32_nohw
ChaCha20_ctr32_nohw:
        ret
