import pytest

from rig.architectures import ARCHITECTURES, feature_options
from rig.capabilities.bits import LAYOUTS


@pytest.mark.parametrize(
    ("arch", "capabilities", "options"),
    [
        ("x86_64", ("pclmul", "ssse3"), ("-mssse3", "-mpclmul")),
        ("x86_64", ("avx2", "intel"), ("-mavx2",)),
        ("aarch64", ("neon",), ()),
        ("aarch64", ("pmull",), ("-mcpu=generic+aes",)),
        ("aarch64", ("aes", "neon", "pmull", "sha3"), ("-mcpu=generic+aes+sha3",)),
        ("arm", ("aes", "neon"), ("-march=armv7-a+simd", "-march=armv8-a+crypto")),
    ],
)
def test_options_allow_what_the_capabilities_name(
    arch: str, capabilities: tuple[str, ...], options: tuple[str, ...]
) -> None:
    assert feature_options(ARCHITECTURES[arch], capabilities) == options


def test_every_capability_of_aarch64_has_its_spelling() -> None:
    names = {capability.name for capability in LAYOUTS["aarch64"].capabilities}
    assert names == set(ARCHITECTURES["aarch64"].feature_flags)
