# What asm.pl writes for ELF.
sub file_begin {
    my ($simd) = @_;
    print "#include <own/prefix_symbols_asm.h>\n#include \"chacha20.inc\"\n";
    print "#if ROUNDS != 20\n#error ROUNDS is missing\n#endif\n";
    print "// vector code is in\n" if $simd;
    print "        .text\n";
}
sub head       { "GLOBAL_FUNCTION $_[0]\n" }
sub local_head { "FUNCTION $_[0]\n" }
sub tail       { "END $_[0]\n" }
sub file_end   { "        .section .note.GNU-stack,\"\",\@progbits\n" }

1;
