# Functions for scripts to write with; what is particular to a format stands in a further script.
my $simd = 0;

sub asm_init {
    my ($format, @options) = @_;
    $simd = grep { $_ eq '-DIA32_SSE2' } @options;
    my $form = $format =~ /^elf/ ? 'elf' : die "asm.pl: no format $format\n";
    require "asm-$form.pl";
    &file_begin($simd);
}
sub function_begin { print &head($_[0]) }
sub local_begin    { print &local_head($_[0]) }
sub function_end   { print &tail($_[0]) }
sub emit           { print "        $_[0]\n" }
sub asm_finish     { print &file_end() }

1;
