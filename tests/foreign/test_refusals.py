"""What cannot be built is refused in words that say where, what and how to mend it."""

import pytest

from rig.errors import BuildError, ManifestError
from rig.manifest import read

REFUSED = {
    "no_entry": (
        "{manifest}:8: chacha20/nohw: no `ChaCha20_ctr32_now` in entry.S; did you mean "
        "`ChaCha20_ctr32_nohw`?"
    ),
    "undefined": (
        "{manifest}: cannot link:\n"
        "ld.lld: error: undefined symbol: chacha20_elsewhere\n"
        ">>> referenced by undefined.S:4 (./undefined.S:4)\n"
        ">>>               undefined.S:(ChaCha20_ctr32_nohw)\n"
        "undefined: chacha20_elsewhere (wanted by undefined.S); name the file that defines it as a "
        "further `source` of the variant, or under `link` if it belongs to no variant"
    ),
    "unsized": (
        "{manifest}: unsized.S: function ChaCha20_ctr32_nohw has no size; end it with "
        "`.size ChaCha20_ctr32_nohw, .-ChaCha20_ctr32_nohw`"
    ),
    "untyped": (
        "{manifest}:8: chacha20/nohw: `ChaCha20_ctr32_nohw` in untyped.S is not marked as a "
        "function; add `.type ChaCha20_ctr32_nohw, @function` and "
        "`.size ChaCha20_ctr32_nohw, .-ChaCha20_ctr32_nohw`"
    ),
    "unsized_vector": (
        "{manifest}: the capability vector bare_ia32cap has no size; declare it "
        "`.comm bare_ia32cap,40,16`, or end it with `.type bare_ia32cap, @object` and "
        "`.size bare_ia32cap, .-bare_ia32cap`"
    ),
}


def refusal(bench, path, kind=BuildError):
    with pytest.raises(kind) as caught:
        bench.project(path)
    return str(caught.value)


@pytest.mark.parametrize("name", REFUSED)
def test_a_refusal(bench, foreign, name):
    path = foreign / "broken" / f"{name}.toml"
    assert refusal(bench, path) == REFUSED[name].replace("{manifest}", str(path))


def test_a_compile_error_in_the_compilers_words(bench, foreign):
    path = foreign / "broken" / "unwritten.toml"
    text = refusal(bench, path)
    assert text.startswith(f"{path}: unwritten.c: cannot compile for chacha20/nohw:\n")
    assert "unwritten.c:8:22: error: use of undeclared identifier 'keystream'" in text


STANZA = '{ arch = "x86_64", name = "nohw", source = "chacha.S" }'


@pytest.fixture
def own(tmp_path, foreign):
    """Writes a manifest beside a source that is whole; says where."""
    (tmp_path / "chacha.S").write_text((foreign / "broken" / "entry.S").read_text())

    def write(text: str):
        path = tmp_path / "rig.toml"
        path.write_text(f'rig = 1\ninclude = ["{foreign / "macros"}"]\n{text}')
        return path

    return write


CHACHA = f'[chacha20]\nsymbols = {{ ctr32 = "ChaCha20_ctr32_{{name}}" }}\nvariants = [{STANZA}]\n'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            CHACHA.replace("[chacha20]", "[chacha]"),
            "3: the rig has no oracle for [chacha]; did you mean `chacha20`?; it knows aes, ghash, "
            "chacha20, poly1305, aes_gcm_fused, aes_gcm, chacha20_poly1305_fused, "
            "chacha20_poly1305, chacha20_poly1305_old, xchacha20_poly1305, and others by `module`",
        ),
        (
            CHACHA.replace("ctr32 =", "ctr =", 1),
            "5: `symbols` names no function `ctr` of chacha20.h; did you mean `ctr32`?",
        ),
        (
            CHACHA.replace(" }]", ", sizes = { kee = 64 } }]"),
            "5: `sizes` names no buffer `kee`; did you mean `key`?",
        ),
        (
            CHACHA + 'undefined = ["counterwrap"]\n',
            "5: `undefined` names no behaviour `counterwrap`; did you mean `counter-wrap`?",
        ),
    ],
)
def test_a_manifest_that_asks_for_what_there_is_not(bench, own, text, message):
    path = own(text)
    assert refusal(bench, path, ManifestError) == f"{path}:{message}"


def test_a_dispatcher_that_is_not_there(bench, own):
    """What it links is fine; its symbol is looked up for each primitive."""
    path = own('dispatch = { source = "chacha.S", symbol = "pick_{primitive}" }\n' + CHACHA)
    assert refusal(bench, path) == (
        f"{path}:4: the dispatcher defines no `pick_chacha20`; define it, or give the project "
        '`dispatch = "rules"`'
    )


def test_ran_that_names_two_functions(bench, own, tmp_path):
    """Local functions of two files may share a name; then it proves nothing."""
    for name in ("chacha.S", "other.S"):
        (tmp_path / name).write_text(
            f'#include "chacha20.inc"\nFUNCTION body\n CHACHA20_SCALAR incl\nEND body\n'
            f"GLOBAL_FUNCTION ChaCha20_ctr32_{name[:-2]}\n jmp body\n"
            f"END ChaCha20_ctr32_{name[:-2]}\n"
        )
    stanzas = (
        '{ arch = "x86_64", name = "chacha", source = "chacha.S", ran = "body" }, '
        '{ arch = "x86_64", name = "other", source = "other.S" }'
    )
    path = own(CHACHA.replace(STANZA, stanzas))
    assert refusal(bench, path) == (
        f"{path}:5: chacha20/chacha: `ran`: several files have a function `body`"
    )


def test_reading_needs_no_toolchain(foreign):
    """The station before has no opinion on what does not compile."""
    assert read(foreign / "broken" / "unwritten.toml").variants("x86_64")
