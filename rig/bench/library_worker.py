"""The process that holds a library: prepares messages, checks them once, repeats its calls.

Enters: the library's and the timing code's paths as arguments, then a line of JSON for each request
on the standard input. Leaves: a line of JSON for each, the first of them of the library itself. The
parent sets the environment, as a library reads it once. It runs as a file of its own, isolated, and
imports only the standard library. Never here: which messages, how often, or what the times say.
"""

import ctypes
import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

_WORDS = 32
_CPU_SETTINGS = 1008  # OPENSSL_INFO_CPU_SETTINGS
_GET_TAG, _SET_TAG = 0x10, 0x11  # EVP_CTRL_AEAD_...
_TAG = 16


class LackingError(Exception):
    """Something that the library has not."""


class Call(ctypes.Structure):
    """struct timed_call in native/runner/timing.h."""

    _fields_ = (
        ("target", ctypes.c_size_t),
        ("convention", ctypes.c_uint),
        ("count", ctypes.c_uint),
        ("words", ctypes.c_size_t * _WORDS),
    )


@dataclass(frozen=True, slots=True)
class Message:
    """The calls that a message takes, as name and words, with what each must return (None: not
    looked at), and buffers that must then hold what was asked for."""

    calls: tuple[tuple[str, tuple[int, ...], int | None], ...]
    expected: tuple[tuple[ctypes.Array[ctypes.c_char], bytes], ...]


Inputs = Mapping[str, bytes]
Prepared = Callable[["Library", Inputs, Inputs], Message]


class Library:
    """A loaded library. Buffers live as long as it does: calls hold their addresses."""

    def __init__(self, path: str) -> None:
        self.code = ctypes.CDLL(path)
        self._kept: list[object] = []

    def address(self, name: str) -> int:
        """Where a function is; LackingError without it."""
        try:
            return ctypes.cast(getattr(self.code, name), ctypes.c_void_p).value or 0
        except AttributeError as error:
            raise LackingError(f"no function {name}") from error

    def call(self, name: str, *words: int, result: Any = ctypes.c_int) -> Any:
        """Calls a function whose arguments are all words."""
        function = ctypes.CFUNCTYPE(result, *[ctypes.c_size_t] * len(words))
        return function(self.address(name))(*words)

    def text(self, name: str, *words: int) -> str:
        """A call that returns a string."""
        found = self.call(name, *words, result=ctypes.c_char_p) or b""
        return str(found.decode(errors="replace"))

    def at(self, data: bytes) -> int:
        """The address of these bytes."""
        return ctypes.addressof(self.room(len(data), data))

    def room(self, size: int, data: bytes = b"") -> "ctypes.Array[ctypes.c_char]":
        """A buffer, aligned to 64 bytes as an allocator of the field would."""
        whole = ctypes.create_string_buffer(size + 64)
        self._kept.append(whole)
        start = -ctypes.addressof(whole) % 64
        part = (ctypes.c_char * size).from_buffer(whole, start)
        ctypes.memmove(part, data, len(data))
        self._kept.append(part)
        return part


# -------- libcrypto, by EVP; the key is set once, the nonce with each message --------


def _cipher(library: Library, name: str, key: bytes, seals: int) -> int:
    function = f"EVP_{name}"
    cipher = library.call(function, result=ctypes.c_size_t)
    context = int(library.call("EVP_CIPHER_CTX_new", result=ctypes.c_size_t))
    nonce = library.at(bytes(16))
    if library.call("EVP_CipherInit_ex", context, cipher, 0, library.at(key), nonce, seals) != 1:
        raise LackingError(f"{function} takes no such key")
    return context


def _evp_aead(name: str, seals: bool) -> Prepared:
    def prepare(library: Library, inputs: Inputs, outputs: Inputs) -> Message:
        data = inputs["plaintext" if seals else "ciphertext"]
        out, tag, length = library.room(len(data)), library.room(_TAG), library.at(bytes(8))
        context = _cipher(library, name, inputs["key"], int(seals))
        at_out, at_tag = ctypes.addressof(out), ctypes.addressof(tag)
        update, control = "EVP_CipherUpdate", "EVP_CIPHER_CTX_ctrl"
        aad = (context, 0, length, library.at(inputs["aad"]), len(inputs["aad"]))
        calls: list[tuple[str, tuple[int, ...], int | None]] = [
            (
                "EVP_CipherInit_ex",
                (context, 0, 0, 0, library.at(inputs["nonce"]), int(seals)),
                1,
            ),
            (update, aad, 1),
        ]
        if data:
            calls.append((update, (context, at_out, length, library.at(data), len(data)), 1))
        if not seals:
            calls.append((control, (context, _SET_TAG, _TAG, library.at(inputs["tag"])), 1))
        calls.append(("EVP_CipherFinal_ex", (context, at_out + len(data), length), 1))
        if seals:
            calls.append((control, (context, _GET_TAG, _TAG, at_tag), 1))
        if not seals:
            return Message(tuple(calls), ((out, outputs["plaintext"]),))
        return Message(tuple(calls), ((out, outputs["ciphertext"]), (tag, outputs["tag"])))

    return prepare


