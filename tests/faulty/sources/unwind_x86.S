/*
 * Faults in call frame information, x86_64 and i386. All have the prototype of
 * chacha20_ctr32, use ebx or rbx meanwhile, and leave the work to
 * faulty_chacha20_work, with the arguments untouched.
 */
#ifdef __x86_64__
#define BX %rbx
#define BP %rbp
#define SP %rsp
#define KEPT %r11
#define KEPT32 %r11d
#define NUMBER_OF_SP 7
#define WORD 8
#else
#define BX %ebx
#define BP %ebp
#define SP %esp
#define KEPT %eax
#define KEPT32 %eax
#define NUMBER_OF_SP 4
#define WORD 4
#endif
#define RIGHT 0
#define MOVED 1     /* the push does not move the CFA */
#define EPILOGUE 2  /* nor does the pop, alone */
#define SLOT 3      /* the register is said to be one word lower */
#define BARE 4      /* no information at all */

        .text

        .macro begin name, fault
        .globl \name
        .type \name, @function
        .p2align 4
\name:
        .if \fault <> BARE
        .cfi_startproc
        .endif
        .endm

        .macro end name, fault
        .if \fault <> BARE
        .cfi_endproc
        .endif
        .size \name, .-\name
        .endm

        .macro framed name, fault
        begin \name, \fault
        push BX
        .if \fault == RIGHT || \fault == EPILOGUE
        .cfi_adjust_cfa_offset WORD
        .cfi_offset BX, -2*WORD
        .endif
        .if \fault == MOVED
        .cfi_offset BX, -2*WORD
        .endif
        .if \fault == SLOT
        .cfi_adjust_cfa_offset WORD
        .cfi_offset BX, -3*WORD
        .endif
        xor BX, BX
        call helper
        pop BX
        .if \fault == RIGHT || \fault == SLOT
        .cfi_adjust_cfa_offset -WORD
        .endif
        .if \fault <> BARE
        .cfi_restore BX
        .endif
        jmp faulty_chacha20_work
        end \name, \fault
        .endm

        framed faulty_chacha20_twin, RIGHT
        framed faulty_chacha20_moved, MOVED
        framed faulty_chacha20_epilogue, EPILOGUE
        framed faulty_chacha20_slot, SLOT
        framed faulty_chacha20_bare, BARE

/* Neither moves the stack pointer nor has information, which it does not need. */
        begin faulty_chacha20_leaf, BARE
        xor %eax, %eax
        jmp faulty_chacha20_work
        end faulty_chacha20_leaf, BARE

/* Aligned to 64, with the stack pointer kept on the stack: CFA = *(sp + WORD) + WORD, and in the
   faulty one *(sp) + WORD. */
        .macro aligned name, at
        begin \name, RIGHT
        mov SP, KEPT
        .cfi_def_cfa_register KEPT
        sub $64, SP
        and $-64, SP
        mov KEPT, WORD(SP)
        movl $0, (SP)
        .cfi_escape 0x0f, 5, 0x70 + NUMBER_OF_SP, \at, 0x06, 0x23, WORD
        xor KEPT32, KEPT32
        mov WORD(SP), SP
        .cfi_def_cfa SP, WORD
        jmp faulty_chacha20_work
        end \name, RIGHT
        .endm

        aligned faulty_chacha20_aligned_twin, WORD
        aligned faulty_chacha20_aligned, 0

        .type helper, @function
        .p2align 4
helper:
        .cfi_startproc
        push BP
        .cfi_adjust_cfa_offset WORD
        .cfi_rel_offset BP, 0
        mov $1, BP
        pop BP
        .cfi_adjust_cfa_offset -WORD
        .cfi_restore BP
        ret
        .cfi_endproc
        .size helper, .-helper

        .section .note.GNU-stack,"",@progbits
