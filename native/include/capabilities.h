/*
 * The capability vectors. A set bit says that the processor has a feature and
 * that the operating system saves the registers which the feature uses.
 *
 * x86: ten words with the bit positions of OpenSSL's OPENSSL_ia32cap_P.
 *
 *   word 0  CPUID.1:EDX      word 5  CPUID.7.1:EAX
 *   word 1  CPUID.1:ECX      word 6  CPUID.7.1:EDX
 *   word 2  CPUID.7.0:EBX    word 7  CPUID.7.1:EBX
 *   word 3  CPUID.7.0:ECX    word 8  CPUID.7.1:ECX
 *   word 4  CPUID.7.0:EDX    word 9  CPUID.24.0:EBX
 *
 * Bits that are not the processor's own:
 *   word 0 bit 30  the vendor is Intel
 *   word 1 bit 11  AMD's XOP in OpenSSL; always 0 here: no variant has XOP code
 *   word 2 bit 14  "avoid zmm" in BoringSSL; always 0 here: a preference that
 *                  no variant reads, for models that CPUID's features don't tell
 * OpenSSL also rewrites word 0 bits 20 and 28 (RC4, shared caches) and word 1
 * bit 26 (Silvermont); here these stay what CPUID says.
 *
 * ARM: one word with the bit positions of OpenSSL's OPENSSL_armcap_P.
 *
 *   0  NEON   3  SHA1     6  SHA512   9  SM3    13  SVE
 *   1  TICK   4  SHA256   7  CPUID   10  SM4    14  SVE2
 *   2  AES    5  PMULL    8  RNG     11  SHA3   18  DIT
 *
 * TICK (a cycle counter that may be read), which Linux does not tell, is always
 * 0 here; so are bits 12 and 15 to 17, which OpenSSL derives from the model of
 * the core: preferences that no variant reads.
 */
#ifndef RIG_CAPABILITIES_H
#define RIG_CAPABILITIES_H

#include <stdint.h>

#if defined(__x86_64__) || defined(__i386__)

/* What the processor answered, unchecked: a leaf past the maximum may be garbage. */
struct rig_cpuid {
    uint32_t max_leaf; /* CPUID.0:EAX */
    uint32_t vendor_ebx;
    uint32_t vendor_edx;
    uint32_t vendor_ecx;
    uint32_t leaf1_ecx;
    uint32_t leaf1_edx;
    uint32_t leaf7_max_subleaf; /* CPUID.7.0:EAX */
    uint32_t leaf7_ebx;
    uint32_t leaf7_ecx;
    uint32_t leaf7_edx;
    uint32_t leaf7_1_eax;
    uint32_t leaf7_1_ebx;
    uint32_t leaf7_1_ecx;
    uint32_t leaf7_1_edx;
    uint32_t leaf24_ebx;
    uint32_t xcr0;     /* the low word */
    uint32_t has_xcr0; /* 0: XGETBV could not be executed, xcr0 means nothing */
};

extern uint32_t rig_ia32cap[10];

/* A pure function: vector is written, all of it, and depends on leaves only. */
void rig_ia32cap_from_cpuid(uint32_t vector[10], const struct rig_cpuid *leaves);

/* Fills rig_ia32cap on the first call, from any thread; returns once it is filled. */
void rig_ia32cap_init(void);

#else

extern uint32_t rig_armcap;

/* A pure function of AT_HWCAP and AT_HWCAP2 (getauxval(3)). */
uint32_t rig_armcap_from_hwcap(unsigned long hwcap, unsigned long hwcap2);

/* Fills rig_armcap on the first call, from any thread; returns once it is filled. */
void rig_armcap_init(void);

#endif

#endif
