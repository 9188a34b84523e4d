"""The contracts of the field: functions as OpenSSL, BoringSSL, AWS-LC and ring have them, by a
manifest alone."""

import pytest

from rig.capabilities.paths import missing
from rig.errors import ManifestError
from rig.inputs.answers import answer
from rig.inputs.sweeps import sweep
from rig.lab import takes
from rig.primitives import PRIMITIVES
from rig.project import binding
from rig.runner.batches import script_of
from rig.runner.scripts import Call, Word

FAULTS = """
rig      = 1
include  = ["{here}", "{here}/../../../native/include"]

[aes_gcm_fused]
contract = "{contract}"
symbols  = {{ set_encrypt_key = "kernel_set_encrypt_key", init = "kernel_init" }}
dir      = "{here}"
variants = [
  {{ arch = "x86_64", name = "k", source = "faults_kernel.c", symbols = {{ seal = "{seal}" }} }},
]

[chacha20_poly1305_fused]
dir      = "{here}"
symbols  = {{ seal = "seal_{extra}" }}
variants = [{{ arch = "x86_64", name = "nohw", source = "faults_union.c" }}]
"""


@pytest.fixture(scope="module")
def library(bench):
    return bench.project("cryptogams/rig.toml")


def test_every_variant_of_a_library_passes(bench, library):
    for path in (p for s in library.sweeps for p in s.paths if p.kind == "direct"):
        if not missing(path, library.host):
            found = bench.judge(library, path, path.masks[0])
            assert found.findings == (), path.id
            assert found.cases > 10, path.id


@pytest.mark.parametrize("arch", ["aarch64", "arm"])
def test_every_variant_on_arm_passes(bench, arch):
    library = bench.project("cryptogams/rig.toml", arch)
    for path in (p for s in library.sweeps for p in s.paths if p.kind == "direct"):
        if not missing(path, library.host):
            found = bench.judge(library, path, path.masks[0], every=5)
            assert found.findings == (), path.id
            assert found.cases > 10, path.id


def test_a_variant_for_one_block(bench):
    for path, found in bench.judged(bench.project("cryptogams/ring.toml")).items():
        assert found.findings == (), path
        assert found.cases > 10, path


def test_an_init_hands_out_what_its_vector_says(library):
    names = {
        path.choice[0][1]: {name for mask in path.masks for name in mask.names}
        for sweep in library.sweeps
        for path in sweep.paths
        if path.primitive == "poly1305" and path.kind == "mask"
    }
    assert "avx2" in names["avx2"]
    assert "avx2" not in names["x86_64"]


def sealing(length):
    """Cases of messages of so many bytes."""
    return [c for c in sweep("aes_gcm_fused") if len(c.values.inputs["data"]) == length]


def paths(library, primitive):
    return [p for s in library.sweeps for p in s.paths if p.primitive == primitive]


def call(library, path, case):
    """The last call of a case on a path."""
    definition = PRIMITIVES[path.primitive]
    script = script_of(definition, binding(library, path), case, answer(definition, case))
    step = script.steps[-1]
    assert isinstance(step, Call)
    return script, step


@pytest.mark.parametrize(
    ("name", "length", "returns"),
    [
        ("aesni", 287, Word(0)),
        ("aesni", 288, Word(288)),
        ("aesni", 600, Word(576)),
        ("ossl_aesni", 600, Word(576)),
        ("ossl_kernel", 608, Word(608)),
        ("kernel", 608, None),
        ("vaes_avx2", 601, None),
    ],
)
def test_what_a_fused_kernel_does_of_a_message_is_its_contracts_to_say(
    library, name, length, returns
):
    path = next(p for p in paths(library, "aes_gcm_fused") if p.choice[0][1] == name)
    case = sealing(length)[0]
    assert takes(path, case)
    _, step = call(library, path, case)
    assert step.returns == returns


def test_a_kernel_of_whole_blocks_is_given_no_others(library):
    path = next(p for p in paths(library, "aes_gcm_fused") if p.choice[0][1] == "kernel")
    assert [n for n in (0, 15, 16, 17, 32) if takes(path, sealing(n)[0])] == [16, 32]
    _, step = call(library, path, sealing(32)[0])
    assert step.arguments[1] == Word(256)


