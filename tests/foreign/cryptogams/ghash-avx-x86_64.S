/* void gcm_gmult_avx(uint8_t Xi[16], const void *Htable): only H counts, which stands first. */
        .text
        .globl  gcm_gmult_avx
        .type   gcm_gmult_avx, @function
gcm_gmult_avx:
        .cfi_startproc
        jmp     gcm_gmult_clmul
        .cfi_endproc
        .size   gcm_gmult_avx, .-gcm_gmult_avx
        .section .note.GNU-stack, "", @progbits
