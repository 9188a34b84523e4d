"""A plan becomes a script: sizes and widths by the contract, memory by the placement."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from rig.architectures import ARCHITECTURES
from rig.cases import Case, Placement, Values
from rig.contracts import Contract, read
from rig.primitives.definition import Named, Plan, Use
from rig.runner.compose import Binding, compose, permits
from rig.runner.scripts import (
    Address,
    Call,
    Pointer,
    Script,
    Side,
    TableEntry,
    TablePointer,
    Word,
)

HEADER = """
#include <stdint.h>
#include <stddef.h>

/*
 * @out    out, size len, alias in
 * @in     in, size len
 * @len    value
 * @key    in, size 32, align 4
 * @blocks value
 */
int toy_run(uint8_t *out, const uint8_t *in, size_t len, const uint32_t *key, unsigned blocks);

/*
 * @table table
 * @ctx   inout, size 2 * parts + 8, align 16
 * @parts value
 */
void toy_step(void *const *table, void *ctx, uint16_t parts);
"""
DATA, KEY = b"0123456789", bytes(range(32))
TARGETS = {"run": Address(0x1000), "step": Address(0x2000)}


@pytest.fixture(scope="module")
def contract(tmp_path_factory: pytest.TempPathFactory) -> Contract:
    path: Path = tmp_path_factory.mktemp("contract") / "toy.h"
    path.write_text(HEADER)
    return read(path)


def _script(
    contract: Contract,
    *uses: Use,
    placement: Placement | None = None,
    sizes: Mapping[str, int] | None = None,
    align: Mapping[str, int] | None = None,
) -> Script:
    binding = Binding(ARCHITECTURES["x86_64"], contract, TARGETS, sizes or {}, align or {})
    return compose(Plan(uses, 10), placement or Placement(), binding)


def _only(script: Script) -> Call:
    (step,) = script.steps
    assert isinstance(step, Call)
    return step


def _run(**changed: bytes | int | Named) -> Use:
    arguments: dict[str, bytes | int | Named] = {
        "out": Named("out", expected=b"9876543210"),
        "in": DATA,
        "len": len(DATA),
        "key": KEY,
        "blocks": 3,
    }
    return Use("run", arguments | changed)


def _step(parts: int, name: str = "ctx") -> Use:
    return Use("step", {"ctx": Named(name), "parts": parts})


def test_arguments_stand_in_the_order_of_the_prototype(contract: Contract) -> None:
    script = _script(contract, _run())
    call = _only(script)
    assert call.target == Address(0x1000)
    names = [script.buffers[a.buffer].name if isinstance(a, Pointer) else a for a in call.arguments]
    assert names == ["out", "in", Word(10, 64), "key", Word(3, 32)]
    assert script.length == 10


def test_sizes_are_those_of_the_contract(contract: Contract) -> None:
    script = _script(contract, _run(), _step(5))
    assert {b.name: (b.size, b.align) for b in script.buffers} == {
        "in": (10, 1),
        "key": (32, 4),
        "out": (10, 1),
        "ctx": (18, 16),
    }


def test_inputs_are_constant_and_outputs_hold_garbage(contract: Contract) -> None:
    script = _script(contract, _run())
    assert {b.name: (b.constant, b.content) for b in script.buffers} == {
        "in": (True, DATA),
        "key": (True, KEY),
        "out": (False, None),
    }
    assert [b.expected for b in script.buffers if b.name == "out"] == [b"9876543210"]


def test_in_place_shares_the_input_and_gives_up_its_constancy(contract: Contract) -> None:
    script = _script(contract, _run(), placement=Placement(in_place=True))
    (shared,) = (b for b in script.buffers if b.name == "in")
    assert [b.name for b in script.buffers] == ["in", "key"]
    assert (shared.content, shared.expected, shared.constant) == (DATA, b"9876543210", False)
    call = _only(script)
    assert call.arguments[0] == call.arguments[1]


def test_an_output_that_must_keep_its_content_is_not_put_in_place(contract: Contract) -> None:
    kept = Named("out", b"5" * 10, b"5" * 10)
    script = _script(contract, _run(out=kept), placement=Placement(in_place=True))
    assert sorted(b.name for b in script.buffers) == ["in", "key", "out"]
    assert next(b for b in script.buffers if b.name == "in").constant


def test_a_named_buffer_is_one_in_all_calls(contract: Contract) -> None:
    script = _script(contract, _step(5), _step(5))
    assert [b.name for b in script.buffers] == ["ctx"]
    step = Call(TARGETS["step"], (TablePointer(), Pointer(0), Word(5, 16)))
    assert script.steps == (step, step)
    assert len(_script(contract, _step(5, "a"), _step(5, "b")).buffers) == 2


@pytest.mark.parametrize("value", [0, -1, (1 << 32) + 5])
def test_numbers_are_cut_to_the_width_of_their_type(contract: Contract, value: int) -> None:
    call = _only(_script(contract, _run(blocks=value)))
    assert call.arguments[4] == Word(value % (1 << 32), 32)


@pytest.mark.parametrize(("returns", "word"), [(0, Word(0, 32)), (-1, Word(0xFFFF_FFFF, 32))])
def test_what_is_returned_has_the_width_of_its_type(
    contract: Contract, returns: int, word: Word
) -> None:
    use = _run()
    call = _only(_script(contract, Use(use.role, use.arguments, returns)))
    assert call.returns == word
    call = _only(_script(contract, use))
    assert call.returns is None


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("len", 11, "run: in has 10 bytes, the contract says 11"),
        ("in", b"123", "run: in has 3 bytes, the contract says 10"),
        ("key", bytes(31), "run: key has 31 bytes, the contract says 32"),
        ("key", b"", "run: key has 0 bytes, the contract says 32"),
    ],
)
def test_a_value_of_the_wrong_size_is_refused(
    contract: Contract, name: str, value: bytes | int, words: str
) -> None:
    with pytest.raises(ValueError, match=words):
        _script(contract, _run(**{name: value}))


def test_a_stanza_narrows_size_and_alignment(contract: Contract) -> None:
    script = _script(contract, _step(5), sizes={"ctx": 192}, align={"ctx": 64})
    assert [(b.size, b.align) for b in script.buffers] == [(192, 64)]
    with pytest.raises(ValueError, match="the contract says 16"):
        _script(contract, _run(), sizes={"key": 16})


def test_placement_says_side_and_skew(contract: Contract) -> None:
    placement = Placement(Side.START, {"in": 3})
    script = _script(contract, _run(), placement=placement)
    assert {b.name: (b.side, b.skew) for b in script.buffers} == {
        "in": (Side.START, 3),
        "key": (Side.START, 0),
        "out": (Side.START, 0),
    }


def test_unknown_roles_and_missing_arguments_are_named(contract: Contract) -> None:
    with pytest.raises(KeyError, match="stop"):
        _script(contract, Use("stop", {}))
    with pytest.raises(KeyError, match="blocks"):
        _script(contract, Use("run", {"out": Named("out"), "in": b"", "len": 0, "key": KEY}))


FIELD = """
#include <stddef.h>
#include <stdint.h>

