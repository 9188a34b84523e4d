#!/usr/bin/env perl
# A newer script: the output is the last argument, the text goes through a translator, which is
# found by the script's own path; code that an old assembler would refuse is left out.
my $output  = $#ARGV >= 0 && $ARGV[$#ARGV] =~ /\.\w+$/ ? pop : undef;
my $flavour = $#ARGV >= 0 && $ARGV[0] !~ /\./ ? shift : undef;
my ($dir) = $0 =~ m{^(.*/)};
my $xlate = "${dir}../perlasm/xlate.pl";
-f $xlate or die "cannot find xlate.pl";

my $ssse3 = `$ENV{CC} -v 2>&1` =~ /(?:clang|gcc) version (\d+)/ && $1 >= 3;

open my $out, '|-', "\"$^X\" \"$xlate\" $flavour \"$output\"" or die "cannot call $xlate: $!";
*STDOUT = $out;

print <<'END';
.text
.extern OPENSSL_ia32cap_P
.hidden OPENSSL_ia32cap_P
function ChaCha20_ctr32_piped
        movl    OPENSSL_ia32cap_P+4(%rip), %eax
        testl   $0x200, %eax
        jz      ChaCha20_ctr32_nohw
END
print "        CHACHA20_SSSE3 incl\n" if $ssse3;
print "end ChaCha20_ctr32_piped\n";
close STDOUT or die "error closing STDOUT: $!";
