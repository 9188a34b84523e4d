/* Four words of the project's own, with something behind them that must stay. */
#define CAPABILITIES owned_ia32cap
        .data
        .globl  owned_ia32cap, owned_neighbour
        .type   owned_ia32cap, @object
        .p2align 4
owned_ia32cap:
        .long   0, 0, 0, 0
        .size   owned_ia32cap, .-owned_ia32cap
        .type   owned_neighbour, @object
owned_neighbour:
        .long   0x600df00d
        .size   owned_neighbour, .-owned_neighbour
#include "entry.inc"
