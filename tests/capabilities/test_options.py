import pytest

from rig.capabilities.bits import CapabilityError
from rig.capabilities.models import parse_cpu
from rig.capabilities.options import forced_vector
from rig.capabilities.vector import Vector

HOST = parse_cpu("zen3", "x86_64")
ARM_HOST = Vector.of("aarch64", ["neon", "aes", "pmull"])
AVX2 = 1 << 69


def test_nothing_forced():
    assert forced_vector(HOST) is None
    assert forced_vector(HOST, armcap="0") is None
    assert forced_vector(ARM_HOST, ia32cap="0") is None


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"cpu": "haswell"}, parse_cpu("haswell", "x86_64")),
        ({"cpu": "haswell,-avx2"}, parse_cpu("haswell,-avx2", "x86_64")),
        ({"ia32cap": ""}, HOST),
        ({"ia32cap": ":~0x20"}, Vector("x86_64", HOST.value & ~AVX2)),
        # --cpu first, then --ia32cap edits it.
        ({"cpu": "haswell", "ia32cap": ":~0x20"}, parse_cpu("haswell,-avx2", "x86_64")),
        ({"cpu": "haswell", "ia32cap": "", "armcap": "zz"}, parse_cpu("haswell", "x86_64")),
        # Base bits stay set.
        ({"ia32cap": "0:0:0:0:0"}, Vector.base("x86_64")),
        ({"ia32cap": "~0x4000000"}, HOST),
        ({"ia32cap": "", "dialect": "boringssl"}, HOST),
        ({"ia32cap": ":~0x20", "dialect": "awslc"}, Vector("x86_64", HOST.value & ~AVX2)),
        (
            {"ia32cap": "", "dialect": "openssl"},
            Vector("x86_64", Vector.base("x86_64").value | 0x400),
        ),
    ],
)
def test_forced(options, expected):
    assert forced_vector(HOST, **options) == expected


def test_forced_on_arm():
    assert forced_vector(ARM_HOST, armcap="~0x24") == Vector.of("aarch64", ["neon"])
    assert forced_vector(ARM_HOST, armcap="0", ia32cap="zz") == Vector.base("aarch64")
    assert forced_vector(ARM_HOST, armcap="~4", dialect="awslc") == ARM_HOST - Vector("aarch64", 4)
    assert forced_vector(ARM_HOST, cpu="apple-m1", armcap="~4").value == 0x879


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"cpu": "hazwell"}, "--cpu 'hazwell': unknown model 'hazwell'"),
        ({"ia32cap": "zz"}, "--ia32cap 'zz': field 1: stopped at 'zz' (column 1)"),
        ({"dialect": "openssl"}, "--cap-dialect openssl: nothing to read, add --ia32cap or"),
        ({"cpu": "haswell", "dialect": "awslc"}, "--cap-dialect awslc: nothing to read"),
        (
            {"ia32cap": "0", "dialect": "boring"},
            "--ia32cap '0' --cap-dialect boring: unknown dialect 'boring': did you",
        ),
        (
            {"ia32cap": "|0x1000", "dialect": "awslc"},
            "--ia32cap '|0x1000' --cap-dialect awslc: AWS-LC aborts on '|0x1000'",
        ),
    ],
)
def test_bad_options(options, message):
    with pytest.raises(CapabilityError) as error:
        forced_vector(HOST, **options)
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_boringssl_has_no_variable_on_arm():
    with pytest.raises(CapabilityError, match=r"--armcap '1' --cap-dialect boringssl: BoringSSL"):
        forced_vector(ARM_HOST, armcap="1", dialect="boringssl")
