/*
 * Once-initialisation without a libc, from any thread. UNSET is 0, as static
 * memory begins; who finds FILLING waits.
 */
#ifndef RIG_ONCE_H
#define RIG_ONCE_H

enum progress { UNSET, FILLING, SET };

static inline void rig_pause(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __asm__ volatile("pause");
#else
    __asm__ volatile("yield");
#endif
}

/* Calls fill on the first call; every call returns once it has been done. */
static inline void rig_once(int *progress, void (*fill)(void))
{
    int seen = UNSET;

    if (__atomic_load_n(progress, __ATOMIC_ACQUIRE) == SET)
        return;
    if (__atomic_compare_exchange_n(progress, &seen, FILLING, 0, __ATOMIC_ACQUIRE,
                                    __ATOMIC_ACQUIRE)) {
        fill();
        __atomic_store_n(progress, SET, __ATOMIC_RELEASE);
    }
    while (__atomic_load_n(progress, __ATOMIC_ACQUIRE) != SET)
        rig_pause();
}

#endif
