"""What the rig itself costs. No test looks at a time."""

import importlib.metadata
import sys
from types import SimpleNamespace

import pytest

from rig.bench import costs
from rig.bench.costs import Cost, document, lines, oracle
from rig.errors import RigError
from rig.oracle import chacha20_poly1305, gcm


def installed(monkeypatch, version: str | None, wrong: bytes = b"") -> None:
    """A package of that name, or none."""

    def versions(name: str) -> str:
        if version is None:
            raise importlib.metadata.PackageNotFoundError(name)
        return version

    def aes(key: bytes) -> SimpleNamespace:
        def encrypt(nonce: bytes, data: bytes, aad: bytes, workers: int) -> tuple[bytes, bytes]:
            return gcm.seal(key, nonce, aad, data + wrong, 16)

        return SimpleNamespace(gcm_encrypt=encrypt)

    def seal(key: bytes, nonce: bytes, data: bytes) -> bytes:
        return b"".join(chacha20_poly1305.seal(key, nonce, b"", data))

    package = SimpleNamespace(AES=aes, chacha20poly1305_encrypt=seal)
    monkeypatch.setattr(costs.importlib.metadata, "version", versions)
    monkeypatch.setitem(sys.modules, "purepycrypto", package)


def test_the_oracle_beside_a_package(monkeypatch) -> None:
    installed(monkeypatch, "9.9")
    monkeypatch.setattr(costs, "_ORACLE_NS", 1000)
    found = list(oracle(2, (16, 100)))
    assert [(cost.subject, cost.way) for cost in found] == [
        (f"{name} {size} B", way)
        for name in ("AES-128-GCM", "ChaCha20-Poly1305")
        for size in (16, 100)
        for way in ("oracle", "purepycrypto 9.9")
    ]
    assert all(len(cost.us) == len(cost.times) == 2 and min(cost.us) > 0 for cost in found)
    assert found[0].times == (1.0, 1.0)


def test_without_the_package_the_oracle_alone(monkeypatch) -> None:
    installed(monkeypatch, None)
    monkeypatch.setattr(costs, "_ORACLE_NS", 1000)
    assert {cost.way for cost in oracle(1, (16,))} == {"oracle"}


def test_a_package_with_another_answer_is_told(monkeypatch) -> None:
    installed(monkeypatch, "9.9", wrong=b"!")
    with pytest.raises(RigError, match=r"AES-128-GCM: purepycrypto 9\.9 gives another answer"):
        list(oracle(1, (16,)))


def test_lines_and_json() -> None:
    two = [
        Cost("a path, 64 cases", "bare", (100.0, 100.0), (1.0, 1.0)),
        Cost("a path, 64 cases", "directions", (200.0, 210.0), (2.0, 2.1), "7 instructions hit"),
    ]
    assert list(lines(two)) == [
        "a path, 64 cases",
        "  bare                      100.0±0% us",
        "  directions                  205±2% us   2.05x  7 instructions hit",
        "",
    ]
    assert document(two)[1]["times"] == (2.0, 2.1)
