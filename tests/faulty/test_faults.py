"""Every planted fault is named by the check that it deserves and by no other, the cases that
cannot show it stay quiet, and its twin without the fault passes everything."""

import re
from dataclasses import dataclass

import pytest

from rig.checks.findings import Finding

PUBLISHED, EDGES, SWEEP = SOURCES = ("published", "edges", "sweep")
NEGATIVES, CONTEXTS, ALIGNMENTS = "negatives", "contexts", "alignments"
LONG, HUGE, OVERLAPS = "long", "huge", "overlaps"


@dataclass(frozen=True, slots=True)
class Fault:
    """A variant of TARGET.toml; of the AEAD and the dispatchers it is a set of symbols.

    `source` must find it: `check`, and those in `also`, in words that `says` matches;
    `quiet` sources must not.
    """

    target: str
    primitive: str
    name: str
    twin: str
    source: str
    check: str
    says: str
    quiet: tuple[str, ...] = ()
    also: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        return f"{self.target}-{self.primitive}-{self.name}"


def chacha20(name: str, *rest: str, quiet: tuple[str, ...] = ()) -> Fault:
    twin = "wide" if name.startswith("wide") else "clean"
    return Fault("values", "chacha20", name, twin, *rest, quiet=quiet)


def other(primitive: str, name: str, *rest: str, quiet: tuple[str, ...] = ()) -> Fault:
    twin = "limbs" if name.startswith("limbs") else "clean"
    return Fault("values", primitive, name, twin, *rest, quiet=quiet)


def abi(name: str, says: str, check: str = "abi") -> Fault:
    return Fault("abi", "chacha20", name, f"{name}_twin", PUBLISHED, check, says)


def ending(name: str, check: str, says: str) -> Fault:
    return Fault("endings", "chacha20", name, "finishes", SWEEP, check, says, (PUBLISHED, EDGES))


def aead(name: str, check: str, says: str, *also: str) -> Fault:
    return Fault(
        *("aead", "chacha20_poly1305", name, "clean", NEGATIVES, check, says), SOURCES, also
    )


def overlapping(name: str, check: str, says: str, *also: str) -> Fault:
    quiet = (*SOURCES, NEGATIVES)
    return Fault(*("aead", "chacha20_poly1305", name, "clean", OVERLAPS, check, says), quiet, also)


def in_parts(name: str, check: str, says: str, *also: str, source: str = CONTEXTS) -> Fault:
    return Fault("parts", "chacha20_poly1305", name, "clean", source, check, says, SOURCES, also)


HERE = r" at faulty_chacha20_{name}\+0x[0-9a-f]+: .* \(sources/(chacha20|endings)\.c:\d+\)"
SEALED = r"call 2 \(seal\) returned 0x0, not 0xffffffff"
ACCEPTED = r"call 2 \(open\) returned 0x0, not 0xffffffff"
GARBAGE = "`mac` differs from byte 0 of 16; it depends on garbage"

