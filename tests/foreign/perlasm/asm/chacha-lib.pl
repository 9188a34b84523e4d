#!/usr/bin/env perl
# A script that writes through functions of another one, which it finds by a list of folders.
$output = pop @ARGV;
open STDOUT, '>', $output or die "cannot write $output: $!";
$0 =~ m{(.*/)};
push @INC, "${1}", "${1}../perlasm";
require "asm.pl";

&asm_init(@ARGV);
&local_begin("lib_core");
&emit("CHACHA20_SSSE3 incl");
&function_end("lib_core");
&function_begin("ChaCha20_ctr32_lib");
&emit("call    lib_core");
&emit("jmp     wipe_registers");
&function_end("ChaCha20_ctr32_lib");
&asm_finish();
close STDOUT or die "error closing STDOUT: $!";
