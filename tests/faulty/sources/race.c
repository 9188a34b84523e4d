/*
 * Initialisers of a capability vector: two that any thread may call first, others that only look
 * like it.
 */
#include "chacha20.h"

enum { UNSET, FILLING, SET };

volatile uint32_t race_vector[4];

__typeof__(chacha20_ctr32) faulty_chacha20_clean;
void race_select_chacha20(void **table, size_t len);

void race_select_chacha20(void **table, size_t len)
{
    (void)len;
    table[0] = (void *)faulty_chacha20_clean;
}

/* As one finds out features: first none, then one after the other. */
static void fill(void)
{
    for (int i = 0; i < 4; i++)
        race_vector[i] = 0;
    for (uint32_t i = 0; i < 4; i++)
        race_vector[i] |= 0x100 + i;
}

#define INITIALISER(name)   \
    void race_##name(void); \
    void race_##name(void)

/* Others wait. */
INITIALISER(once)
{
    static int progress;
    int seen = UNSET;

    if (__atomic_compare_exchange_n(&progress, &seen, FILLING, 0, __ATOMIC_ACQUIRE,
                                    __ATOMIC_ACQUIRE)) {
        fill();
        __atomic_store_n(&progress, SET, __ATOMIC_RELEASE);
    }
    while (__atomic_load_n(&progress, __ATOMIC_ACQUIRE) != SET)
        continue;
}

/* Everyone writes the same, once, and nothing else. */
INITIALISER(same)
{
    for (uint32_t i = 0; i < 4; i++)
        race_vector[i] = 0x100 + i;
}

/* Says that it has been done before it is. */
INITIALISER(early)
{
    static volatile int done;

    if (done)
        return;
    done = 1;
    fill();
}

/* Who comes second does not wait. */
INITIALISER(hasty)
{
    static int progress;

    if (__atomic_exchange_n(&progress, FILLING, __ATOMIC_ACQ_REL) == UNSET)
        fill();
}

/* Says it behind, but two may be at it, and the later one begins with none again. */
INITIALISER(both)
{
    static volatile int done;

    if (done)
        return;
    fill();
    done = 1;
}

/* Waits for its turn, to do it all once more. */
INITIALISER(turns)
{
    static volatile int busy;

    while (__atomic_exchange_n(&busy, 1, __ATOMIC_ACQUIRE))
        continue;
    fill();
    __atomic_store_n(&busy, 0, __ATOMIC_RELEASE);
}

/* Nothing to see. */
INITIALISER(idle)
{
}

/* More to see than is looked at. */
INITIALISER(busy)
{
    for (uint32_t i = 1; i < 1000; i++)
        race_vector[0] = i;
}
