#define rig_chacha20_ctr32_avx2 ChaCha20_ctr32_avx2
#include "../../../native/x86/chacha20_avx2.c"
