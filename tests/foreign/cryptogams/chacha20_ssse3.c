#define rig_chacha20_ctr32_ssse3 ChaCha20_ctr32_ssse3
#include "../../../native/x86/chacha20_ssse3.c"