FAULTS = (
    chacha20("wrong_tail", SWEEP, "value", "`out` .* byte 0 of 1 ", quiet=(PUBLISHED,)),
    chacha20("over_read", SWEEP, "memory", "read 1 byte behind `in` .1 bytes. SIGSEGV" + HERE),
    chacha20("under_read", SWEEP, "memory", "read 1 byte before `in` .1 bytes. SIGSEGV" + HERE),
    chacha20("over_write", SWEEP, "memory", "wrote 1 byte behind `out` .1 bytes. SIGSEGV" + HERE),
    chacha20("scribble", PUBLISHED, "input", "wrote `counter`, which it may only read, at byte 0"),
    chacha20("in_place", SWEEP, "value", "`in` differs from byte 0", quiet=(PUBLISHED,)),
    chacha20("misaligned", SWEEP, "value", "`out` .*; it depends on where the buffers lie"),
    chacha20("nonce_carry", EDGES, "value", "differs from byte 64 of", quiet=(PUBLISHED, SWEEP)),
    chacha20("counter_aligned", ALIGNMENTS, "value", "byte 0 of ", quiet=SOURCES),
    chacha20("apart", ALIGNMENTS, "value", "byte 0 of 6", quiet=SOURCES),
    chacha20("wide_tail", SWEEP, "value", "byte 256 of 257 ", quiet=(PUBLISHED,)),
    chacha20("wide_lane", EDGES, "value", "`out` .* byte 320 of", quiet=(PUBLISHED, SWEEP)),
    chacha20("wide_feed_carry", EDGES, "value", "`out` differs", quiet=(PUBLISHED,)),
    chacha20("wide_chunk", LONG, "value", "`out` .* byte 16896 of 24576", quiet=SOURCES),
    other("poly1305", "last_carry", EDGES, "value", "`mac` differs", quiet=(PUBLISHED, SWEEP)),
    other("poly1305", "unset", PUBLISHED, "uninitialised", GARBAGE),
    other("poly1305", "padbit", PUBLISHED, "uninitialised", GARBAGE),
    other("poly1305", "reused", CONTEXTS, "value", "`mac` differs", quiet=SOURCES),
    other("poly1305", "shared", CONTEXTS, "value", "`mac` differs", quiet=SOURCES),
    other("poly1305", "empty", CONTEXTS, "value", "`mac` differs", quiet=SOURCES),
    other("poly1305", "odd", CONTEXTS, "value", "`mac` differs", quiet=SOURCES),
    other("aes", "bits", PUBLISHED, "value", "`out` differs from byte 0 of 16"),
    other("aes", "long_counter", EDGES, "value", "`out` .* byte 16 of", quiet=(PUBLISHED, SWEEP)),
    other("aes", "tail_wrap", EDGES, "value", "byte 64 of 96 ", quiet=(PUBLISHED, SWEEP)),
    other("poly1305", "limbs_carry", EDGES, "value", "`mac` differs", quiet=(PUBLISHED, SWEEP)),
    other("poly1305", "limbs_unreduced", EDGES, "value", "`mac`", quiet=(PUBLISHED, SWEEP)),
    other("aes", "short_count", HUGE, "value", "byte 1048576 of 1048624", quiet=(*SOURCES, LONG)),
    other("ghash", "top_bit", PUBLISHED, "value", "`Xi` differs from byte 0"),
    abi("rbx", r"call 1 \(ctr32\): rbx is 0xffffffffffffffff after the call, was 0x"),
    abi("rbp", r"call 1 \(ctr32\): rbp is 0xffffffffffffffff after the call, was 0x"),
    abi("r12", r"call 1 \(ctr32\): r12 is 0x"),
    abi("r15", r"call 1 \(ctr32\): r15 is 0x([0-9a-f]{1,8}) after the call, was 0x[0-9a-f]+\1 "),
    abi("rsp", r"call 1 \(ctr32\): rsp is 0x"),
    abi("df", r"call 1 \(ctr32\): DF is 0x1 after the call, was 0x0"),
    abi("mxcsr", r"call 1 \(ctr32\): MXCSR is 0x9f80 after the call, was 0x1f80"),
    abi("x87_control", r"call 1 \(ctr32\): x87 control word is 0xf7f after the call, was 0x37f"),
    abi("mmx", r"call 1 \(ctr32\): x87 tag word is 0x[0-9a-f]+ after the call, was 0xffff"),
    abi("frame", r"call 1 \(ctr32\): the caller's stack changed, 8 bytes above the arguments"),
    abi("borrows", "^faulty_chacha20_rbx_twin ran, .* faulty_chacha20_borrows: jmp ", "path"),
    ending("crash", "crash", "SIGSEGV" + HERE + ", address 0x123456789abc "),
    ending("crash_wild", "crash", "SIGSEGV" + HERE + "(?!, address)"),
    ending("illegal", "crash", r"SIGILL at faulty_chacha20_illegal\+0x[0-9a-f]+: ud2 "),
    ending("endless", "timeout", "still running" + HERE),
    ending("exits", "exit", "the code ended the process with status 3"),
    ending("killed", "crash", "killed by SIGKILL"),
    ending("strays", "path", "^faulty_chacha20_finishes ran, "),
    in_parts("empty", "value", "`tag` differs"),
    in_parts("fresh", "value", "`out` differs"),
    in_parts("stale", "value", "`tag` differs", "return"),
    in_parts("shared", "value", "`tag` differs"),
    in_parts("nothing", "return", "returned 0x0, not 0xffffffff", source=NEGATIVES),
    in_parts("last_byte", "return", "returned 0x0, not 0xffffffff", source=NEGATIVES),
    aead("releases", "value", "differs from byte 0 of .* expected .0 00"),
    aead("leaves", "value", "differs from byte 0 of .* expected .0 00", "uninitialised"),
    aead("leaves_tail", "value", "differs from byte 0 of 1 expected .0 00", "uninitialised"),
    aead("last_byte", "return", ACCEPTED, "value"),
    aead("sum", "return", ACCEPTED, "value"),
    aead("empty", "return", ACCEPTED),
    aead("short_tag", "return", ACCEPTED, "value"),
    aead("long_tag", "return", ACCEPTED, "value"),
    aead("long_nonce", "return", ACCEPTED, "value"),
    aead("long_key", "return", r"call 1 \(init\) returned 0x0, not 0xffffffff", "value"),
    aead("writes", "value", "`(in|out)` differs from byte 0 of 1 .* actual .0 00"),
    aead("keys_early", "value", "`ctx` differs from byte 64 of 1024 expected .64 5c"),
    overlapping("overlaps", "return", SEALED, "value"),
    overlapping("overlaps_before", "return", SEALED, "value"),
    overlapping("clears", "value", "`in` differs from byte [01] of .* actual .0 "),
)
by_id = pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.id)


def words(finding: Finding) -> str:
    return " ".join(" ".join((finding.summary, *finding.details)).split()) + " "


@by_id
def test_fault_is_named(bench, fault):
    target = bench.target(fault.target, fault.name)
    path = target.path(fault.primitive, fault.name)
    outcome = bench.outcome(target, path, fault.source)
    assert {finding.check for finding in outcome.findings} == {fault.check, *fault.also}
    first = next(finding for finding in outcome.findings if finding.check == fault.check)
    assert re.search(fault.says.replace("{name}", fault.name), words(first)), words(first)


