"""Station 1b: contracts, and manifests that ask for what a contract has not."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rig import contracts
from rig.architectures import ARCHITECTURES
from rig.contracts import Contract, Direction, bits_of, check, size_of
from rig.data import data_folder
from rig.errors import ManifestError
from rig.manifest import Primitive, Variant
from rig.primitives import PRIMITIVES

INCLUDE = data_folder("native") / "include"
HEADERS = sorted({definition.header for definition in PRIMITIVES.values()})
X86_64 = ARCHITECTURES["x86_64"]


def write(folder: Path, text: str) -> Path:
    path = folder / "ghash.h"
    path.write_text(text)
    return path


def header(lines: str, prototype: str = "void ghash_init(void *Htable, size_t len);") -> str:
    return f"/*\n * Words.\n{lines} */\n{prototype}\n"


def test_a_bundled_contract():
    ghash = contracts.read(INCLUDE / "ghash.h")
    assert ghash.roles == ("init", "gmult", "ghash")
    absorb = ghash.function("ghash")
    assert [a.name for a in absorb.arguments] == ["Xi", "Htable", "in", "len"]
    table, length = absorb.argument("Htable"), absorb.argument("len")
    assert (table.direction, table.size, table.align) == (Direction.IN, "256", 16)
    assert (table.secret, table.opaque, table.nullable) == (True, True, False)
    assert (length.direction, length.multiple, length.min) == (Direction.VALUE, 16, 0)
    assert not length.pointer
    assert absorb.argument("in").nullable
    with pytest.raises(KeyError):
        absorb.argument("out")
    with pytest.raises(KeyError):
        ghash.function("absorb")


@pytest.mark.parametrize("form", ["{0} void {1};", "void {0} {1};", "void {1} {0};"])
@pytest.mark.parametrize("attribute", ["__attribute__((ms_abi))", "__attribute__ ((__ms_abi__))"])
def test_microsofts_convention_is_an_attribute(tmp_path, form, attribute):
    lines = " *   @Htable  out, size len\n *   @len  value\n"
    prototype = form.format(attribute, "ghash_init(void *Htable, size_t len)")
    (function,) = contracts.read(write(tmp_path, header(lines, prototype))).functions
    assert (function.role, function.returns, function.ms_abi) == ("init", "void", True)
    assert not contracts.read(write(tmp_path, header(lines))).functions[0].ms_abi


def test_what_a_refusal_leaves():
    aead = contracts.read(INCLUDE / "aead.h")
    assert aead.function("open").argument("out").refused == "zero"
    assert {aead.function("seal").argument(name).refused for name in ("out", "tag")} == {
        "untouched"
    }
    assert aead.function("seal").argument("nonce").refused is None


@pytest.mark.parametrize("name", HEADERS)
def test_some_bundled_contract_has_the_roles_of_each_operation(name):
    for definition in (d for d in PRIMITIVES.values() if d.header == name):
        forms = (INCLUDE / "field" / f"{form}.h" for form in definition.forms)
        known = [set(contracts.read(path).roles) for path in (INCLUDE / name, *forms)]
        for operation in definition.operations.values():
            assert any(set(operation.roles) <= roles for roles in known)


BAD = {
    "no prototype": ("int x;\n", "1: no prototype with argument comments (see aes.h)"),
    "too few lines": (
        header(" * @Htable out, size 16\n"),
        "5: ghash_init has 2 arguments and 1 @ lines; each argument needs one",
    ),
    "direction": (
        header(" * @Htable output, size 16\n * @len value\n"),
        "6: @Htable: `output` is none of in, out, inout, value, table",
    ),
    "word": (
        header(" * @Htable out, size 16, secrte\n * @len value\n"),
        "6: @Htable: cannot read `secrte`",
    ),
    "number": (
        header(" * @Htable out, size 16, align x\n * @len value\n"),
        "6: @Htable: cannot read `align x`",
    ),
    "refusal": (
        header(" * @Htable out, size 16, refused any\n * @len value\n"),
        "6: @Htable: cannot read `refused any`",
    ),
    "no size": (
        header(" * @Htable out\n * @len value\n"),
        "6: @Htable: a pointer needs `size EXPRESSION`",
    ),
    "size over another function's argument": (
        header(" * @Htable out, size blocks*16\n * @len value\n"),
        "6: @Htable: size `blocks*16` is no sum or product of numbers and value arguments (len)",
    ),
    "size that is no expression": (
        header(" * @Htable out, size 16 +\n * @len value\n"),
        "6: @Htable: size `16 +` is no sum or product of numbers and value arguments (len)",
    ),
    "size by nothing": (
        header(" * @Htable out, size len/0\n * @len value\n"),
        "6: @Htable: size `len/0` is no sum or product of numbers and value arguments (len)",
    ),
    "an overlap of nothing": (
        header(" * @Htable out, size 16, overlap before\n * @len value\n"),
        "6: @Htable: `overlap` needs `alias NAME`",
    ),
    "alias": (
        header(" * @Htable out, size 16, alias in\n * @len value\n"),
        "6: @Htable: alias names no pointer `in`",
    ),
    "name": (
        header(" * @Table out, size 16\n * @len value\n"),
        "6: ghash_init has no argument `Table`",
    ),
    "type": (
        header(" * @Htable out, size 16\n", "void ghash_init(__m128i *Htable);"),
        "5: not a C prototype that cffi can read: ",
    ),
    "no function": (
        header(" * @Htable out, size 16\n", "void (*ghash_init)(void *Htable);"),
        "5: not a C prototype that cffi can read: ",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_a_mistake_is_named_with_its_line(tmp_path, name):
    text, message = BAD[name]
    path = write(tmp_path, text)
    with pytest.raises(ManifestError) as caught:
        contracts.read(path)
    assert str(caught.value).startswith(f"{path}:{message}")
    assert "\n" not in str(caught.value)


def test_what_cannot_be_read(tmp_path):
    with pytest.raises(ManifestError, match="cannot read the contract: Is a directory"):
        contracts.read(tmp_path)
    path = tmp_path / "ghash.h"
    path.write_bytes(b"/* \xff */")
    with pytest.raises(ManifestError, match="cannot read the contract: not UTF-8"):
        contracts.read(path)


def test_sizes_and_widths():
    assert size_of("2*blocks*16 + bits/8 - 1", {"blocks": 3, "bits": 128}) == 111
    with pytest.raises(KeyError):
        size_of("n", {})
    with pytest.raises(ValueError, match="not a size"):
        size_of("n(1)", {"n": 1})
    assert (bits_of("int", X86_64), bits_of("uint8_t", X86_64)) == (32, 8)
    assert bits_of("void const * *", X86_64) == 64


def variant(**changes: object) -> Variant:
    plain = Variant(
        primitive="ghash",
        arch="x86_64",
        name="clmul",
        sources=(),
        needs=None,  # type: ignore[arg-type]
        symbols={"init": "i", "ghash": "g"},
        place="rig.toml:7",
    )
    return replace(plain, **changes)  # type: ignore[arg-type]


def ghash(*variants: Variant) -> Primitive:
    return Primitive("ghash", "rig.toml:3", None, {}, variants)


STANDARD = contracts.read(INCLUDE / "ghash.h")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"symbols": {}}, "ghash/clmul has no `symbols`; name those of init, gmult, ghash"),
        (
            {"symbols": {"gmul": "g"}},
            "`symbols` names no function `gmul` of ghash.h; did you mean `gmult`?",
        ),
        (
            {"sizes": {"Htabel": 192}},
            "`sizes` names no buffer `Htabel`; did you mean `Htable`?",
        ),
        ({"align": {"len": 16}}, "`align` names no buffer `len`; valid: H, Htable, Xi, in"),
        (
            {"undefined": ("counter-warp",)},
            "`undefined` names no behaviour `counter-warp`; did you mean `counter-wrap`?",
        ),
    ],
)
def test_a_variant_that_asks_for_what_there_is_not(changes, message):
    with pytest.raises(ManifestError) as caught:
        check(ghash(variant(**changes)), STANDARD, (STANDARD,), ("counter-wrap",))
    assert str(caught.value) == f"rig.toml:7: {message}"


def test_a_behaviour_of_a_primitive_that_has_none():
    with pytest.raises(ManifestError, match=r"no behaviour `x`; \[ghash\] has none"):
        check(ghash(variant(undefined=("x",))), STANDARD, (STANDARD,), ())


def test_a_composition_needs_every_role():
    aead = contracts.read(INCLUDE / "aead.h")
    whole = Primitive("aes_gcm", "rig.toml:9", None, {}, (), ("aes",))
    with pytest.raises(ManifestError, match=r"rig.toml:9: \[aes_gcm\] is composed, so `symbols`"):
        check(whole, aead, (aead,), ())
    names = dict.fromkeys(aead.roles, "f")
    check(replace(whole, symbols=names), aead, (aead,), ())


def own(tmp_path: Path, old: str, new: str) -> Contract:
    text = (INCLUDE / "ghash.h").read_text()
    assert old in text
    return contracts.read(write(tmp_path, text.replace(old, new)))


def test_an_own_contract_may_reorder_arguments(tmp_path):
    turned = own(
        tmp_path,
        """ *   @Xi      inout, size 16, secret
 *   @Htable  in, size 256, align 16, secret, opaque
 */
