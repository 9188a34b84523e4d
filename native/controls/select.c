/*
 * A dispatcher with a fault: it looks at a bit that no variant declares. An
 * initialiser of the vector with a fault: it says that it is done before it is.
 * control_init_clean is one without.
 */
#include "../dispatch/once.h"
#include "chacha20.h"

#if defined(__x86_64__) || defined(__i386__)
extern uint32_t control_ia32cap[10];
#define UNDECLARED (control_ia32cap[2] & 1u << 8) /* BMI2 */
#define VECTOR control_ia32cap
#else
extern uint32_t control_armcap[1];
#define UNDECLARED (control_armcap[0] & 1u << 4) /* SHA-256 */
#define VECTOR control_armcap
#endif

__typeof__(chacha20_ctr32) control_clean, control_wrong_tail;
void control_select_chacha20(void **table, size_t len);

void control_select_chacha20(void **table, size_t len)
{
    (void)len;
    table[0] = UNDECLARED ? (void *)control_wrong_tail : (void *)control_clean;
}

static void fill(void)
{
    *(volatile uint32_t *)VECTOR = 1;
    *(volatile uint32_t *)VECTOR |= 2;
}

void control_init(void);
void control_init_clean(void);

void control_init(void)
{
    static volatile int done;

    if (done)
        return;
    done = 1;
    fill();
}

void control_init_clean(void)
{
    static int progress;

    rig_once(&progress, fill);
}