@pytest.mark.parametrize(
    ("fault", "source"),
    [pytest.param(f, source, id=f"{f.id}-{source}") for f in FAULTS for source in f.quiet],
)
def test_source_stays_quiet(bench, fault, source):
    """So that it is known which source finds what."""
    target = bench.target(fault.target, fault.name)
    assert not bench.outcome(target, target.path(fault.primitive, fault.name), source).findings


PARTS = {
    ("contexts", "reused"): {"set up again"},
    ("contexts", "shared"): {"in turn"},
    ("contexts", "empty"): {"second call", "split"},
    ("contexts", "odd"): {"second call", "split"},
    ("edges", "limbs_unreduced"): {"accumulator", "sum"},
    ("edges", "limbs_carry"): {"accumulator"},
    ("edges", "tail_wrap"): {"tail"},
}


@pytest.mark.parametrize(("source", "name"), PARTS)
def test_parts_that_find_a_fault(bench, source, name):
    """A part is worth its time for what only it, or its like, finds."""
    target = bench.target("values")
    primitive = next(f.primitive for f in FAULTS if (f.target, f.name) == ("values", name))
    outcome = bench.outcome(target, target.path(primitive, name), source)
    cases, _ = bench.contents(primitive, source)
    found = {cases[finding.script].name.rpartition(" ")[0] for finding in outcome.findings}
    assert found == PARTS[source, name]


def test_memory_fault_names_its_function(bench):
    target = bench.target("values")
    for name in ("over_read", "under_read", "over_write"):
        findings = bench.outcome(target, target.path("chacha20", name), SWEEP).findings
        assert {f.symbol for f in findings if f.symbol} == {f"faulty_chacha20_{name}"}


def test_register_holds_its_neighbours_value(bench):
    """Equal patterns would hide a register that comes back from another's slot."""
    target = bench.target("abi")

    def numbers(name):
        findings = bench.outcome(target, target.path("chacha20", name), PUBLISHED).findings
        return re.findall("0x[0-9a-f]+", findings[0].summary)

    restored, was = numbers("r12")
    assert restored != was
    assert restored != "0xffffffffffffffff"


TWINS = sorted(
    {
        (fault.target, fault.primitive, fault.twin, source)
        for fault in FAULTS
        for source in {*SOURCES, fault.source}
    }
)


@pytest.mark.parametrize(("target", "primitive", "twin", "source"), TWINS)
def test_twin_passes(bench, target, primitive, twin, source):
    made = bench.target(target)
    outcome = bench.outcome(made, made.path(primitive, twin), source)
    assert (outcome.findings, outcome.failed, outcome.abandoned) == ((), 0, 0)
    path = made.path(primitive, twin)
    assert outcome.cases == len(bench.taken(path, source)[0]) > 0


@pytest.mark.parametrize("name", ["values", "abi", "endings"])
def test_every_variant_is_a_fault_or_a_twin(bench, name):
    listed = {(f.primitive, v) for f in FAULTS if f.target == name for v in (f.name, f.twin)}
    variants = bench.target(name).project.manifest.variants("x86_64")
    assert {(v.primitive, v.name) for v in variants} == listed


CHOSEN = "the dispatcher chose chacha20=clean, the manifest's rule chacha20=wide"
BIT = "word 2 bit 8, bmi2: no variant declares it"


def test_dispatcher_that_returns_another_variant(bench):
    mismatches = bench.target("dispatch", "forgets").sweeps["chacha20"].mismatches
    assert mismatches
    assert all(CHOSEN in mismatch for mismatch in mismatches)


def test_dispatcher_that_looks_at_an_undeclared_bit(bench):
    """The bit that makes the difference is named, and no innocent one."""
    mismatches = bench.target("dispatch", "undeclared").sweeps["chacha20"].mismatches
    assert sum(BIT in mismatch for mismatch in mismatches) >= 1
    assert all(BIT in mismatch or CHOSEN in mismatch for mismatch in mismatches)


def test_wrong_path_at_a_length_that_no_query_has(bench):
    target = bench.target("dispatch", "length")
    path = next(p for p in target.sweeps["chacha20"].paths if p.name == "chacha20=clean")
    assert path.kind == "mask"
    (finding,) = bench.outcome(target, path, SWEEP).findings
    assert (finding.check, finding.symbol) == ("path", "faulty_chacha20_wide")
    assert not bench.outcome(target, path, PUBLISHED).findings


def test_clean_dispatcher_leads_to_what_it_names(bench):
    target = bench.target("dispatch")
    assert not target.sweeps["chacha20"].mismatches
    paths = target.sweeps["chacha20"].paths
    assert {(p.kind, p.name) for p in paths} == {
        (kind, f"chacha20={name}") for kind in ("mask", "direct") for name in ("clean", "wide")
    }
    for path in paths:
        assert not any(bench.outcome(target, path, source).findings for source in SOURCES)