void ghash_gmult(uint8_t Xi[16], const void *Htable);""",
        """ *   @Htable  in, size 256, align 16, secret, opaque
 *   @Xi      inout, size 16, secret
 */
void ghash_gmult(const void *Htable, uint8_t Xi[16]);""",
    )
    check(ghash(variant()), turned, (STANDARD,), ())


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("ghash_gmult", "ghash_multiply", "`multiply`: the functions are named ghash_ROLE"),
        (
            "Htable",
            "table",
            "`init` has the arguments H, table, the rig's plans H, Htable",
        ),
        ("size_t len", "long double len", "`ghash`: no width is known for type `long double`"),
    ],
)
def test_an_own_contract_that_is_no_form_of_the_standard_one(tmp_path, old, new, message):
    contract = own(tmp_path, old, new)
    with pytest.raises(ManifestError) as caught:
        check(ghash(variant()), contract, (STANDARD,), ())
    assert str(caught.value).startswith(f"{contract.path}: {message}")


@settings(max_examples=60, deadline=None, database=None, derandomize=True)
@given(
    name=st.sampled_from(HEADERS),
    edits=st.lists(
        st.tuples(st.integers(0, 3000), st.integers(0, 9), st.text(max_size=3)), max_size=3
    ),
)
def test_no_edit_of_a_contract_raises_anything_else(tmp_path_factory, name, edits):
    text = (INCLUDE / name).read_text()
    for place, removed, added in edits:
        text = text[:place] + added + text[place + removed :]
    path = tmp_path_factory.mktemp("edited") / name
    path.write_text(text, encoding="utf-8", errors="replace")
    try:
        assert contracts.read(path).functions
    except ManifestError as error:
        assert str(error).startswith(f"{path}:")
