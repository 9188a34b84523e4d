import pytest

from rig.capabilities.bits import CapabilityError
from rig.capabilities.emulation import emulated, surplus, without_refused
from rig.capabilities.models import MODELS
from rig.capabilities.vector import Vector


@pytest.mark.parametrize(
    ("text", "arch", "cpu"),
    [
        ("penryn", "x86_64", "Penryn"),
        ("penryn", "i386", "Penryn"),
        ("core2duo", "x86_64", "Conroe,cx16=on"),
        ("silvermont", "x86_64", "Westmere,movbe=on,rdrand=on"),
        ("pentium-987", "x86_64", "SandyBridge,pclmulqdq=off,aes=off,avx=off"),
        ("haswell,-avx2", "x86_64", "Haswell,avx2=off"),
        ("haswell,-avx2,+avx2,+sha,-sha512", "x86_64", "Haswell,sha-ni=on"),
        ("haswell,-intel,+sm4", "x86_64", "Haswell"),
        ("EPYC-Milan,-sse3", "x86_64", "EPYC-Milan,pni=off"),
        ("cannonlake", "x86_64", "Skylake-Server,avx512ifma=on,sha-ni=on,avx512vbmi=on"),
        ("nexus6p", "aarch64", "cortex-a57"),
        ("nexus6p,+aes", "aarch64", "cortex-a57"),
        ("nexus6p", "arm", "max"),
        ("nexus4", "arm", "cortex-a15"),
        ("graviton2", "aarch64", "neoverse-n1"),
    ],
)
def test_spelling(text, arch, cpu):
    assert emulated(text, arch) == cpu


def test_every_model_of_x86_has_a_spelling():
    for model in MODELS:
        if "x86_64" in model.archs:
            assert emulated(model.name, "x86_64")


@pytest.mark.parametrize(
    ("text", "arch", "message"),
    [
        ("apple-m1", "aarch64", "qemu-aarch64 has no such CPU; it has nexus6p, graviton2, each as"),
        ("cortex-a53-nocrypto", "aarch64", "qemu-aarch64 has no such CPU"),
        ("nexus6p,-pmull", "aarch64", "qemu-aarch64 has no such CPU"),
        ("nexus6p", "x86_64", "'nexus6p' is a model of aarch64 and arm, not of x86_64"),
        ("penrym", "x86_64", "unknown model 'penrym': did you mean 'penryn'?"),
    ],
)
def test_refusals(text, arch, message):
    with pytest.raises(CapabilityError) as error:
        emulated(text, arch)
    assert str(error.value).startswith(f"--cpu {text!r}")
    assert message in str(error.value)


SAID = """\
qemu-x86_64: warning: TCG doesn't support requested feature: CPUID.01H:ECX.pcid [bit 17]
qemu-x86_64: warning: TCG doesn't support requested feature: CPUID.07H:EBX.hle [bit 4]
qemu-x86_64: warning: TCG doesn't support requested feature: CPUID.01H:ECX.pcid [bit 17]
qemu-x86_64: warning: TCG doesn't support requested feature: CPUID.0DH:EAX.xsavec [bit 1]
"""


def test_what_qemu_leaves_out_is_asked_for_no_more():
    assert without_refused("Haswell", SAID) == "Haswell,pcid=off,hle=off,xsavec=off"
    assert without_refused("Penryn", "GIRrunner") == "Penryn"


@pytest.mark.parametrize(
    ("names", "text", "arch", "beyond"),
    [
        ("neon", "nexus6p", "aarch64", ()),
        ("neon aes sha1 sha256 pmull cpuid dit", "nexus6p", "aarch64", ()),
        ("neon aes sha1 sha256 pmull sha512", "nexus6p", "aarch64", ("sha512",)),
        ("neon aes", "nexus4", "arm", ("aes",)),
    ],
)
def test_surplus(names, text, arch, beyond):
    assert surplus(Vector.of(arch, names.split()), text) == beyond
