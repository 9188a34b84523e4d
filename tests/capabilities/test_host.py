"""CPUID leaves of real machines against the models, and what missing state takes away; AT_HWCAP
and AT_HWCAP2 of real ARM machines."""

from dataclasses import replace

import pytest

from rig.capabilities.bits import YMM_STATE, architecture
from rig.capabilities.host import (
    CpuidLeaves,
    Registers,
    leaves,
    vector_from_cpuid,
    vector_from_hwcap,
)
from rig.capabilities.models import parse_cpu

from .machines import (
    ALL_STATE,
    AMD,
    ARM_MACHINES,
    INTEL,
    MACHINES,
    STATES,
    hwcaps,
    machine,
    registers,
)


@pytest.mark.parametrize("part", MACHINES)
def test_machine_is_its_model(part):
    vector = vector_from_cpuid(machine(part), ALL_STATE)
    assert set(vector.names) - {"ht"} == set(parse_cpu(MACHINES[part][0], "x86_64").names)


@pytest.mark.parametrize("part", MACHINES)
def test_unnamed_bits_are_as_cpuid_says(part):
    raw = machine(part)
    words = vector_from_cpuid(raw, ALL_STATE).words
    assert words[0] & ~(1 << 30) == raw.leaf1.edx & ~(1 << 30)
    assert words[1] == raw.leaf1.ecx & ~(1 << 11)
    assert words[2] == raw.leaf7.ebx & ~(1 << 14)
    assert words[3:9] == (*raw.leaf7[2:], raw.leaf7_1.eax, raw.leaf7_1.edx, *raw.leaf7_1[1:3])


@pytest.mark.parametrize("part", MACHINES)
def test_without_osxsave_xcr0_counts_for_nothing(part):
    raw = machine(part)
    blind = replace(raw, leaf1=raw.leaf1._replace(ecx=raw.leaf1.ecx & ~(1 << 27)))
    states = {each.name: each.state for each in architecture("x86_64").capabilities}
    vector = vector_from_cpuid(blind, ALL_STATE)
    assert not [name for name in vector.names if states[name]]
    assert vector == vector_from_cpuid(blind, 0)


@pytest.mark.parametrize(("xcr0", "gone", "left"), STATES)
def test_state(xcr0, gone, left):
    names = set(vector_from_cpuid(machine("Core i7-1065G7"), xcr0).names)
    assert not names & set(gone.split())
    assert set(left.split()) <= names


def future() -> CpuidLeaves:
    """Every bit of every leaf set, with the highest leaves present."""
    every = Registers(0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF)
    return CpuidLeaves(registers(f"00000024 {INTEL}"), every, every, every, every)


@pytest.mark.parametrize(
    ("highest", "highest_subleaf", "empty"),
    [
        (0x24, 1, ()),
        (0x23, 1, (9,)),
        (7, 1, (9,)),
        (7, 0, (5, 6, 7, 8, 9)),
        (6, 1, (2, 3, 4, 5, 6, 7, 8, 9)),
        (1, 0, (2, 3, 4, 5, 6, 7, 8, 9)),
    ],
)
def test_a_leaf_past_the_maximum_counts_for_nothing(highest, highest_subleaf, empty):
    raw = future()
    raw = replace(raw, leaf0=raw.leaf0._replace(eax=highest))
    raw = replace(raw, leaf7=raw.leaf7._replace(eax=highest_subleaf))
    words = vector_from_cpuid(raw, ALL_STATE).words
    assert tuple(index for index, word in enumerate(words) if not word) == empty


def test_bits_with_another_meaning_here():
    vector = vector_from_cpuid(future(), ALL_STATE)
    assert vector.has("intel")
    assert not vector.has("xop")
    assert not vector.has("avoid-zmm")
    assert vector.words[0] == 0xFFFFFFFF
    amd = replace(future(), leaf0=registers(f"00000024 {AMD}"))
    assert vector_from_cpuid(amd, ALL_STATE).words[0] == 0xFFFFFFFF & ~(1 << 30)


@pytest.mark.parametrize(
    ("xcr0", "gone"),
    [
        (ALL_STATE & ~0x80000, {"apxf"}),
        (ALL_STATE & ~0x20000, {"amx-bf16", "amx-tile", "amx-int8", "amx-fp16", "amx-complex"}),
    ],
)
def test_state_of_apx_and_amx(xcr0, gone):
    whole = vector_from_cpuid(future(), ALL_STATE)
    assert set(whole.names) - set(vector_from_cpuid(future(), xcr0).names) == gone


def test_word_9_goes_with_avx10():
    assert vector_from_cpuid(future(), ALL_STATE).words[9] == 0xFFFFFFFF
    assert vector_from_cpuid(future(), YMM_STATE).words[9] == 0


def test_leaves_asks_each_leaf_once():
    asked = []

    def cpuid(leaf: int, subleaf: int) -> tuple[int, int, int, int]:
        asked.append((leaf, subleaf))
        return (leaf, subleaf, 2, 3)

    got = leaves(cpuid)
    assert asked == [(0, 0), (1, 0), (7, 0), (7, 1), (0x24, 0)]
    assert got.leaf7_1 == Registers(eax=7, ebx=1, ecx=2, edx=3)
    assert got.leaf24.eax == 0x24


@pytest.mark.parametrize(("part", "arch", "features", "names"), ARM_MACHINES)
def test_arm_machine(part, arch, features, names):
    vector = vector_from_hwcap(*hwcaps(features, arch), arch)
    assert " ".join(vector.names) == names, part


@pytest.mark.parametrize(
    ("part", "model", "arch"),
    [
        ("Raspberry Pi 3", "cortex-a53-nocrypto", "aarch64"),
        ("Nexus 6P", "nexus6p", "aarch64"),
        ("Graviton2", "graviton2", "aarch64"),
        ("Apple M1", "apple-m1", "aarch64"),
        ("Nexus 4", "nexus4", "arm"),
        ("Raspberry Pi 3, 32 bits", "cortex-a53-nocrypto", "arm"),
        ("Cortex-A57, 32 bits", "nexus6p", "arm"),
    ],
)
def test_arm_machine_is_its_model(part, model, arch):
    features = next(row[2] for row in ARM_MACHINES if row[:2] == (part, arch))
    vector = vector_from_hwcap(*hwcaps(features, arch), arch)
    system_registers = {"cpuid", "dit"}
    assert set(vector.names) - system_registers == set(parse_cpu(model, arch).names)


@pytest.mark.parametrize(("arch", "neon"), [("aarch64", 1 << 1), ("arm", 1 << 12)])
def test_without_neon_no_vector_registers(arch, neon):
    everything = vector_from_hwcap(-1, -1, arch)
    left = vector_from_hwcap(~neon, -1, arch)
    assert " ".join(left.names) == ("cpuid rng dit" if arch == "aarch64" else "")
    assert not everything.has("tick")
    assert not [
        c.name for c in architecture(arch).capabilities if c.preference and everything.has(c.name)
    ]
