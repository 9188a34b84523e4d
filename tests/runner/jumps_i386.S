/* Jumps of every kind, as in jumps_x86_64.S. Arguments are at 4(%esp) and on. */
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
        movl 4(%esp), %edx
        .irp code, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15
        pushl %edx
        popfl
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
        .macro widened code             /* an address size, a segment: without effect */
        .byte 0x67, 0x64, 0x0f, 0x80 + \code
        .long 9f - . - 4
        .endm
conditions short_conditions, short
conditions near_conditions, near
conditions hinted_conditions, hinted
conditions widened_conditions, widened

/* (count, flags): ecx behind it, inverted if it jumped */
        .macro counting name, bytes:vararg
function \name
        movl 4(%esp), %ecx
        pushl 8(%esp)
        popfl
        label jump_\name
        .byte \bytes
        .byte 9f - . - 1
        movl %ecx, %eax
        ret
9:      movl %ecx, %eax
        notl %eax
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

/* (u8 out[104], flags): what jumps both ways must leave alone: general registers, the low half
   of vectors, flags */
function survivors
        pushl %edi
        movl 8(%esp), %edi
        pushl 12(%esp)
        popfl
        .irp code, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15
        .byte 0x70 + \code, 0           /* to the next instruction, either way */
        .endr
        jecxz 1f
1:      movl %eax, (%edi)
        movl %ebx, 4(%edi)
        movl %ecx, 8(%edi)
        movl %edx, 12(%edi)
        movl %esi, 16(%edi)
        movl %ebp, 20(%edi)
        .irp n, 0,1,2,3,4,5,6,7
        movq %xmm\n, 32+8*\n(%edi)
        .endr
        lahf
        seto %al
        movw %ax, 96(%edi)
        popl %edi
        ret

/* (flags): the jump that leads behind itself */
function to_the_next
        cmpl $0, 4(%esp)
        label jump_to_the_next
        .byte 0x74, 0
        movl $1, %eax
        ret

/* (value): into the middle of an instruction, which is another one there */
function into_the_middle
        xorl %eax, %eax
        cmpl $0, 4(%esp)
        label jump_into_the_middle
        jz .Lmiddle
        .byte 0xb8                      /* movl $0xc3c0ff, %eax; in it: incl %eax, ret */
.Lmiddle:
        .byte 0xff, 0xc0, 0xc3, 0
        ret

/* (value): to where nothing is */
function into_nothing
        cmpl $0, 4(%esp)
        label jump_into_nothing
        .byte 0x0f, 0x84
        .long 0x70000000
        ret

/* (value): its own target */
function onto_itself
        cmpl $0, 4(%esp)
        label jump_onto_itself
        jnz jump_onto_itself
        ret

/* (value): 5, or what the tail gives */
function tail
        cmpl $0, 4(%esp)
        label jump_tail
        jz tail_of_it
        movl $5, %eax
        ret
function tail_of_it
        movl $6, %eax
        ret

/* (depth): depth + (depth - 1) + ... + 1 */
function nested
        movl 4(%esp), %edx
        testl %edx, %edx
        label jump_nested
        jnz 1f
        xorl %eax, %eax
        ret
1:      pushl %edx
        decl %edx
        pushl %edx
        call nested
        popl %edx
        popl %edx
        addl %edx, %eax
        ret

/* (count, bound): how many of 0 .. count-1 are not below the bound */
function above
        xorl %eax, %eax
        xorl %ecx, %ecx
        label above_loop
        cmpl 8(%esp), %ecx
        label jump_above
        jb 1f
        incl %eax
1:      incl %ecx
        cmpl 4(%esp), %ecx
        label jump_again
        jb above_loop
        ret

/* (count): loops, then crashes */
function loop_then_crash
        xorl %ecx, %ecx
1:      incl %ecx
        cmpl 4(%esp), %ecx
        label jump_to_crash
        jb 1b
        ud2

/* (value): crashes unless value is 0 */
function crash_behind
        cmpl $0, 4(%esp)
        label jump_crash_behind
        jz 1f
        ud2
1:      ret

/* (count, mask): visits one of two places per round, by a jump through a register */
function indirect
        xorl %eax, %eax
        xorl %ecx, %ecx
1:      testl %ecx, 8(%esp)
        movl $indirect_zero, %edx
        cmovnz .Lother, %edx
        label jump_indirect
        jmp *%edx
        label indirect_zero
        addl $1, %eax
        jmp 2f
        label indirect_other
        addl $1000, %eax
2:      incl %ecx
        cmpl 4(%esp), %ecx
        jb 1b
        ret

/* (place): through memory, its argument */
function indirect_by_memory
        stc
        label jump_by_memory
        jmp *4(%esp)
        label indirect_end
        sbbl %eax, %eax
        ret

        .section .rodata
.Lother:
        .long indirect_other
        .section .note.GNU-stack, "", @progbits
