/*
 * A dispatcher with a fault: it looks at a bit (BMI2) that no variant declares.
 */
#include "chacha20.h"

extern uint32_t control_ia32cap[10];

__typeof__(chacha20_ctr32) control_clean, control_wrong_tail;
void control_select_chacha20(void **table, size_t len);

void control_select_chacha20(void **table, size_t len)
{
    (void)len;
    table[0] = control_ia32cap[2] & 1u << 8 ? (void *)control_wrong_tail : (void *)control_clean;
}
