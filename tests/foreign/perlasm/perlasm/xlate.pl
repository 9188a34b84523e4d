#!/usr/bin/env perl
# Turns neutral text on standard input into the assembly of a flavour.
use strict;
my ($flavour, $output) = @ARGV;
$flavour eq 'elf' or die "xlate: no flavour $flavour\n";
open STDOUT, '>', $output or die "cannot write $output: $!" if $output;

print "#include <own/prefix_symbols_asm.h>\n#include \"chacha20.inc\"\n";
while (my $line = <STDIN>) {
    $line =~ s/^function\s+(\w+)/GLOBAL_FUNCTION $1/;
    $line =~ s/^end\s+(\w+)/END $1/;
    print $line;
}
print ".section .note.GNU-stack,\"\",\@progbits\n";
close STDOUT or die "error closing STDOUT: $!";
