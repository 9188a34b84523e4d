#!/usr/bin/env perl
# What several variants share and none of them owns.
my $output = pop @ARGV;
open STDOUT, '>', $output or die "cannot write $output: $!";
print <<'END';
#include <own/prefix_symbols_asm.h>
#include "chacha20.inc"
GLOBAL_FUNCTION wipe_registers
        movdqu  wipe_pattern(%rip), %xmm0
        .irp    i, 1, 2, 3, 8, 9, 10
        movdqa  %xmm0, %xmm\i
        .endr
        ret
END wipe_registers
        .section .note.GNU-stack,"",@progbits
END
