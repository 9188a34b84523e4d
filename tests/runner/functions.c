/* What the runner's tests call: each function does one thing, right or wrong. */
#include <stdint.h>

uint32_t vector[2];
int state = 7;

uint64_t sum10(uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e, uint64_t f, uint64_t g,
               uint64_t h, uint64_t i, uint64_t j) {
    return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i + 10 * j;
}

/* volatile keeps loops from becoming calls of memory functions. */
void copy(volatile uint8_t *out, const volatile uint8_t *in, uint64_t size) {
    for (uint64_t i = 0; i < size; i++) out[i] = in[i];
}

void increment(volatile uint8_t *out, const volatile uint8_t *in, uint64_t size) {
    for (uint64_t i = 0; i < size; i++) out[i] = (uint8_t)(in[i] + 1);
}

void poke(volatile uint8_t *at, int64_t offset, uint8_t value) { at[offset] = value; }
void flip(volatile uint8_t *at, int64_t offset) { at[offset] ^= 1; }
uint8_t peek(const volatile uint8_t *at, int64_t offset) { return at[offset]; }
uint64_t identity(uint64_t value) { return value; }
int minus_one(void) { return -1; }
uint32_t read_vector(void) { return ((volatile uint32_t *)vector)[1]; }
int count_up(void) { return ++*(volatile int *)&state; }
int sign(int value) { return value < 0 ? -1 : value > 0; }

void forever(void) {
    for (;;) __asm__ volatile("");
}

static uint64_t twice(uint64_t value) { return 2 * value; }
static uint64_t thrice(uint64_t value) { return 3 * value; }

/* Gives back a function, as an init does whose blocks it chooses. */
void *choose(int which) { return which ? (void *)thrice : (void *)twice; }

/* A dispatcher: rewrites the table by length. */
void select_by_length(void **table, uint64_t length) {
    table[0] = length >= 16 ? (void *)thrice : (void *)twice;
}

uint64_t through_table(uint64_t (**table)(uint64_t), uint64_t value) { return table[0](value); }

int memcmp(const void *left, const void *right, uint64_t size);

int sign_of_memcmp(const void *left, const void *right, uint64_t size) {
    return sign(memcmp(left, right, size));
}
