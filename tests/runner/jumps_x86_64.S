/* Jumps of every kind. Labels that tests name are global; sizes of jumps are spelt in bytes. */
        .macro function name
        .globl \name
        .type \name, @function
\name:
        .endm

        .macro label name
        .globl \name
\name:
        .endm

        .text
/* (flags): a bit for each of the 16 conditions that held; short_N and near_N are the jumps */
        .macro conditions name, prefix
function \name
        xorl %eax, %eax
        .irp code, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15
        pushq %rdi
        popfq
        label \prefix\()_\code
        \prefix \code
        jmp 8f
9:      orl $1 << \code, %eax
8:
        .endr
        ret
        .endm
        .macro short code
        .byte 0x70 + \code
        .byte 9f - . - 1
        .endm
        .macro near code
        .byte 0x0f, 0x80 + \code
        .long 9f - . - 4
        .endm
        .macro hinted code              /* a branch hint, and bnd, which old processors skip */
        .byte 0x3e, 0xf2, 0x70 + \code
        .byte 9f - . - 1
        .endm
        .macro widened code             /* REX, an address size, a segment: without effect */
        .byte 0x67, 0x64, 0x48, 0x0f, 0x80 + \code
        .long 9f - . - 4
        .endm
conditions short_conditions, short
conditions near_conditions, near
conditions hinted_conditions, hinted
conditions widened_conditions, widened

/* (count, flags): rcx behind it, inverted if it jumped */
        .macro counting name, bytes:vararg
function \name
        movq %rdi, %rcx
        pushq %rsi
        popfq
        label jump_\name
        .byte \bytes
        .byte 9f - . - 1
        movq %rcx, %rax
        ret
9:      movq %rcx, %rax
        notq %rax
        ret
        .endm
counting loopne_whole, 0xe0
counting loope_whole, 0xe1
counting loop_whole, 0xe2
counting jcxz_whole, 0xe3
counting loopne_half, 0x67, 0xe0
counting loope_half, 0x67, 0xe1
counting loop_half, 0x67, 0xe2
counting jcxz_half, 0x67, 0xe3

/* (u8 out[408], flags): what jumps both ways must leave alone: general registers, the red zone,
   the low half of vectors, flags */
function survivors
        pushq %rsi
        popfq
        .irp n, 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16
        movq %r\()8, -8*\n(%rsp)
        leaq \n(%r8, %r9), %r8
        .endr
        .irp code, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15
        .byte 0x70 + \code, 0           /* to the next instruction, either way */
        .endr
        jrcxz 1f
1:      movq %rax, (%rdi)
        movq %rbx, 8(%rdi)
        movq %rcx, 16(%rdi)
        movq %rdx, 24(%rdi)
        movq %rsi, 32(%rdi)
        movq %rbp, 40(%rdi)
        .irp n, 8,9,10,11,12,13,14,15
        movq %r\n, 8*\n-16(%rdi)
        .endr
        .irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15
        movq %xmm\n, 112+8*\n(%rdi)
        .endr
        lahf
        seto %al
        movw %ax, 400(%rdi)
        .irp n, 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16
        movq -8*\n(%rsp), %rax
        movq %rax, 240+8*\n(%rdi)
        .endr
        ret

/* (flags): the jump that leads behind itself */
function to_the_next
        testq %rdi, %rdi
        label jump_to_the_next
        .byte 0x74, 0
        movl $1, %eax
        ret

/* (value): into the middle of an instruction, which is another one there */
function into_the_middle
        xorl %eax, %eax
        testq %rdi, %rdi
        label jump_into_the_middle
        jz .Lmiddle
        .byte 0xb8                      /* movl $0xc3c0ff, %eax; in it: incl %eax, ret */
.Lmiddle:
        .byte 0xff, 0xc0, 0xc3, 0
        ret

/* (value): to where nothing is */
function into_nothing
        testq %rdi, %rdi
        label jump_into_nothing
        .byte 0x0f, 0x84
        .long 0x70000000
        ret

/* (value): its own target */
function onto_itself
        testq %rdi, %rdi
        label jump_onto_itself
        jnz jump_onto_itself
        ret

/* (value): 5, or what the tail gives */
function tail
        testq %rdi, %rdi
        label jump_tail
        jz tail_of_it
        movl $5, %eax
        ret
function tail_of_it
        movl $6, %eax
        ret

/* (depth): depth + (depth - 1) + ... + 1 */
function nested
        testq %rdi, %rdi
        label jump_nested
        jnz 1f
        xorl %eax, %eax
        ret
1:      pushq %rdi
        decq %rdi
        call nested
        popq %rdi
        addq %rdi, %rax
        ret

/* (count, bound): how many of 0 .. count-1 are not below the bound */
function above
        xorl %eax, %eax
        xorl %ecx, %ecx
        label above_loop
        cmpq %rsi, %rcx
        label jump_above
        jb 1f
        incq %rax
1:      incq %rcx
        cmpq %rdi, %rcx
        label jump_again
        jb above_loop
        ret

/* (count): loops, then crashes */
function loop_then_crash
        xorl %ecx, %ecx
1:      incq %rcx
        cmpq %rdi, %rcx
        label jump_to_crash
        jb 1b
        ud2

/* (value): crashes unless value is 0 */
function crash_behind
        testq %rdi, %rdi
        label jump_crash_behind
        jz 1f
        ud2
1:      ret

/* (count, mask): visits one of two places per round, by a jump through a register */
function indirect
        xorl %eax, %eax
        xorl %ecx, %ecx
1:      movq %rcx, %rdx
        andq %rsi, %rdx
        leaq indirect_zero(%rip), %r8
        leaq indirect_other(%rip), %r9
        testq %rdx, %rdx
        cmovnzq %r9, %r8
        label jump_indirect
        jmp *%r8
        label indirect_zero
        addq $1, %rax
        jmp 2f
        label indirect_other
        addq $1000, %rax
2:      incq %rcx
        cmpq %rdi, %rcx
        jb 1b
        ret

/* (place): through memory in the red zone */
function indirect_by_memory
        movq %rdi, -24(%rsp)
        stc
        label jump_by_memory
        jmp *-24(%rsp)
        label indirect_end
        sbbq %rax, %rax
        ret
        .section .note.GNU-stack, "", @progbits
