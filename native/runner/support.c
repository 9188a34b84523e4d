/*
 * The functions that compilers call by themselves in freestanding code: of memory, and on
 * 32 bits those of 64-bit numbers (libgcc's names, the Run-time ABI for the Arm Architecture).
 * They are outside what is proven or covered. Compile with -fno-builtin, or a
 * compiler may turn a loop into a call of the function that it stands in.
 */
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("no-tree-loop-distribute-patterns")
#endif

typedef uint64_t __attribute__((may_alias, aligned(1))) word;

/* Right for overlaps with to below from: what a store overwrites was loaded before. */
static inline void copy_up(uint8_t *to, const uint8_t *from, size_t size) {
    for (; size >= sizeof(word); size -= sizeof(word), to += sizeof(word), from += sizeof(word))
        *(word *)to = *(const word *)from;
    for (; size; size--) *to++ = *from++;
}

/* Right for overlaps with to above from. */
static inline void copy_down(uint8_t *to, const uint8_t *from, size_t size) {
    for (; size >= sizeof(word); size -= sizeof(word))
        *(word *)(to + size - sizeof(word)) = *(const word *)(from + size - sizeof(word));
    for (; size; size--) to[size - 1] = from[size - 1];
}

void *memcpy(void *restrict to, const void *restrict from, size_t size) {
    copy_up(to, from, size);
    return to;
}

void *memmove(void *to, const void *from, size_t size) {
    if ((uintptr_t)to - (uintptr_t)from >= size) copy_up(to, from, size);
    else copy_down(to, from, size);
    return to;
}

void *memset(void *to, int value, size_t size) {
    uint8_t *d = to;
    uint64_t filled = (uint8_t)value * 0x0101010101010101ull;
    for (; size >= sizeof(word); size -= sizeof(word), d += sizeof(word)) *(word *)d = filled;
    for (; size; size--) *d++ = (uint8_t)value;
    return to;
}

int memcmp(const void *left, const void *right, size_t size) {
    const uint8_t *a = left, *b = right;
    for (; size >= sizeof(word) && *(const word *)a == *(const word *)b; size -= sizeof(word))
        a += sizeof(word), b += sizeof(word);
    for (; size; size--, a++, b++)
        if (*a != *b) return *a - *b;
    return 0;
}

int bcmp(const void *left, const void *right, size_t size) {
    return memcmp(left, right, size);
}

#if UINTPTR_MAX == UINT32_MAX

/* -------- numbers of 64 bits -------- */

union halves {
    uint64_t whole;
    struct {
        uint32_t low, high;
    };
};

uint64_t __udivmoddi4(uint64_t dividend, uint64_t divisor, uint64_t *remainder);
uint64_t __udivdi3(uint64_t dividend, uint64_t divisor);
uint64_t __umoddi3(uint64_t dividend, uint64_t divisor);
int64_t __divmoddi4(int64_t dividend, int64_t divisor, int64_t *remainder);
int64_t __divdi3(int64_t dividend, int64_t divisor);
int64_t __moddi3(int64_t dividend, int64_t divisor);
uint64_t __muldi3(uint64_t left, uint64_t right);
uint64_t __ashldi3(uint64_t value, int count);
uint64_t __lshrdi3(uint64_t value, int count);
int64_t __ashrdi3(int64_t value, int count);

/* Shifts and subtracts; a divisor of 0 gives all ones, and the dividend as the remainder. */
uint64_t __udivmoddi4(uint64_t dividend, uint64_t divisor, uint64_t *remainder) {
    uint64_t quotient = 0, rest = 0;
    for (int bit = 0; bit < 64; bit++) {
        const int carry = (int)(rest >> 63);
        rest = rest << 1 | dividend >> 63;
        dividend <<= 1;
        quotient <<= 1;
        if (carry || rest >= divisor) rest -= divisor, quotient |= 1;
    }
    if (remainder) *remainder = rest;
    return quotient;
}

uint64_t __udivdi3(uint64_t dividend, uint64_t divisor) {
    return __udivmoddi4(dividend, divisor, NULL);
}

uint64_t __umoddi3(uint64_t dividend, uint64_t divisor) {
    uint64_t remainder;
    __udivmoddi4(dividend, divisor, &remainder);
    return remainder;
}

static uint64_t magnitude(int64_t value) { return value < 0 ? -(uint64_t)value : (uint64_t)value; }

static int64_t with_sign(uint64_t value, int negative) {
    return (int64_t)(negative ? -value : value);
}

/* Rounds towards zero; the remainder has the dividend's sign. */
int64_t __divmoddi4(int64_t dividend, int64_t divisor, int64_t *remainder) {
    uint64_t rest;
    const uint64_t quotient = __udivmoddi4(magnitude(dividend), magnitude(divisor), &rest);
    if (remainder) *remainder = with_sign(rest, dividend < 0);
    return with_sign(quotient, (dividend < 0) != (divisor < 0));
}

int64_t __divdi3(int64_t dividend, int64_t divisor) { return __divmoddi4(dividend, divisor, NULL); }

