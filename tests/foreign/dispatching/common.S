/* Two words, as old files declare them for themselves. */
#define CAPABILITIES foreign_ia32cap
        .comm   foreign_ia32cap, 8, 4
#include "entry.inc"
