"""Data and keystream of a stream cipher or a counter mode, combined.

Enters and leaves: bytes. Never here: where the keystream comes from.
"""


def xor(data: bytes, stream: bytes) -> bytes:
    """Return data xor the first len(data) bytes of stream, which is at least as long."""
    size = len(data)
    number = int.from_bytes(data, "little") ^ int.from_bytes(stream[:size], "little")
    return number.to_bytes(size, "little")