def _evp_stream(name: str) -> Prepared:
    def prepare(library: Library, inputs: Inputs, outputs: Inputs) -> Message:
        data = inputs["data"]
        out, length = library.room(len(data)), library.at(bytes(8))
        context = _cipher(library, name, inputs["key"], 1)
        counter = library.at(inputs["counter"])
        whole = (context, ctypes.addressof(out), length, library.at(data), len(data))
        calls = (
            ("EVP_CipherInit_ex", (context, 0, 0, 0, counter, 1), 1),
            ("EVP_CipherUpdate", whole, 1),
        )
        return Message(calls, ((out, outputs["output"]),))

    return prepare


def _evp_poly1305(library: Library, inputs: Inputs, outputs: Inputs) -> Message:
    name, size = library.at(b"POLY1305\0"), ctypes.c_size_t
    mac = library.call("EVP_MAC_fetch", 0, name, 0, result=size)
    context = library.call("EVP_MAC_CTX_new", mac, result=size)
    tag, key, message = library.room(_TAG), inputs["key"], inputs["message"]
    length = library.at(bytes(8))
    calls = (
        ("EVP_MAC_init", (context, library.at(key), len(key), 0), 1),
        ("EVP_MAC_update", (context, library.at(message), len(message)), 1),
        ("EVP_MAC_final", (context, ctypes.addressof(tag), length, _TAG), 1),
    )
    return Message(calls, ((tag, outputs["tag"]),))


LIBCRYPTO: Mapping[str, Prepared] = {
    **{
        f"{algorithm} {action}": _evp_aead(name, action != "open")
        for algorithm, name in (
            ("AES-128-GCM", "aes_128_gcm"),
            ("AES-256-GCM", "aes_256_gcm"),
            ("ChaCha20-Poly1305", "chacha20_poly1305"),
        )
        for action in ("seal", "open", "sign")
    },
    "AES-128 CTR": _evp_stream("aes_128_ctr"),
    "AES-256 CTR": _evp_stream("aes_256_ctr"),
    "ChaCha20 stream": _evp_stream("chacha20"),
    "Poly1305 mac": _evp_poly1305,
}

# -------- libsodium --------


def _sodium_aead(name: str, seals: bool) -> Prepared:
    def prepare(library: Library, inputs: Inputs, outputs: Inputs) -> Message:
        data = inputs["plaintext" if seals else "ciphertext"]
        out, tag = library.room(len(data)), library.room(_TAG)
        last = (library.at(inputs["nonce"]), library.at(inputs["key"]))
        aad = (library.at(inputs["aad"]), len(inputs["aad"]))
        at_out, given = ctypes.addressof(out), (library.at(data), len(data))
        function = f"crypto_aead_{name}_{'en' if seals else 'de'}crypt_detached"
        if not seals:
            known = library.at(inputs["tag"])
            call = (function, (at_out, 0, *given, known, *aad, *last), 0)
            return Message((call,), ((out, outputs["plaintext"]),))
        words = (at_out, ctypes.addressof(tag), 0, *given, *aad, 0, *last)
        return Message(
            ((function, words, 0),), ((out, outputs["ciphertext"]), (tag, outputs["tag"]))
        )

    return prepare


def _sodium_aes256gcm(seals: bool) -> Prepared:
    """With the key's schedule made before, as `crypto_aead_aes256gcm_beforenm` does it."""

    def prepare(library: Library, inputs: Inputs, outputs: Inputs) -> Message:
        if not library.call("crypto_aead_aes256gcm_is_available"):
            raise LackingError("its AES-256-GCM needs AES and CLMUL of the CPU")
        state = ctypes.addressof(library.room(512))
        library.call("crypto_aead_aes256gcm_beforenm", state, library.at(inputs["key"]))
        made = _sodium_aead("aes256gcm", seals)(library, inputs, outputs)
        ((function, words, result),) = made.calls
        return Message(((f"{function}_afternm", (*words[:-1], state), result),), made.expected)

    return prepare