int64_t __moddi3(int64_t dividend, int64_t divisor) {
    int64_t remainder;
    __divmoddi4(dividend, divisor, &remainder);
    return remainder;
}

uint64_t __muldi3(uint64_t left, uint64_t right) {
    const union halves a = {left}, b = {right};
    union halves product = {(uint64_t)a.low * b.low};
    product.high += a.low * b.high + a.high * b.low;
    return product.whole;
}

/* Counts are 0 to 63. */
uint64_t __ashldi3(uint64_t value, int count) {
    const union halves v = {value};
    union halves shifted = {value};
    if (count & 32) shifted.high = v.low << (count & 31), shifted.low = 0;
    else if (count) shifted.high = v.high << count | v.low >> (32 - count), shifted.low <<= count;
    return shifted.whole;
}

static uint64_t shift_right(uint64_t value, int count, uint32_t fill) {
    const union halves v = {value};
    const int part = count & 31;
    const uint32_t high = part ? fill << (32 - part) | v.high >> part : v.high;
    union halves shifted = {value};
    if (count & 32) shifted.low = high, shifted.high = fill;
    else if (count) shifted.low = v.high << (32 - part) | v.low >> part, shifted.high = high;
    return shifted.whole;
}

uint64_t __lshrdi3(uint64_t value, int count) { return shift_right(value, count, 0); }

int64_t __ashrdi3(int64_t value, int count) {
    return (int64_t)shift_right((uint64_t)value, count, value < 0 ? UINT32_MAX : 0);
}

#endif

#if defined(__arm__)

/* -------- the names of the Arm Architecture's run-time ABI -------- */

void __aeabi_memcpy(void *to, const void *from, size_t size);
void __aeabi_memmove(void *to, const void *from, size_t size);
void __aeabi_memset(void *to, size_t size, int value);
void __aeabi_memclr(void *to, size_t size);
uint64_t __aeabi_uidivmod(uint32_t dividend, uint32_t divisor);
uint32_t __aeabi_uidiv(uint32_t dividend, uint32_t divisor);
uint64_t __aeabi_idivmod(int32_t dividend, int32_t divisor);
int32_t __aeabi_idiv(int32_t dividend, int32_t divisor);
void __aeabi_uldivmod(void);
void __aeabi_ldivmod(void);

void __aeabi_memcpy(void *to, const void *from, size_t size) { memcpy(to, from, size); }
void __aeabi_memmove(void *to, const void *from, size_t size) { memmove(to, from, size); }
void __aeabi_memset(void *to, size_t size, int value) { memset(to, value, size); }
void __aeabi_memclr(void *to, size_t size) { memset(to, 0, size); }

#define SAME(name, as) __typeof__(as) name __attribute__((alias(#as)))
SAME(__aeabi_memcpy4, __aeabi_memcpy);
SAME(__aeabi_memcpy8, __aeabi_memcpy);
SAME(__aeabi_memmove4, __aeabi_memmove);
SAME(__aeabi_memmove8, __aeabi_memmove);
SAME(__aeabi_memset4, __aeabi_memset);
SAME(__aeabi_memset8, __aeabi_memset);
SAME(__aeabi_memclr4, __aeabi_memclr);
SAME(__aeabi_memclr8, __aeabi_memclr);
SAME(__aeabi_lmul, __muldi3);
SAME(__aeabi_llsl, __ashldi3);
SAME(__aeabi_llsr, __lshrdi3);
SAME(__aeabi_lasr, __ashrdi3);

/* The quotient comes in r0, the remainder in r1. */
uint64_t __aeabi_uidivmod(uint32_t dividend, uint32_t divisor) {
    uint64_t remainder;
    const uint64_t quotient = __udivmoddi4(dividend, divisor, &remainder);
    return (uint32_t)quotient | remainder << 32;
}

uint32_t __aeabi_uidiv(uint32_t dividend, uint32_t divisor) {
    return (uint32_t)__aeabi_uidivmod(dividend, divisor);
}

uint64_t __aeabi_idivmod(int32_t dividend, int32_t divisor) {
    int64_t remainder;
    const int64_t quotient = __divmoddi4(dividend, divisor, &remainder);
    return (uint32_t)quotient | (uint64_t)remainder << 32;
}

int32_t __aeabi_idiv(int32_t dividend, int32_t divisor) {
    return (int32_t)__aeabi_idivmod(dividend, divisor);
}

/* The quotient comes in r0 and r1, the remainder in r2 and r3, which no C function can do. */
#define DIVISION(name, by)                    \
    __attribute__((naked)) void name(void) {  \
        __asm__("push {r11, lr}\n\t"          \
                "sub sp, sp, #16\n\t"         \
                "add r12, sp, #8\n\t"         \
                "str r12, [sp]\n\t"           \
                "bl " #by "\n\t"              \
                "ldr r2, [sp, #8]\n\t"        \
                "ldr r3, [sp, #12]\n\t"       \
                "add sp, sp, #16\n\t"         \
                "pop {r11, pc}");             \
    }
DIVISION(__aeabi_uldivmod, __udivmoddi4)
DIVISION(__aeabi_ldivmod, __divmoddi4)

#endif
