"""Which messages are timed."""

import pytest

from rig.bench.workloads import AAD, SETTING_UP, SIZES, workloads
from rig.cases import Answer
from rig.oracle import chacha20_poly1305, gcm
from rig.primitives import BUNDLED


def sizes(primitive: str, title: str) -> list[int]:
    return [w.size for w in workloads(primitive) if w.title == title]


def test_aeads_have_the_sizes_of_the_field() -> None:
    for algorithm, primitive in (
        ("AES-256-GCM", "aes_gcm"),
        ("ChaCha20-Poly1305", "chacha20_poly1305"),
        ("ChaCha20-Poly1305-Old", "chacha20_poly1305_old"),
        ("XChaCha20-Poly1305", "xchacha20_poly1305"),
    ):
        for action in ("seal", "open"):
            assert sizes(primitive, f"{algorithm} {action}") == list(SIZES)
        assert sizes(primitive, f"{algorithm} sign") == [8192]
    assert sizes("aes_gcm", "AES-128-GCM seal") == [16, 1024, 1350, 8192, 16384]
    both = [w for w in workloads("aes_gcm") if w.action != "sign"]
    assert {w.aad for w in both} == {AAD} == {13}


def test_leaves_have_whole_blocks_where_they_must() -> None:
    assert sizes("ghash", "GHASH") == sizes("aes", "AES-128 CTR") == [16, 1344, 8192, 16384]
    assert sizes("chacha20", "ChaCha20 stream") == sizes("poly1305", "Poly1305 mac") == list(SIZES)
    assert [w.size for w in workloads("ghash", (5, 100))] == [16, 96]


def test_answers_are_the_oracles() -> None:
    for work in workloads("aes_gcm", (100,)):
        given = work.case.values.inputs
        tag = work.case.expected.outputs.get("tag", given.get("tag")) if work.case.expected else b""
        text = given.get("plaintext") or work.case.expected.outputs["plaintext"]
        assert gcm.seal(given["key"], given["nonce"], given["aad"], text, 16)[1] == tag
    (sealed, opened) = workloads("chacha20_poly1305", (16,))
    assert sealed.case.expected and opened.case.expected
    key, nonce, aad = (sealed.case.values.inputs[name] for name in ("key", "nonce", "aad"))
    out = chacha20_poly1305.seal(key, nonce, aad, opened.case.expected.outputs["plaintext"])
    assert sealed.case.expected == Answer({"ciphertext": out[0], "tag": out[1]})


def test_the_same_come_out_each_time() -> None:
    assert workloads("aes_gcm", (64,)) == workloads("aes_gcm", (64,))


@pytest.mark.parametrize("primitive", BUNDLED)
def test_each_primitive_has_some_and_sets_up_by_roles_that_it_has(primitive: str) -> None:
    assert all(w.case.expected is None or not w.case.expected.refused for w in workloads(primitive))
    operations = BUNDLED[primitive].operations.values()
    roles = {role for operation in operations for role in operation.roles} | {"convert_key"}
    assert set(SETTING_UP.get(primitive, ())) <= roles
