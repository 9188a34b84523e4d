/* The project's own dispatcher looks at the same vector, and at its neighbour. */
#include <stddef.h>
#include <stdint.h>

extern const uint32_t owned_ia32cap[4], owned_neighbour;
void ChaCha20_ctr32(uint8_t *, const uint8_t *, size_t, const uint32_t *, const uint32_t *);
void foreign_pick_chacha20(void **table, size_t len);

void foreign_pick_chacha20(void **table, size_t len)
{
    (void)len;
    table[0] = owned_neighbour == 0x600df00d ? (void *)ChaCha20_ctr32 : NULL;
}
