/* chacha20_poly1305.c, and the same without what the tag covers besides. */
#include "chacha20_poly1305.c"

void seal_clean(uint8_t *out, const uint8_t *in, size_t len, const uint8_t *ad, size_t ad_len,
                union seal_data *data);
void seal_without_extra(uint8_t *out, const uint8_t *in, size_t len, const uint8_t *ad,
                        size_t ad_len, union seal_data *data);

void seal_clean(uint8_t *out, const uint8_t *in, size_t len, const uint8_t *ad, size_t ad_len,
                union seal_data *data)
{
    chacha20_poly1305_seal(out, in, len, ad, ad_len, data);
}

void seal_without_extra(uint8_t *out, const uint8_t *in, size_t len, const uint8_t *ad,
                        size_t ad_len, union seal_data *data)
{
    data->in.extra_len = 0;
    chacha20_poly1305_seal(out, in, len, ad, ad_len, data);
}
