/* What only assembly can do wrong, or see. Arguments are at 4(%esp) and on. */
        .macro function name
        .globl \name
        .type \name, @function
\name:
        .endm

        .text
        .irp name, ebx, ebp, esi, edi
        function clobber_\name
        xorl $1, %\name
        ret
        .endr
function clobber_esp
        ret $8
function set_direction
        std
        ret
function set_mxcsr
        pushl $0x9f80
        ldmxcsr (%esp)
        popl %eax
        ret
function raise_sticky_flags
        pcmpeqd %xmm0, %xmm0
        psllq $52, %xmm0
        divsd %xmm0, %xmm0
        sqrtsd %xmm0, %xmm0
        ret
function set_x87_control
        pushl $0x27f
        fldcw (%esp)
        popl %eax
        ret
function leave_mmx
        pxor %mm0, %mm0
        ret
function clobber_stack
        movb $0, 4+13(%esp)
        ret
function clobber_argument
        movl $0, 4(%esp)
        ret
function stack_pointer
        leal 4(%esp), %eax
        ret

/* Garbage: what the caller left in a register, in flags, in vectors, below the stack pointer. */
        .irp name, eax, ecx, edx
        function garbage_\name
        movl %\name, %eax
        ret
        .endr
function garbage_flags
        pushfl
        popl %eax
        ret
function garbage_stack
        movl -4096(%esp), %eax
        ret
function store_registers        /* (u8 out[32 + 128]): general registers, xmm */
        movl 4(%esp), %eax
        movl %ebx, (%eax)
        movl %ecx, 4(%eax)
        movl %edx, 8(%eax)
        movl %esi, 12(%eax)
        movl %edi, 16(%eax)
        movl %ebp, 20(%eax)
        .irp n, 0,1,2,3,4,5,6,7
        movdqu %xmm\n, 32+16*\n(%eax)
        .endr
        ret
function store_ymm              /* (u8 out[256]) */
        movl 4(%esp), %eax
        .irp n, 0,1,2,3,4,5,6,7
        vmovdqu %ymm\n, 32*\n(%eax)
        .endr
        ret
function store_zmm              /* (u8 out[576]): zmm0-7, k0-k7 */
        movl 4(%esp), %eax
        .irp n, 0,1,2,3,4,5,6,7
        vmovdqu64 %zmm\n, 64*\n(%eax)
        kmovq %k\n, 512+8*\n(%eax)
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
function leave                  /* (code) */
        movl 4(%esp), %ebx
        movl $252, %eax
        int $0x80
function kill_self
        movl $20, %eax
        int $0x80
        movl %eax, %ebx
        movl $10, %ecx
        movl $37, %eax
        int $0x80
        ret
function sabotage               /* writes to the protocol's pipe */
        pushl %ebx
        movl $1, %ebx
        movl $breakpoint, %ecx
        movl $16, %edx
        movl $4, %eax
        int $0x80
        popl %ebx
        ret
function overflow
        call overflow
function lost_stack
        xorl %esp, %esp
        pushl %eax
        ret

/* Upper halves of vectors: all ones, and cleared again. */
function dirty_uppers
        vcmpps $15, %ymm0, %ymm0, %ymm0
        ret
function clean_uppers
        vcmpps $15, %ymm0, %ymm0, %ymm0
        vzeroupper
        ret

/* Two ways: three instructions where the argument is 0, else four. */
        .globl way_zero, way_other
function two_ways
        cmpl $0, 4(%esp)
        jnz way_other
way_zero:
        ret
way_other:
        incl %eax
        ret
        .section .note.GNU-stack, "", @progbits
