/* Contract of SHA-256's compression function (FIPS 180-4 clause 6.2.2). */
#include <stddef.h>
#include <stdint.h>

/*
 * Absorbs whole blocks into state, the eight words of the hash value in host order.
 *   @state       inout, size 32, align 4, secret
 *   @in          in, size num_blocks*64, secret, nullable
 *   @num_blocks  value, min 0, public
 */
void sha256_block_data_order(uint32_t state[8], const uint8_t *in, size_t num_blocks);
