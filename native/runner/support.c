/*
 * The memory functions that compilers call by themselves in freestanding code.
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
