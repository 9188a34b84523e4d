/*
 * A fault of the object, not of what it does: an address in the text, which a
 * loader would have to write there.
 */
        .text

/*
 * void control_addresses(uint8_t *out, const uint8_t *in, size_t len,
 *                        const uint32_t key[8], const uint32_t counter[4])
 * Arguments: of the architecture's own C ABI; handed on to control_run as they
 * are. The word behind the jump is never read.
 */
        .globl control_addresses
        .type control_addresses, %function
        .p2align 4
control_addresses:
        .cfi_startproc
#if defined(__x86_64__) || defined(__i386__)
        jmp     control_run
#else
        b       control_run
#endif
        .cfi_endproc
        .size control_addresses, .-control_addresses

        .p2align 3
#if defined(__LP64__)
        .quad   control_addresses
#else
        .long   control_addresses
#endif

        .section .note.GNU-stack,"",%progbits
