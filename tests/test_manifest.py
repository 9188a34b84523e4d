"""Station 1: what a manifest says, and that each mistake in it is named with its line."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rig.capabilities.bits import LAYOUTS
from rig.capabilities.vector import parse_needs
from rig.data import data_folder
from rig.errors import ManifestError
from rig.manifest import Dispatch, Length, Manifest, read

STANZA = '{ arch = "x86_64", name = "generic", source = "c/chacha.c" }'
HEAD = 'rig = 1\n[chacha20]\nsymbols = { ctr32 = "chacha_{name}" }\n'


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder with the sources that the manifests of this file name."""
    for name in ("c/chacha.c", "c/spare.c", "asm/chacha.S", "asm/script.pl", "include/own.h"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("")
    return tmp_path


def write(project: Path, text: str) -> Path:
    path = project / "rig.toml"
    path.write_text(text)
    return path


def refused(project: Path, text: str) -> str:
    """The message for a manifest, its path cut off: `LINE: ...`."""
    path = write(project, text)
    with pytest.raises(ManifestError) as caught:
        read(path)
    return str(caught.value).replace(f"{path}:", "")


def variants(*stanzas: str) -> str:
    return HEAD + "variants = [\n" + "".join(f"  {s},\n" for s in stanzas) + "]\n"


def stanza(rest: str) -> str:
    return f'{{ arch = "x86_64", name = "generic", source = "c/chacha.c", {rest} }}'


def test_every_key_that_a_manifest_may_have(project):
    manifest = read(
        write(
            project,
            """rig = 1
include = ["include"]
complete = ["asm"]
vector = { x86_64 = "own_cap" }
flavour = { x86_64 = "elf", aarch64 = "linux64" }
generate = { ".pl" = "perl {in} {flavour} {out}" }
dispatch = { source = "c/spare.c", symbol = "pick_{primitive}" }
accept = [
  { check = "abi", symbol = "chacha_wide", reason = "its caller saves rbx" },
]
link = ["c/spare.c", "asm/script.pl"]
defines = ["OWN", "ROUNDS=20"]

[chacha20]
contract = "include/own.h"
symbols = { ctr32 = "chacha_{name}" }
undefined = ["counter-wrap"]
dir = "asm"
variants = [
  { arch = "x86_64", name = "plain", source = "../c/chacha.c" },
  { arch = "aarch64", name = "neon", source = "chacha.S", needs = "neon" },
  { arch = "x86_64", name = "wide", source = ["chacha.S", "script.pl"], needs = "avx2 !intel", \
len = { min = 129, max = 4096, step = 64 }, align = { key = 16 }, sizes = { counter = 32 }, \
layout = "rows", shares = ["plain"], ran = "inner", undefined = ["more"], constant_time = false, \
dispatch = false, symbols = { ctr32 = "wide" }, flags = ["-mtune=generic"] },
]
""",
        )
    )
    plain, wide = manifest.variants("x86_64")
    assert [v.name for v in manifest.variants("aarch64")] == ["neon"]
    assert (plain.place, wide.place) == (f"{project}/rig.toml:20", f"{project}/rig.toml:22")
    assert (plain.length, plain.layout, plain.constant_time) == (Length(), "plain", True)
    assert plain.symbols == {"ctr32": "chacha_plain"}
    assert wide.sources == (project / "asm/chacha.S", project / "asm/script.pl")
    assert wide.needs == parse_needs("avx2 !intel", "x86_64")
    assert wide.length == Length(129, 4096, 64)
    assert (wide.align, wide.sizes, wide.layout) == ({"key": 16}, {"counter": 32}, "rows")
    assert (wide.shares, wide.ran) == (("plain",), "inner")
    assert wide.undefined == ("counter-wrap", "more")
    assert (wide.constant_time, wide.dispatch, wide.symbols) == (False, False, {"ctr32": "wide"})
    assert manifest.include == (project / "include",)
    assert manifest.dispatch == Dispatch((project / "c/spare.c",), "pick_{primitive}")
    assert manifest.generators == {".pl": ("perl", "{in}", "{flavour}", "{out}")}
    assert (manifest.vector, manifest.flavour) == (
        {"x86_64": "own_cap"},
        {"x86_64": "elf", "aarch64": "linux64"},
    )
    assert manifest.link == dict.fromkeys(
        LAYOUTS, (project / "c/spare.c", project / "asm/script.pl")
    )
    assert (manifest.defines, wide.flags) == (("OWN", "ROUNDS=20"), ("-mtune=generic",))
    assert manifest.primitives["chacha20"].contract == project / "include/own.h"
    assert [(a.check, a.symbol, a.place) for a in manifest.accept] == [
        ("abi", "chacha_wide", f"{project}/rig.toml:9")
    ]


def test_the_rule_is_the_default_dispatcher(project):
    assert read(write(project, variants(STANZA))).dispatch is None
    assert read(write(project, 'dispatch = "rules"\n' + variants(STANZA))).dispatch is None


def test_a_length_domain():
    domain = Length(64, 256, 64, apart=(128,))
    assert [n for n in range(400) if domain.holds(n)] == [64, 192]
    assert Length(65, None, 64).first() == 128


BAD = {
    "empty": ("", "1: this rig reads manifests with `rig = 1`"),
    "later version": ("# two\nrig = 2\n", "2: this rig reads manifests with `rig = 1`"),
    "version that is a truth value": ("rig = true\n", "1: this rig reads manifests with `rig = 1`"),
    "no primitive": (
        "rig = 1\n",
        "1: names no primitive; add a table such as [chacha20]",
    ),
    "not TOML": ("rig = 1\n[chacha20\n", "2: not TOML: Expected ']' at the end of a table"),
    "not TOML at its end": (
        'rig = 1\ninclude = ["a"\n',
        "3: not TOML: Unclosed array",
    ),
    "number without end": (
        f"rig = {'9' * 5000}\n",
        "1: not TOML: Exceeds the limit",
    ),
    "top key": (
        "rig = 1\ninclud = []\n" + HEAD[8:],
        "2: unknown key `includ`; did you mean `include`?",
    ),
    "primitive key": (
        HEAD + "variant = []\n",
        "4: unknown key `variant`; did you mean `variants`?",
    ),
    "variant key": (
        variants(STANZA, stanza('need = "avx2"').replace("generic", "other")),
        "6: unknown key `need`; did you mean `needs`?",
    ),
    "variant key far from any": (
        variants(stanza("zzz = 1")),
        "5: unknown key `zzz`; valid: arch, name, source, needs, symbols, len, align, sizes, "
        "layout, shares, ran, undefined, constant_time, dispatch, flags, contract",
    ),
    "key in a comment first": (
        "rig = 1\n# zzz = 0\nzzz = 1\n" + variants(STANZA)[8:],
        "3: unknown key `zzz`; valid: rig, include, complete, vector, dispatch, generate, "
        "flavour, link, runner, defines, accept, allow, chacha20",
    ),
    "missing file": (
        variants(STANZA.replace("chacha.c", "chacha20.c")),
        "5: no such file: c/chacha20.c; did you mean `chacha.c`?",
    ),
    "missing folder": (
        variants(STANZA.replace("c/", "src/")),
        "5: no such file: src/chacha.c; its folder is missing too",
    ),
    "folder as source": (
        variants(STANZA.replace("c/chacha.c", "c")),
        "5: c is a folder, not a file",
    ),
    "file as folder": (
        'rig = 1\ninclude = ["include/own.h"]\n' + variants(STANZA)[8:],
        "2: include/own.h is a file, not a folder",
    ),
    "source without generator": (
        variants(STANZA.replace("c/chacha.c", "asm/script.pl")),
        "5: asm/script.pl: a source ends in one of .c .S .s .o .a .so; `generate` says how others "
        "become .S",
    ),
    "unnamed source": (
        'rig = 1\ncomplete = ["c"]\n' + variants(STANZA)[8:],
        "2: c/spare.c is named by no stanza; name it, or take c out of `complete`",
    ),
    "two of one name": (
        variants(STANZA, stanza('needs = "avx2"')),
        "6: [chacha20] has two variants `generic` for x86_64; the first stands at 5",
    ),
    "capability": (
        variants(stanza('needs = "axv2"')),
        "5: unknown capability 'axv2' on x86_64: did you mean 'avx2'?",
    ),
    "needs as a list": (
        variants(stanza('needs = ["avx2"]')),
        '5: `needs` is a string of names: "ssse3 pclmul"',
    ),
    "slot": (
        variants(STANZA) + '[aes_gcm]\nslots = ["aes"]\nsource = "c/spare.c"\n',
        "8: no primitive for slot `aes`; valid: chacha20",
    ),
    "slots without source": (
        variants(STANZA) + '[aes_gcm]\nslots = ["chacha20"]\n',
        "8: a composition over slots needs `source`",
    ),
    "source without slots": (
        variants(STANZA) + 'source = "c/spare.c"\n',
        "7: `source` here is for `slots`; a variant has its own",
    ),
    "neither": (
        "rig = 1\n[chacha20]\n",
        "2: [chacha20] has neither `variants` nor `slots`",
    ),
    "variants that are no list": (
        HEAD + "variants = 3\n",
        "4: `variants` must be a list of tables",
    ),
    "a variant that is no table": (
        HEAD + 'variants = [\n  "generic",\n]\n',
        "2: each of `variants` must be a table",
    ),
    "name a number": (
        variants(STANZA.replace('"generic"', "3")),
        "5: `name` must be a string that is not empty",
    ),
    "name with a comma": (
        variants(STANZA.replace("generic", "a,b")),
        "5: `a,b`: a name is made of letters, digits, `_`, `-` and `.`",
    ),
    "no name": (
        variants(STANZA.replace('name = "generic", ', "")),
        "5: a variant of [chacha20] lacks `name`",
    ),
    "no source": (
        variants('{ arch = "x86_64", name = "generic" }'),
        "5: a variant of [chacha20] lacks `source`",
    ),
    "empty source": (variants(STANZA.replace('"c/chacha.c"', "[]")), "5: `source` names no file"),
    "shares a string": (
        variants(stanza('shares = "nohw"')),
        "5: `shares` must be a list of strings",
    ),
    "shares nothing": (
        variants(STANZA.replace("generic", "nohw"), stanza('shares = ["nohv"]')),
        "6: `shares` names no variant `nohv`; did you mean `nohw`?",
    ),
    "architecture": (
        variants(STANZA.replace("x86_64", "x86-64")),
        "5: unknown architecture `x86-64`; did you mean `x86_64`?",
    ),
    "vector of an architecture": (
        'rig = 1\nvector = { x64 = "cap" }\n' + variants(STANZA)[8:],
        "2: unknown architecture `x64`; did you mean `x86_64`?",
    ),
    "vector that C cannot declare": (
        'rig = 1\nvector = { x86_64 = "my cap" }\n' + variants(STANZA)[8:],
        "2: `my cap` is no name that C can declare",
    ),
    "flags that differ for one source": (
        variants(STANZA, stanza('flags = ["-DX"]').replace("generic", "other")),
        "6: chacha.c is compiled once, and chacha20/generic has other `flags` for it; give both "
        "the same, or give one a file of its own that includes it",
    ),
    "flags that are a string": (
        variants(stanza('flags = "-DX"')),
        "5: `flags` must be a list of strings",
    ),
    "a define that is an option": (
        'rig = 1\ndefines = ["-DX"]\n' + variants(STANZA)[8:],
        "2: `-DX` is not NAME or NAME=VALUE",
    ),
    "link to nothing": (
        'rig = 1\nlink = ["c/chach.c"]\n' + variants(STANZA)[8:],
        "2: no such file: c/chach.c; did you mean `chacha.c`?",
    ),
    "link for an architecture that is none": (
        'rig = 1\nlink = { x64 = ["c/chacha.c"] }\n' + variants(STANZA)[8:],
        "2: unknown architecture `x64`; did you mean `x86_64`?",
    ),
    "link to a number": (
        "rig = 1\nlink = { x86_64 = 3 }\n" + variants(STANZA)[8:],
        "2: `x86_64` must be a list of strings",
    ),
    "a flavour that no shell would read": (
        'rig = 1\nflavour = { x86_64 = "elf \'-D" }\n' + variants(STANZA)[8:],
        "2: `flavour`: elf '-D: No closing quotation",
    ),
    "flag": (
        variants(stanza("constant_time = 0")),
        "5: `constant_time` must be true or false",
    ),
    "sizes": (
        variants(stanza('sizes = { key = "32" }')),
        "5: `sizes` must be a table of numbers, 0 or more",
    ),
    "align": (
        variants(stanza("align = { key = 12 }")),
        "5: `align.key` must be a power of two up to 4096",
    ),
    "len": (variants(stanza("len = 16")), "5: `len` must be a table of numbers, 0 or more"),
    "len key": (
        variants(stanza("len = { mini = 16 }")),
        "5: unknown key `mini`; did you mean `min`?",
    ),
    "len step": (variants(stanza("len = { step = 0 }")), "5: `len.step` must be at least 1"),
    "len of nothing": (
        variants(stanza("len = { min = 65, max = 127, step = 64 }")),
        "5: `len` holds for no length: min 65, max 127",
    ),
    "placeholder": (
        variants(STANZA).replace("{name}", "{variant}"),
        "3: `chacha_{variant}`: unknown placeholder {variant}; valid: {name}",
    ),
    "dispatch": (
        'rig = 1\ndispatch = "rule"\n' + variants(STANZA)[8:],
        '2: `dispatch` is "rules" or a table with source and symbol',
    ),
    "dispatch symbol": (
        variants(STANZA) + '[dispatch]\nsource = "c/spare.c"\nsymbol = "pick"\n',
        "9: `symbol` must hold {primitive}",
    ),
    "dispatch source": (
        variants(STANZA) + '[dispatch]\nsource = "c/spar.c"\nsymbol = "pick_{primitive}"\n',
        "8: no such file: c/spar.c; did you mean `spare.c`?",
    ),
    "contract": (
        variants(STANZA) + 'contract = "include/owm.h"\n',
        "7: no such file: include/owm.h; did you mean `own.h`?",
    ),
    "contract a number": (
        variants(STANZA) + "contract = 5\n",
        "7: `contract` must be a string that is not empty",
    ),
    "accept": (
        'rig = 1\naccept = [\n  { check = "abi", symbol = "f" },\n]\n' + variants(STANZA)[8:],
        "3: `accept` wants check, symbol, reason; lacks `reason`",
    ),
    "accept key": (
        'rig = 1\naccept = [{ chek = "abi", symbol = "f", reason = "r" }]\n' + variants(STANZA)[8:],
        "2: unknown key `chek`; did you mean `check`?",
    ),
    "generate suffix": (
        'rig = 1\ngenerate = { ".S" = "m4 {in}" }\n' + variants(STANZA)[8:],
        "2: `.S`: `generate` names the suffix of scripts, such as .pl",
    ),
    "generate without the script": (
        'rig = 1\ngenerate = { ".pl" = "perl {out}" }\n' + variants(STANZA)[8:],
        "2: `generate`: perl {out}: {in} must say where the script goes",
    ),
    "generate quoted badly": (
        'rig = 1\ngenerate = { ".pl" = "perl \'{in}" }\n' + variants(STANZA)[8:],
        "2: `generate`: perl '{in}: No closing quotation",
    ),
    "generate placeholder": (
        'rig = 1\ngenerate = { ".pl" = "perl {in} {flavor}" }\n' + variants(STANZA)[8:],
        "2: `perl {in} {flavor}`: unknown placeholder {flavor}; valid: {in}, {flavour}, {out}",
    ),
    "flavour": (
        'rig = 1\ngenerate = { ".pl" = "perl {in} {flavour}" }\n'
        + variants(STANZA.replace("c/chacha.c", "asm/script.pl"))[8:],
        "6: script.pl is generated with {flavour}, and `flavour` has none for x86_64",
    ),
}


BY_TOMLLIB = ("not TOML", "not TOML at its end", "number without end")  # its words may go on


@pytest.mark.parametrize("name", BAD)
def test_a_mistake_is_named_with_its_line(project, name):
    text, message = BAD[name]
    found = refused(project, text)
    assert found.startswith(message)
    assert found == message or name in BY_TOMLLIB


def test_a_stanza_over_several_lines_is_searched_within_its_lines(project):
    first = STANZA.replace('"c/chacha.c"', '[\n    "c/chacha.c",\n    "c/spare.c",\n  ]')
    second = first.replace("generic", "other").replace("spare", "spore")
    found = refused(project, variants(first, second))
    assert found == "11: no such file: c/spore.c; did you mean `spare.c`?"


def test_stanzas_as_an_array_of_tables(project):
    text = HEAD + "".join(
        f'[[chacha20.variants]]\narch = "x86_64"\nname = "{name}"\nsource = "c/chacha.c"\n{rest}'
        for name, rest in (("one", ""), ("two", "len = { mx = 3 }\n"))
    )
    assert refused(project, text) == "12: unknown key `mx`; did you mean `max`?"
    manifest = read(write(project, text.replace("mx", "max")))
    assert [v.place.rpartition(":")[2] for v in manifest.variants("x86_64")] == ["5", "9"]


def test_a_name_that_is_too_long_for_a_file(project):
    found = refused(project, variants(STANZA.replace("chacha.c", "x" * 300 + ".c")))
    assert found.startswith("5: ")
    assert "File name too long" in found


def test_bytes_that_are_no_text(project):
    path = project / "rig.toml"
    path.write_bytes(b"rig = 1\n# \xff\n")
    with pytest.raises(ManifestError, match=r"rig\.toml:2: not UTF-8: byte 0xff"):
        read(path)


@pytest.mark.parametrize(("name", "reason"), [("c", "Is a directory"), ("no.toml", "No such file")])
def test_what_is_no_readable_file(project, name, reason):
    with pytest.raises(ManifestError, match=f"cannot read the manifest: {reason}"):
        read(project / name)


def test_nesting_without_end(project):
    assert "nested too deep" in refused(project, "a = " + "[" * 5000)


NATIVE = (data_folder("native") / "rig.toml").read_text()
SNIPPETS = (*"[]{}\"'=,#.\n\0", "", "0", "-1", "true", "é")
edits = st.lists(
    st.tuples(
        st.integers(0, len(NATIVE)),
        st.integers(0, 12),
        st.one_of(st.sampled_from(SNIPPETS), st.text(max_size=4)),
    ),
    min_size=1,
    max_size=4,
)


@pytest.fixture(scope="module")
def beside_native(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which native's manifest finds its files."""
    folder = tmp_path_factory.mktemp("mutated")
    for name in ("generic", "x86", "include", "dispatch"):
        (folder / name).symlink_to(data_folder("native").resolve() / name)
    return folder


@settings(
    max_examples=120,
    deadline=None,
    database=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(edits=edits)
def test_no_edit_of_a_manifest_raises_anything_else(beside_native, edits):
    text = NATIVE
    for place, removed, added in edits:
        text = text[:place] + added + text[place + removed :]
    path = beside_native / "rig.toml"
    path.write_text(text, encoding="utf-8", errors="replace")
    try:
        assert isinstance(read(path), Manifest)
    except ManifestError as error:
        assert str(error).startswith(f"{path}:")


VALUES = st.one_of(
    st.none().map(lambda _: "[]"),
    st.sampled_from(["true", "3", "-1", "1.5", '""', '"x"', '["x"]', "[1]", "{}", '{ a = "b" }']),
    st.sampled_from(["{ a = 1 }", "[{}]", '[{ arch = "arm" }]', "1979-05-27", "[[]]", '"\\u0000"']),
)
KEYS = sorted({line.split("=")[0].strip() for line in NATIVE.splitlines() if "=" in line} - {""})


@settings(max_examples=80, deadline=None, database=None, derandomize=True)
@given(
    line=st.sampled_from([n for n, text in enumerate(NATIVE.splitlines()) if "=" in text]),
    value=VALUES,
    key=st.sampled_from((None, "needs", "symbols", "variants", "slots", "dir", "undefined")),
)
def test_no_value_of_another_type_raises_anything_else(beside_native, line, value, key):
    lines = NATIVE.splitlines()
    name, _, _ = lines[line].partition("=")
    lines[line] = f"{key or name} = {value}"
    path = beside_native / "rig.toml"
    path.write_text("\n".join(lines))
    try:
        read(path)
    except ManifestError as error:
        assert str(error).startswith(f"{path}:")


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        ("57", ("", 57, 57)),
        ('"57-60"', ("", 57, 60)),
        ('"include/words.h:3-4"', ("include/words.h", 3, 4)),
    ],
)
def test_code_that_is_known_to_stay_unreached(project, line, meant):
    text = f'allow = [{{ symbol = "f", line = {line}, reason = "why" }}]\n'
    (entry,) = read(write(project, text + variants(STANZA))).allow
    assert (entry.symbol, entry.file, entry.first, entry.last, entry.reason) == ("f", *meant, "why")
    assert entry.place.endswith("rig.toml:1")


@pytest.mark.parametrize("line", ["true", '"x"', '""', "-3", "[]"])
def test_a_line_of_allow_that_is_none(project, line):
    text = f'allow = [{{ symbol = "f", line = {line}, reason = "why" }}]\n'
    assert refused(project, text + variants(STANZA)).startswith("1: `line` is a number")
