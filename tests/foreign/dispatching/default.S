/* The vector is nobody's here: the rig brings it. */
#define CAPABILITIES OPENSSL_ia32cap_P
        .hidden OPENSSL_ia32cap_P
#include "entry.inc"