def _sodium_chacha20(library: Library, inputs: Inputs, outputs: Inputs) -> Message:
    data, counter = inputs["data"], inputs["counter"]
    out, key = library.room(len(data)), library.at(inputs["key"])
    first, nonce = int.from_bytes(counter[:4], "little"), library.at(counter[4:])
    words = (ctypes.addressof(out), library.at(data), len(data), nonce, first, key)
    return Message((("crypto_stream_chacha20_ietf_xor_ic", words, 0),), ((out, outputs["output"]),))


def _sodium_poly1305(library: Library, inputs: Inputs, outputs: Inputs) -> Message:
    tag, message = library.room(_TAG), inputs["message"]
    at = library.at(message)
    words = (ctypes.addressof(tag), at, len(message), library.at(inputs["key"]))
    return Message((("crypto_onetimeauth_poly1305", words, 0),), ((tag, outputs["tag"]),))


LIBSODIUM: Mapping[str, Prepared] = {
    **{
        f"{algorithm} {action}": _sodium_aead(name, action != "open")
        for algorithm, name in (
            ("ChaCha20-Poly1305", "chacha20poly1305_ietf"),
            ("ChaCha20-Poly1305-Old", "chacha20poly1305"),
            ("XChaCha20-Poly1305", "xchacha20poly1305_ietf"),
        )
        for action in ("seal", "open", "sign")
    },
    **{f"AES-256-GCM {a}": _sodium_aes256gcm(a != "open") for a in ("seal", "open", "sign")},
    "ChaCha20 stream": _sodium_chacha20,
    "Poly1305 mac": _sodium_poly1305,
}

# -------- requests --------


def greeting(library: Library) -> tuple[dict[str, str], Mapping[str, Prepared]]:
    """What the library is, and what it can do; `mask` is what it says of its own vector."""
    try:
        version = library.text("OpenSSL_version", 0)
        settings = library.text("OPENSSL_info", _CPU_SETTINGS).split()
    except LackingError:
        library.call("sodium_init")
        return {"name": f"libsodium {library.text('sodium_version_string')}", "mask": ""}, LIBSODIUM
    name = " ".join(version.split()[:2])
    return {"name": name, "mask": settings[0].partition("=")[2] if settings else ""}, LIBCRYPTO


def prepared(library: Library, how: Mapping[str, Prepared], request: Mapping[str, Any]) -> Message:
    """A message whose calls have been made once and did what they must."""
    if request["title"] not in how:
        raise LackingError("not among its functions")
    inputs, outputs = (
        {name: bytes.fromhex(text) for name, text in request[part].items()}
        for part in ("inputs", "outputs")
    )
    message = how[request["title"]](library, inputs, outputs)
    for name, words, result in message.calls:
        got = library.call(name, *words)
        if result is not None and got != result:
            raise LackingError(f"{name} returns {got}")
    for buffer, data in message.expected:
        if buffer.raw != data:
            raise LackingError("another answer than the oracle's")
    return message


def timed(library: Library, clock: ctypes.CDLL, message: Message, repeats: int) -> list[int]:
    """Nanoseconds of all repeats, and of as many empty ones."""
    calls = (Call * len(message.calls))()
    for call, (name, words, _) in zip(calls, message.calls, strict=True):
        call.target, call.count = library.address(name), len(words)
        call.words[: len(words)] = words
    elapsed, empty = ctypes.c_uint64(), ctypes.c_uint64()
    clock.time_calls(
        calls, len(calls), ctypes.c_uint64(repeats), ctypes.byref(elapsed), ctypes.byref(empty)
    )
    return [elapsed.value, empty.value]


def main(path: str, timing: str) -> None:
    """Answers requests until there are no more."""
    try:
        library, clock = Library(path), ctypes.CDLL(timing)
        hello, how = greeting(library)
    except (OSError, LackingError) as error:
        print(json.dumps({"lacking": str(error)}), flush=True)
        return
    print(json.dumps(hello), flush=True)
    messages: list[Message] = []
    for line in sys.stdin:
        request = json.loads(line)
        if "repeats" in request:
            answer: Any = timed(library, clock, messages[request["message"]], request["repeats"])
        else:
            try:
                messages.append(prepared(library, how, request))
                answer = {"message": len(messages) - 1}
            except LackingError as error:
                answer = {"lacking": str(error)}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
