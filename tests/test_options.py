"""One table of options, for `rig` and for pytest."""

import dataclasses

import pytest

from rig.errors import RigError
from rig.options import OPTIONS, UNPREFIXED, Options, gather, pytest_arguments


def test_table_and_record_have_the_same_fields_and_defaults() -> None:
    fields = {field.name: field.default for field in dataclasses.fields(Options)}
    assert list(fields) == [option.field for option in OPTIONS]
    empty = {list: (), bool: False}
    for option in OPTIONS:
        default = empty.get(option.kind, option.default)
        assert fields[option.field] == default, option.name


def test_names_are_unique_and_described() -> None:
    assert len({option.name for option in OPTIONS}) == len(OPTIONS)
    for option in OPTIONS:
        assert option.help
        assert option.metavar or option.choices or option.kind is bool


@pytest.mark.parametrize("option", OPTIONS, ids=lambda option: option.name)
def test_flags(option: object) -> None:
    name = option.name  # type: ignore[attr-defined]
    wanted = f"--{name}" if name in UNPREFIXED else f"--rig-{name}"
    assert option.pytest_flag == wanted  # type: ignore[attr-defined]


def test_nothing_given_is_the_default() -> None:
    assert gather({}) == gather({option.field: None for option in OPTIONS}) == Options()
    assert pytest_arguments(Options()) == []


def test_lists_become_tuples() -> None:
    assert gather({"force": ["ghash=table4", "aes=ct64"]}).force == ("ghash=table4", "aes=ct64")


def test_pytest_is_told_what_differs_from_the_default() -> None:
    options = Options(
        cap_matrix="full", ia32cap="~0x1:", force=("a=b", "c=d"), seed=7, report="a b"
    )
    assert pytest_arguments(options) == [
        "--cap-matrix=full",
        "--ia32cap=~0x1:",
        "--rig-force=a=b",
        "--rig-force=c=d",
        "--rig-seed=7",
        "--rig-report=a b",
    ]


@pytest.mark.parametrize("seed", [0, 1, (1 << 32) - 1])
def test_seeds(seed: int) -> None:
    assert gather({"seed": seed}).seed == seed


@pytest.mark.parametrize("seed", [-1, 1 << 32, 1 << 64])
def test_seeds_out_of_range(seed: int) -> None:
    with pytest.raises(RigError, match=f"^--seed {seed}: a number from 0 to 4294967295$"):
        gather({"seed": seed})
