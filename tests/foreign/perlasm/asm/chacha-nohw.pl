#!/usr/bin/env perl
# An older script: it knows no output and prints.
use strict;
my $flavour = shift;
my $align   = $flavour =~ /elf/ ? '.p2align 4' : '.align 4';

print <<"END";
#include <own/prefix_symbols_asm.h>
#include "chacha20.inc"
        .text
        $align
GLOBAL_FUNCTION ChaCha20_ctr32_nohw
        CHACHA20_SCALAR incl
END ChaCha20_ctr32_nohw
END
