        .data
        .globl  bare_ia32cap
bare_ia32cap:
        .long   0, 0, 0, 0
#include "entry.S"
