/* What the runner's tests call: each function does one thing, right or wrong. */
#include <stddef.h>
#include <stdint.h>

uint32_t vector[2];
int state = 7;

uint64_t sum10(uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e, uint64_t f, uint64_t g,
               uint64_t h, uint64_t i, uint64_t j) {
    return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i + 10 * j;
}

/* Of every width, in an order in which ABIs leave gaps. */
uint64_t mixed(uint8_t a, uint64_t b, int16_t c, uint64_t d, uint32_t e, int8_t f, uint64_t g,
               uint16_t h, uint64_t i) {
    return a + 3 * b + 5 * (uint64_t)c + 7 * d + 11ull * e + 13 * (uint64_t)f + 17 * g + 19 * h +
           23 * i;
}

uint64_t late(uint32_t a, uint32_t b, uint32_t c, uint64_t d, uint32_t e) {
    return a + 3ull * b + 5ull * c + 7 * d + 11ull * e;
}

/* A crash where the arguments are others than these. */
void must_be_mixed(uint8_t a, uint64_t b, int16_t c, uint64_t d, uint32_t e, int8_t f, uint64_t g,
                   uint16_t h, uint64_t i) {
    if (mixed(a, b, c, d, e, f, g, h, i) != mixed(1, 2ull << 40, -3, 4ull << 40, 5, -6, 7, 8, 9))
        __builtin_trap();
}

/* A crash where it is called once more. */
void count_down(volatile uint32_t *left) {
    if (!*left) __builtin_trap();
    --*left;
}

/* volatile keeps loops from becoming calls of memory functions. */
void copy(volatile uint8_t *out, const volatile uint8_t *in, size_t size) {
    for (size_t i = 0; i < size; i++) out[i] = in[i];
}

void increment(volatile uint8_t *out, const volatile uint8_t *in, size_t size) {
    for (size_t i = 0; i < size; i++) out[i] = (uint8_t)(in[i] + 1);
}

void poke(volatile uint8_t *at, ptrdiff_t offset, uint8_t value) { at[offset] = value; }
void flip(volatile uint8_t *at, ptrdiff_t offset) { at[offset] ^= 1; }
uint8_t peek(const volatile uint8_t *at, ptrdiff_t offset) { return at[offset]; }
uintptr_t identity(uintptr_t value) { return value; }
int minus_one(void) { return -1; }
uint32_t read_vector(void) { return ((volatile uint32_t *)vector)[1]; }
int count_up(void) { return ++*(volatile int *)&state; }
int sign(int value) { return value < 0 ? -1 : value > 0; }

void forever(void) {
    for (;;) __asm__ volatile("");
}

static uintptr_t twice(uintptr_t value) { return 2 * value; }
static uintptr_t thrice(uintptr_t value) { return 3 * value; }

/* Gives back a function, as an init does whose blocks it chooses. */
void *choose(int which) { return which ? (void *)thrice : (void *)twice; }

/* A dispatcher: rewrites the table by length. */
void select_by_length(void **table, size_t length) {
    table[0] = length >= 16 ? (void *)thrice : (void *)twice;
}

uintptr_t through_table(uintptr_t (**table)(uintptr_t), uintptr_t value) { return table[0](value); }

int memcmp(const void *left, const void *right, size_t size);

int sign_of_memcmp(const void *left, const void *right, size_t size) {
    return sign(memcmp(left, right, size));
}
