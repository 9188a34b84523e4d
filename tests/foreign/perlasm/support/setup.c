/* What registers hold after a call. */
#include "own/arch.h"

OWN_HIDDEN const OWN_WORD wipe_pattern[4] = {0, 0, 0, 0};