/*
 * @Htable  out, size 64, align 16, opaque, at Xi+32
 * @func    table, at absorb
 */
int toy_init(void *Htable, void *func[2]);

/*
 * @Xi   inout, size 16
 * @out  out, size len
 * @len  value
 */
void toy_absorb(uint8_t Xi[16], uint8_t *out, size_t len);

/*
 * @ivec  in, size 4
 * @ctx   inout, size 8
 */
void toy_emit(const uint8_t ivec[4], void *ctx);
"""


@pytest.fixture(scope="module")
def field(tmp_path_factory: pytest.TempPathFactory) -> Binding:
    path: Path = tmp_path_factory.mktemp("field") / "toy.h"
    path.write_text(FIELD)
    contract = read(path)
    targets = {role: TableEntry(index) for index, role in enumerate(contract.roles)}
    return Binding(ARCHITECTURES["x86_64"], contract, targets)


def _field_script(field: Binding, *uses: Use) -> Script:
    return compose(Plan(uses), Placement(), field)


def test_a_buffer_inside_another_and_an_entry_of_the_table(field: Binding) -> None:
    xi = Named("Xi", b"\x01" * 16, b"\x02" * 16)
    script = _field_script(
        field,
        Use("init", {"Htable": Named("Htable")}, returns=1),
        Use("absorb", {"Xi": xi, "out": Named("out", expected=b""), "len": 0}, returns=7),
    )
    whole, part, _ = script.buffers
    assert (whole.name, whole.size, whole.align, whole.content) == ("Xi", 96, 16, None)
    assert (part.alias, part.content, part.expected) == (0, b"\x01" * 16, b"\x02" * 16)
    init, absorb = script.steps
    assert isinstance(init, Call)
    assert isinstance(absorb, Call)
    assert init.arguments == (Pointer(0, 32), TablePointer(1))
    assert absorb.arguments[0] == Pointer(1)
    assert (init.returns, absorb.returns) == (Word(1, 32), None), "a void function returns nothing"


def test_what_lies_behind_an_output_stays(field: Binding) -> None:
    xi = Named("Xi", bytes(16))
    use = Use("absorb", {"Xi": xi, "out": Named("out", expected=b"abc"), "len": 5})
    out = _field_script(field, use).buffers[2]
    assert out.content is not None
    assert (out.size, out.expected) == (5, b"abc" + out.content[3:])


@pytest.mark.parametrize(
    ("word", "left"), [("", b"abc"), (", refused zero", bytes(3)), (", refused untouched", None)]
)
@pytest.mark.parametrize("in_place", [False, True])
def test_what_a_refusal_leaves_is_for_the_contract_to_say(
    tmp_path: Path, word: str, left: bytes | None, in_place: bool
) -> None:
    (tmp_path / "toy.h").write_text(HEADER.replace("alias in", f"alias in{word}"))
    binding = Binding(ARCHITECTURES["x86_64"], read(tmp_path / "toy.h"), TARGETS)
    out = Named("out", expected=b"abc", refused=True)
    use = Use("run", {"out": out, "in": b"xyz", "len": 3, "key": KEY, "blocks": 0})
    buffers = compose(Plan((use,)), Placement(in_place=in_place), binding).buffers
    after = buffers[0] if in_place else buffers[2]
    assert after.name == ("in" if in_place else "out")
    assert after.expected == (after.content if left is None else left)
    assert after.expected is not None


@pytest.mark.parametrize(
    ("shift", "before", "after"),
    [
        (-2, "..12345", "abcde45"),
        (2, "12345..", "12abcde"),
        (5, "12345.....", "12345abcde"),
        (-6, "......12345", "abcde.12345"),
    ],
)
def test_an_output_that_begins_elsewhere_in_its_inputs_memory(
    tmp_path: Path, shift: int, before: str, after: str
) -> None:
    script = _overlapping(tmp_path, "before", shift, Named("out", expected=b"abcde"))
    assert [buffer.name for buffer in script.buffers] == ["in", "key"]
    shared = script.buffers[0]
    assert (shared.content, shared.expected) == (_bytes(before), _bytes(after))
    out, given = _only(script).arguments[:2]
    assert (out, given) == (Pointer(0, max(0, shift)), Pointer(0, max(0, -shift)))


@pytest.mark.parametrize(("shift", "refused"), [(1, True), (-4, True), (5, False), (-5, False)])
def test_an_overlap_that_is_refused_changes_nothing(
    tmp_path: Path, shift: int, refused: bool
) -> None:
    script = _overlapping(tmp_path, "refused", shift, Named("out", expected=b"abcde"))
    shared = script.buffers[0]
    assert (shared.expected == shared.content) == refused
    assert _only(script).returns == Word(0xFFFFFFFF if refused else 0, 32)


@pytest.mark.parametrize(
    ("word", "shift", "permitted"),
    [
        ("", 0, True),
        ("", -1, False),
        (", overlap before", -1, True),
        (", overlap before", 1, False),
        (", overlap before", 5, True),
        (", overlap before, align 4", -1, False),
        (", overlap refused", 1, True),
        (", overlap refused", -1, True),
    ],
)
def test_what_a_contract_permits(tmp_path: Path, word: str, shift: int, permitted: bool) -> None:
    (tmp_path / "toy.h").write_text(HEADER.replace("alias in", f"alias in{word}"))
    case = Case("c", Values("toy", "run", {"data": b"12345"}), Placement(shift=shift))
    assert permits(case, ("run",), read(tmp_path / "toy.h")) == permitted


def _overlapping(folder: Path, word: str, shift: int, out: Named) -> Script:
    text = HEADER.replace("alias in", f"alias in, overlap {word}").replace(
        "void toy_r", "int toy_r"
    )
    (folder / "toy.h").write_text(text)
    binding = Binding(ARCHITECTURES["x86_64"], read(folder / "toy.h"), TARGETS)
    arguments = {"out": out, "in": b"12345", "len": 5, "key": KEY, "blocks": 0}
    return compose(Plan((Use("run", arguments, returns=0),)), Placement(shift=shift), binding)


def _bytes(text: str) -> bytes:
    """With dots for what belongs to neither."""
    return text.replace(".", "\x5c").encode()


def test_what_a_form_only_reads_is_constant_and_what_lies_behind_a_state_is_free(
    field: Binding,
) -> None:
    ivec, ctx = Named("ivec", b"1234", b"1235"), Named("ctx", bytes(8), b"\x01")
    constant, whole, part = _field_script(field, Use("emit", {"ivec": ivec, "ctx": ctx})).buffers
    assert (constant.constant, constant.expected) == (True, None)
    assert (whole.size, whole.expected) == (8, None)
    assert (part.alias, part.size, part.expected) == (1, 1, b"\x01")


def test_an_optional_call_is_made_where_there_is_such_a_function(field: Binding) -> None:
    use = Use("convert", {}, optional=True)
    assert _field_script(field, use).steps == ()
    with pytest.raises(KeyError):
        _field_script(field, replace(use, optional=False))
