/*
 * What x86_64 and i386 share: the vector registers that there are, jumps and traps, the CPU's
 * own words. This first part is for trampolines too.
 */
#ifndef RIG_RUNNER_X86_H
#define RIG_RUNNER_X86_H

#define LEVEL_NONE 0 /* no SSE: an i386 only */
#define LEVEL_SSE 1
#define LEVEL_AVX 2
#define LEVEL_AVX512 3

#ifndef __ASSEMBLER__
#include <stdint.h>

/* The kernel's ucontext_t as far as its registers. */
#if defined(__x86_64__)
enum { FRAME_CX = 14, FRAME_SP_WORD, FRAME_IP, FRAME_FLAGS_WORD, FRAME_REGISTERS = 20 };
#else
enum { FRAME_EDI = 4, FRAME_ESI, FRAME_EBP, FRAME_ESP, FRAME_EBX, FRAME_EDX, FRAME_CX, FRAME_EAX,
       FRAME_ERROR = 13, FRAME_IP, FRAME_FLAGS_WORD = 16, FRAME_SP_WORD = FRAME_ESP,
       FRAME_REGISTERS = 19 };
#endif

struct signal_context {
    unsigned long flags;
    void *link;
    uintptr_t stack[3], registers[FRAME_REGISTERS];
};

enum { FLAG_ALWAYS = 1 << 1, FLAG_TRAP = 1 << 8, FLAG_DIRECTION = 1 << 10 };
enum { ARITHMETIC_FLAGS = 0x8d5 }; /* CF PF AF ZF SF OF */

/* LEVEL_..., by CPUID and what the kernel has enabled. */
unsigned x86_vector_level(void);

/* What flags a run starts with, by those of the RUN. */
uintptr_t x86_prepare(uint64_t seed, uint32_t flags);

/* Whether the processor tells which vector registers are in use above 128 bits. */
int x86_tells_uppers(void);

/* XINUSE (SDM volume 1, 13.6) behind a call that found the registers clean there. */
void x86_check_uppers(uint32_t state);

/* The control words that a call must keep: 28 bytes as fnstenv writes them; mxcsr where there
   is one. `kept` is the number of the first register of MXCSR, x87 control, x87 tags. */
void x86_check_control_words(unsigned kept, const uint16_t x87[14], const uint32_t *mxcsr);

/* The flags of the interrupted code without a step of the runner's own. */
uintptr_t x86_flags(const struct signal_context *context);
#endif

#endif
