/*
 * A dispatcher with a fault: it looks at a bit that no variant declares.
 */
#include "chacha20.h"

#if defined(__x86_64__) || defined(__i386__)
extern uint32_t control_ia32cap[10];
#define UNDECLARED (control_ia32cap[2] & 1u << 8) /* BMI2 */
#else
extern uint32_t control_armcap[1];
#define UNDECLARED (control_armcap[0] & 1u << 4) /* SHA-256 */
#endif

__typeof__(chacha20_ctr32) control_clean, control_wrong_tail;
void control_select_chacha20(void **table, size_t len);

void control_select_chacha20(void **table, size_t len)
{
    (void)len;
    table[0] = UNDECLARED ? (void *)control_wrong_tail : (void *)control_clean;
}
