/* chacha20_poly1305_seal and _open (RFC 8439 section 2.8), with one union in and out. */
#define rig_chacha20_ctr32_generic fused_chacha20
#define rig_poly1305_init_donna26 mac_init
#define rig_poly1305_blocks_donna26 mac_blocks
#define rig_poly1305_emit_donna26 mac_emit
#include "../../../native/generic/chacha20_generic.c"
#include "../../../native/generic/poly1305_donna26.c"

union seal_data {
    struct {
        _Alignas(16) uint32_t key[8];
        uint32_t counter[4];
        const uint8_t *extra;
        size_t extra_len;
    } in;
    uint8_t tag[16];
};

union open_data {
    struct {
        _Alignas(16) uint32_t key[8];
        uint32_t counter[4];
    } in;
    uint8_t tag[16];
};

struct mac {
    _Alignas(16) uint8_t ctx[192];
    uint8_t block[16];
    size_t held;
};

void chacha20_poly1305_seal(uint8_t *out, const uint8_t *in, size_t len, const uint8_t *ad,
                            size_t ad_len, union seal_data *data);
void chacha20_poly1305_open(uint8_t *out, const uint8_t *in, size_t len, const uint8_t *ad,
                            size_t ad_len, union open_data *data);

static void mac_absorb(struct mac *mac, const uint8_t *in, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        mac->block[mac->held++] = in[i];
        if (mac->held == 16) {
            mac_blocks(mac->ctx, mac->block, 16, 1);
            mac->held = 0;
        }
    }
}

static void mac_pad(struct mac *mac)
{
    static const uint8_t zeros[16];

    mac_absorb(mac, zeros, (16 - mac->held) % 16);
}

static void begin(struct mac *mac, uint32_t one_time[8], const uint32_t key[8],
                  const uint32_t counter[4], const uint8_t *ad, size_t ad_len)
{
    __builtin_memset(one_time, 0, 32);
    fused_chacha20((uint8_t *)one_time, (uint8_t *)one_time, 32, key, counter);
    mac->held = 0;
    mac_init(mac->ctx, (const uint8_t *)one_time);
    mac_absorb(mac, ad, ad_len);
    mac_pad(mac);
}

static void finish(struct mac *mac, uint8_t tag[16], const uint32_t one_time[8], size_t ad_len,
                   size_t len)
{
    uint8_t lengths[16];

    mac_pad(mac);
    store32_le(lengths, (uint32_t)ad_len);
    store32_le(lengths + 4, 0);
    store32_le(lengths + 8, (uint32_t)len);
    store32_le(lengths + 12, 0);
    mac_absorb(mac, lengths, 16);
    mac_emit(mac->ctx, tag, one_time + 4);
}

static void crypt(uint8_t *out, const uint8_t *in, size_t len, const uint32_t key[8],
                  const uint32_t counter[4])
{
    const uint32_t first[4] = {counter[0] + 1, counter[1], counter[2], counter[3]};

    fused_chacha20(out, in, len, key, first);
}

void chacha20_poly1305_seal(uint8_t *out, const uint8_t *in, size_t len, const uint8_t *ad,
                            size_t ad_len, union seal_data *data)
{
    const size_t extra_len = data->in.extra_len;
    uint32_t one_time[8];
    struct mac mac;

    begin(&mac, one_time, data->in.key, data->in.counter, ad, ad_len);
    crypt(out, in, len, data->in.key, data->in.counter);
    mac_absorb(&mac, out, len);
    mac_absorb(&mac, data->in.extra, extra_len);
    finish(&mac, data->tag, one_time, ad_len, len + extra_len);
}

void chacha20_poly1305_open(uint8_t *out, const uint8_t *in, size_t len, const uint8_t *ad,
                            size_t ad_len, union open_data *data)
{
    uint32_t one_time[8];
    struct mac mac;

    begin(&mac, one_time, data->in.key, data->in.counter, ad, ad_len);
    mac_absorb(&mac, in, len);
    crypt(out, in, len, data->in.key, data->in.counter);
    finish(&mac, data->tag, one_time, ad_len, len);
}