def test_a_table_behind_xi_lies_in_its_memory(library):
    path = next(p for p in paths(library, "aes_gcm_fused") if p.choice[0][1] == "ossl_aesni")
    script, step = call(library, path, sealing(288)[0])
    xi = script.buffers[step.arguments[-1].buffer]
    owner = script.buffers[xi.alias]
    assert (xi.size, owner.size, owner.align) == (16, 32 + 256, 16)


@pytest.mark.parametrize(
    ("contract", "seal", "extra", "checks"),
    [
        ("aesni_gcm", "fused_clean", "clean", {}),
        ("aesni_gcm", "fused_claims_all", "clean", {"aes_gcm_fused": {"return"}}),
        ("aesni_gcm", "fused_touches_tail", "clean", {"aes_gcm_fused": {"value"}}),
        ("aesni_gcm", "fused_every_block", "clean", {"aes_gcm_fused": {"value", "return"}}),
        ("aesni_gcm", "fused_keeps_counter", "clean", {"aes_gcm_fused": {"value"}}),
        ("aes_gcm_kernel", "aes_gcm_enc_kernel", "clean", {}),
        (
            "aes_gcm_update",
            "fused_every_block",
            "clean",
            {"aes_gcm_fused": {"value", "input", "uninitialised"}},
        ),
        ("aesni_gcm", "fused_clean", "without_extra", {"chacha20_poly1305_fused": {"value"}}),
    ],
)
def test_what_is_wrong_in_its_shape_only(bench, foreign, tmp_path, contract, seal, extra, checks):
    path = tmp_path / "rig.toml"
    here = foreign / "cryptogams"
    path.write_text(FAULTS.format(here=here, contract=contract, seal=seal, extra=extra))
    project = bench.project(path)
    direct = [p for s in project.sweeps for p in s.paths if p.kind == "direct"]
    found = {p.primitive: bench.judge(project, p, p.masks[0]).checks for p in direct}
    assert {name: fired for name, fired in found.items() if fired} == checks


CBC = """
rig      = 1
include  = ["{here}", "{here}/../../../native/include"]

[aes]
contract = "aes_block"
dir      = "{here}"
symbols  = {{ set_encrypt_key = "aes_nohw_set_encrypt_key", encrypt = "aes_nohw_encrypt" }}
variants = [
  {{ arch = "x86_64", name = "nohw", source = "aes_nohw.c", flags = [{flags}], symbols = {{ set_decrypt_key = "aes_nohw_set_decrypt_key", decrypt = "aes_nohw_decrypt", cbc_encrypt = "aes_nohw_cbc_encrypt" }} }},
]
"""  # noqa: E501


@pytest.mark.parametrize(
    ("flags", "wrong"),
    [
        ("", set()),
        ('"-DLAST(ivec, block)=(void)ivec"', {"cbc_encrypt", "cbc_decrypt"}),
        ('"-DFIRST_KEY(rounds)=(rounds < 14 ? rounds : 13)"', {"decrypt", "cbc_decrypt"}),
    ],
)
def test_decryption_and_cbc(bench, foreign, tmp_path, flags, wrong):
    path, here = tmp_path / "rig.toml", foreign / "cryptogams"
    path.write_text(CBC.format(here=here, flags=flags))
    project = bench.project(path)
    (direct,) = (p for p in project.sweeps[0].paths if p.kind == "direct")
    cases = [case for case in bench.cases("aes") if takes(direct, case)]
    assert {c.values.operation for c in cases} >= {"decrypt", "cbc_encrypt", "cbc_decrypt"}
    found = bench.judge(project, direct, direct.masks[0])
    assert found.checks == ({"value"} if wrong else set())
    assert {cases[f.script].values.operation for f in found.findings} == wrong


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("aes_bsaes", "aes_bsaes.h: `convert_key`: the functions are named aes_bsaes_ROLE, ROLE"),
        ("aesni_gmc", r"rig.toml:6: `aesni_gmc` is no bundled contract; did you mean `aesni_gcm`"),
    ],
)
def test_a_contract_that_is_no_form_of_its_primitive(bench, foreign, tmp_path, name, message):
    path, here = tmp_path / "rig.toml", foreign / "cryptogams"
    path.write_text(FAULTS.format(here=here, contract=name, seal="fused_clean", extra="clean"))
    with pytest.raises(ManifestError, match=message):
        bench.project(path)
