/* What only assembly can do wrong, or see. */
        .macro function name
        .globl \name
        .type \name, @function
\name:
        .endm

        .macro clobber register
        function clobber_\register
        xorl $1, %\register\()d
        ret
        .endm

        .text
        .irp name, r12, r13, r14, r15
        clobber \name
        .endr
function clobber_rbx
        notq %rbx
        ret
function clobber_rbp
        leaq 8(%rbp), %rbp
        ret
function clobber_rsp
        ret $8
function set_direction
        std
        ret
function set_mxcsr
        movl $0x9f80, -8(%rsp)
        ldmxcsr -8(%rsp)
        ret
function raise_sticky_flags
        pcmpeqd %xmm0, %xmm0
        psllq $52, %xmm0
        divsd %xmm0, %xmm0
        sqrtsd %xmm0, %xmm0
        ret
function set_x87_control
        movw $0x27f, -8(%rsp)
        fldcw -8(%rsp)
        ret
function leave_mmx
        pxor %mm0, %mm0
        ret
function clobber_stack
        movb $0, 8+13(%rsp)
        ret
function clobber_argument
        movq $0, 8(%rsp)
        ret
function stack_pointer
        leaq 8(%rsp), %rax
        ret

/* Garbage: what the caller left in a register, in flags, in vectors, below the stack pointer. */
        .irp name, rax, rcx, rdx, rsi, rdi, r8, r9, r10, r11
        function garbage_\name
        movq %\name, %rax
        ret
        .endr
function garbage_flags
        pushfq
        popq %rax
        ret
function garbage_stack
        movq -4096(%rsp), %rax
        ret
function store_registers        /* (u8 out[128 + 512]): general registers, ymm halves */
        movq %rax, (%rdi)
        movq %rbx, 8(%rdi)
        movq %rcx, 16(%rdi)
        movq %rdx, 24(%rdi)
        movq %rsi, 32(%rdi)
        movq %rbp, 40(%rdi)
        movq %r8, 48(%rdi)
        movq %r9, 56(%rdi)
        movq %r10, 64(%rdi)
        movq %r11, 72(%rdi)
        movq %r12, 80(%rdi)
        movq %r13, 88(%rdi)
        movq %r14, 96(%rdi)
        movq %r15, 104(%rdi)
        .irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15
        movdqu %xmm\n, 128+16*\n(%rdi)
        .endr
        ret
function store_ymm              /* (u8 out[512]) */
        .irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15
        vmovdqu %ymm\n, 32*\n(%rdi)
        .endr
        ret
function store_zmm              /* (u8 out[2112]): zmm0-31, k0-k7 */
        .irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
        vmovdqu64 %zmm\n, 64*\n(%rdi)
        .endr
        .irp n, 0,1,2,3,4,5,6,7
        kmovq %k\n, 2048+8*\n(%rdi)
        .endr
        ret

function breakpoint
        nop
        int3
        ret
function undefined
        ud2
function divide
        xorl %ecx, %ecx
        divl %ecx
        ret
function non_canonical
        movq $-1, %rax
        shrq $1, %rax
        movb (%rax), %al
        ret
function leave                  /* (code) */
        movl $231, %eax
        syscall
function kill_self
        movl $39, %eax
        syscall
        movl %eax, %edi
        movl $10, %esi
        movl $62, %eax
        syscall
        ret
function sabotage               /* writes to the protocol's pipe */
        movl $1, %edi
        leaq breakpoint(%rip), %rsi
        movl $16, %edx
        movl $1, %eax
        syscall
        ret
function overflow
        call overflow
function lost_stack
        xorl %esp, %esp
        pushq %rax
        ret

/* Upper halves of vectors: all ones, and cleared again. */
function dirty_uppers
        vcmpps $15, %ymm0, %ymm0, %ymm0
        ret
function clean_uppers
        vcmpps $15, %ymm0, %ymm0, %ymm0
        vzeroupper
        ret

/* By Microsoft's convention: six arguments, four of them in registers. */
function ms_sum
        leaq (%rcx,%rdx,2), %rax
        leaq (%rax,%r8,4), %rax
        leaq (%rax,%r9,8), %rax
        addq 40(%rsp), %rax
        addq 48(%rsp), %rax
        ret
function ms_home                /* belongs to the callee, as arguments do */
        movq %rdi, 8(%rsp)
        movq %rsi, 16(%rsp)
        movq $0, 24(%rsp)
        movq $0, 32(%rsp)
        ret
function ms_above
        movb $0, 40+13(%rsp)
        ret
function ms_rdi
        notq %rdi
        ret
function ms_rsi
        xorl %esi, %esi
        ret
function ms_xmm5
        pcmpeqd %xmm5, %xmm5
        ret
function ms_xmm6
        movsd %xmm0, %xmm6
        ret
function ms_xmm15
        movlhps %xmm0, %xmm15
        ret

/* Two ways: three instructions where rdi is 0, else four. */
        .globl way_zero, way_other
function two_ways
        testq %rdi, %rdi
        jnz way_other
way_zero:
        ret
way_other:
        incq %rdi
        ret
        .section .note.GNU-stack, "", @progbits
