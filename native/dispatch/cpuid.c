/*
 * The capability vector from CPUID and XCR0 (Intel SDM volume 1, 13.2, 14.3
 * and 15.2: a feature with registers of its own may be used only if XCR0 says
 * that the operating system saves them). What the bits mean: capabilities.h.
 */
#if defined(__x86_64__) || defined(__i386__)

#include "capabilities.h"
#include "once.h"

#define BIT(n) ((uint32_t)1 << (n))

#define INTEL BIT(30)     /* word 0 */
#define XOP BIT(11)       /* word 1 */
#define OSXSAVE BIT(27)   /* word 1 */
#define AVOID_ZMM BIT(14) /* word 2 */
#define AVX10 BIT(19)     /* word 6 */

/* Bits of XCR0. The wider state contains the narrower one. */
#define YMM_STATE (BIT(1) | BIT(2))
#define ZMM_STATE (YMM_STATE | BIT(5) | BIT(6) | BIT(7))
#define TILE_STATE (BIT(17) | BIT(18))
#define APX_STATE BIT(19)

/* The features that need a state, as bits of one word each. */
static const struct {
    uint32_t state;
    uint32_t word;
    uint32_t features;
} needs_state[] = {
    /* FMA, AVX, F16C */
    {YMM_STATE, 1, BIT(12) | BIT(28) | BIT(29)},
    /* AVX2 */
    {YMM_STATE, 2, BIT(5)},
    /* AVX512 F, DQ, IFMA, PF, ER, CD, BW, VL */
    {ZMM_STATE, 2,
     BIT(16) | BIT(17) | BIT(21) | BIT(26) | BIT(27) | BIT(28) | BIT(30) | BIT(31)},
    /* VAES, VPCLMULQDQ; GFNI stays, since it has a legacy encoding */
    {YMM_STATE, 3, BIT(9) | BIT(10)},
    /* AVX512 VBMI, VBMI2, VNNI, BITALG, VPOPCNTDQ */
    {ZMM_STATE, 3, BIT(1) | BIT(6) | BIT(11) | BIT(12) | BIT(14)},
    /* AVX512 4VNNIW, 4FMAPS, VP2INTERSECT, FP16 */
    {ZMM_STATE, 4, BIT(2) | BIT(3) | BIT(8) | BIT(23)},
    /* AMX BF16, TILE, INT8 */
    {TILE_STATE, 4, BIT(22) | BIT(24) | BIT(25)},
    /* SHA512, SM3, SM4, AVX-VNNI, AVX-IFMA: VEX encodings only */
    {YMM_STATE, 5, BIT(0) | BIT(1) | BIT(2) | BIT(4) | BIT(23)},
    /* AVX512 BF16 */
    {ZMM_STATE, 5, BIT(5)},
    /* AMX FP16 */
    {TILE_STATE, 5, BIT(21)},
    /* AVX-VNNI-INT8, AVX-NE-CONVERT, AVX-VNNI-INT16 */
    {YMM_STATE, 6, BIT(4) | BIT(5) | BIT(10)},
    /* AMX COMPLEX */
    {TILE_STATE, 6, BIT(8)},
    /* AVX10 */
    {ZMM_STATE, 6, AVX10},
    /* APX */
    {APX_STATE, 6, BIT(21)},
};

static int is_intel(const struct rig_cpuid *leaves)
{
    return leaves->vendor_ebx == 0x756e6547     /* "Genu" */
           && leaves->vendor_edx == 0x49656e69  /* "ineI" */
           && leaves->vendor_ecx == 0x6c65746e; /* "ntel" */
}

static void take_leaf1(uint32_t vector[10], const struct rig_cpuid *leaves)
{
    vector[0] = leaves->leaf1_edx & ~INTEL;
    if (is_intel(leaves))
        vector[0] |= INTEL;
    vector[1] = leaves->leaf1_ecx & ~XOP;
}

static void take_leaf7(uint32_t vector[10], const struct rig_cpuid *leaves)
{
    if (leaves->max_leaf < 7)
        return;
    vector[2] = leaves->leaf7_ebx & ~AVOID_ZMM;
    vector[3] = leaves->leaf7_ecx;
    vector[4] = leaves->leaf7_edx;
    if (leaves->leaf7_max_subleaf < 1)
        return;
    vector[5] = leaves->leaf7_1_eax;
    vector[6] = leaves->leaf7_1_edx;
    vector[7] = leaves->leaf7_1_ebx;
    vector[8] = leaves->leaf7_1_ecx;
}

static void drop_unsaved(uint32_t vector[10], uint32_t saved)
{
    for (unsigned i = 0; i < sizeof needs_state / sizeof needs_state[0]; i++)
        if ((saved & needs_state[i].state) != needs_state[i].state)
            vector[needs_state[i].word] &= ~needs_state[i].features;
}

void rig_ia32cap_from_cpuid(uint32_t vector[10], const struct rig_cpuid *leaves)
{
    uint32_t saved = leaves->has_xcr0 && leaves->leaf1_ecx & OSXSAVE ? leaves->xcr0 : 0;

    for (int i = 0; i < 10; i++)
        vector[i] = 0;
    take_leaf1(vector, leaves);
    take_leaf7(vector, leaves);
    drop_unsaved(vector, saved);
    /* Leaf 24 describes AVX10: version and vector lengths, nothing without it. */
    if (vector[6] & AVX10 && leaves->max_leaf >= 0x24)
        vector[9] = leaves->leaf24_ebx;
}

struct registers {
    uint32_t eax, ebx, ecx, edx;
};

static struct registers cpuid(uint32_t leaf, uint32_t subleaf)
{
    struct registers out;

    __asm__ volatile("cpuid"
                     : "=a"(out.eax), "=b"(out.ebx), "=c"(out.ecx), "=d"(out.edx)
                     : "a"(leaf), "c"(subleaf));
    return out;
}

/* Raises #UD unless CPUID reports OSXSAVE. */
static uint32_t read_xcr0(void)
{
    uint32_t low, high;

    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return low;
}

static void read_leaves(struct rig_cpuid *leaves)
{
    const struct registers leaf0 = cpuid(0, 0), leaf1 = cpuid(1, 0), leaf7 = cpuid(7, 0);
    const struct registers leaf7_1 = cpuid(7, 1), leaf24 = cpuid(0x24, 0);

    *leaves = (struct rig_cpuid){
        .max_leaf = leaf0.eax,
        .vendor_ebx = leaf0.ebx,
        .vendor_edx = leaf0.edx,
        .vendor_ecx = leaf0.ecx,
        .leaf1_ecx = leaf1.ecx,
        .leaf1_edx = leaf1.edx,
        .leaf7_max_subleaf = leaf7.eax,
        .leaf7_ebx = leaf7.ebx,
        .leaf7_ecx = leaf7.ecx,
        .leaf7_edx = leaf7.edx,
        .leaf7_1_eax = leaf7_1.eax,
        .leaf7_1_ebx = leaf7_1.ebx,
        .leaf7_1_ecx = leaf7_1.ecx,
        .leaf7_1_edx = leaf7_1.edx,
        .leaf24_ebx = leaf24.ebx,
        .has_xcr0 = leaf1.ecx & OSXSAVE,
    };
    if (leaves->has_xcr0)
        leaves->xcr0 = read_xcr0();
}

static void fill(void)
{
    struct rig_cpuid leaves;

    read_leaves(&leaves);
    rig_ia32cap_from_cpuid(rig_ia32cap, &leaves);
}

void rig_ia32cap_init(void)
{
    static int progress;

    rig_once(&progress, fill);
}

#endif
