/* What poly1305_init_func hands out where there is NEON; the context is that of poly1305.c. */
#define poly1305_blocks_avx2 poly1305_blocks_neon
#define poly1305_emit_avx poly1305_emit_neon
#include "poly1305_avx2.c"
