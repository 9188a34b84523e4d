"""Station 4: Hypothesis strategies for the values of each primitive.

Enters: a primitive's name. Leaves: strategies of `Case`. Never here: the property; it is one
per primitive and runs every selected path, so that a shrunk case is the smallest for all.
"""

from collections.abc import Callable, Mapping
from typing import Any

from hypothesis import strategies as st

from rig.cases import Case, Placement, Values
from rig.inputs.edges import WORDS
from rig.inputs.sweeps import fitting
from rig.primitives import own_of
from rig.runner.scripts import Side
from rig.vectors.shapes import Shape, Size

_LONGEST = 1100
_LENGTHS = st.one_of(st.integers(0, 96), st.integers(0, 1100))
_data = _LENGTHS.flatmap(lambda n: st.binary(min_size=n, max_size=n))
_blocks = st.integers(0, 40).flatmap(lambda n: st.binary(min_size=16 * n, max_size=16 * n))
_block = st.binary(min_size=16, max_size=16)
_key32 = st.binary(min_size=32, max_size=32)
_aes_key = st.sampled_from((16, 24, 32)).flatmap(lambda n: st.binary(min_size=n, max_size=n))
_words = st.lists(st.sampled_from(WORDS), min_size=4, max_size=40).map(
    lambda words: b"".join(word.to_bytes(8, "little") for word in words)
)
_counter = st.one_of(
    _block,
    st.builds(
        lambda lane, rest: ((1 << 32) - 1 - lane).to_bytes(4, "little") + rest,
        st.integers(0, 32),
        st.binary(min_size=12, max_size=12),
    ),
)


def _seal(
    key: st.SearchStrategy[bytes], nonce: st.SearchStrategy[bytes], tags: tuple[int, ...]
) -> dict[str, st.SearchStrategy[object]]:
    return {
        "key": key,
        "nonce": nonce,
        "aad": st.binary(max_size=80),
        "plaintext": _data,
        "tag_len": st.sampled_from(tags),
    }


_poly1305 = st.one_of(
    st.fixed_dictionaries({"key": _key32, "message": _data}),
    _words.map(lambda data: {"key": data[:32], "message": data[32:]}),
)

_OPERATIONS: Mapping[str, Mapping[str, st.SearchStrategy[Any]]] = {
    "aes": {
        "encrypt": st.fixed_dictionaries({"key": _aes_key, "block": _block}),
        "ctr32": st.fixed_dictionaries(
            {"key": _aes_key, "counter": _counter.map(lambda c: c[::-1]), "data": _blocks}
        ),
        "decrypt": st.fixed_dictionaries({"key": _aes_key, "block": _block}),
        **{
            name: st.fixed_dictionaries({"key": _aes_key, "iv": _block, "data": _blocks})
            for name in ("cbc_encrypt", "cbc_decrypt")
        },
    },
    "ghash": {
        "ghash": st.fixed_dictionaries({"h": _block, "xi": _block, "data": _blocks}),
        "gmult": st.fixed_dictionaries({"h": _block, "xi": _block}),
    },
    "chacha20": {
        "ctr32": st.fixed_dictionaries({"key": _key32, "counter": _counter, "data": _data})
    },
    "poly1305": {"mac": _poly1305},
    "aes_gcm_fused": {
        name: st.fixed_dictionaries(
            {
                "key": _aes_key,
                "counter": _counter.map(lambda c: c[::-1]),
                "xi": _block,
                "data": _data,
            }
        )
        for name in ("seal", "open")
    },
    "aes_gcm": {
        "seal": st.fixed_dictionaries(
            _seal(_aes_key, st.binary(min_size=1, max_size=40), (4, 8, 12, 13, 14, 15, 16))
        ),
        "mac": st.fixed_dictionaries(
            {
                "key": _aes_key,
                "nonce": st.binary(min_size=1, max_size=40),
                "message": _data,
                "tag_len": st.sampled_from((4, 8, 12, 13, 14, 15, 16)),
            }
        ),
    },
    "chacha20_poly1305_fused": {
        name: st.fixed_dictionaries(
            {
                "key": _key32,
                "nonce": st.binary(min_size=12, max_size=12),
                "aad": st.binary(max_size=80),
                "data": _data,
                **extra,
            }
        )
        for name, extra in (("seal", {"extra": st.binary(max_size=80)}), ("open", {}))
    },
    "chacha20_poly1305": {
        "seal": st.fixed_dictionaries(_seal(_key32, st.binary(min_size=12, max_size=12), (16,)))
    },
    "chacha20_poly1305_old": {
        "seal": st.fixed_dictionaries(_seal(_key32, st.binary(min_size=8, max_size=8), (16,)))
    },
    "xchacha20_poly1305": {
        "seal": st.fixed_dictionaries(_seal(_key32, st.binary(min_size=24, max_size=24), (16,)))
    },
}

_placements = st.builds(
    Placement,
    side=st.sampled_from(Side),
    skews=st.just({}),
    in_place=st.booleans(),
    null=st.booleans(),
)


def has_strategy(primitive: str) -> bool:
    """Whether inputs can be generated for a primitive."""
    return primitive in _OPERATIONS or own_of(primitive) is not None


def _by_shape(shape: Shape) -> st.SearchStrategy[Any]:
    """Inputs of the sizes of a project's own operation, now and then of edge words alone."""
    return st.fixed_dictionaries({name: _sized(size) for name, size in shape.inputs.items()})


def _sized(size: Size) -> st.SearchStrategy[Any]:
    lengths = st.sampled_from([n for n in fitting(size) if n <= _LONGEST])
    if size.number:
        return lengths
    return lengths.flatmap(
        lambda n: st.one_of(
            st.binary(min_size=n, max_size=n),
            st.lists(st.sampled_from(WORDS), min_size=n // 8 + 1, max_size=n // 8 + 1).map(
                lambda words: b"".join(word.to_bytes(8, "little") for word in words)[:n]
            ),
        )
    )


def _operations(primitive: str) -> Mapping[str, st.SearchStrategy[Any]]:
    own = own_of(primitive)
    if own is None:
        return _OPERATIONS[primitive]
    return {name: _by_shape(shape) for name, shape in own.shapes.items()}


def cases(
    primitive: str, among: Callable[[str], bool] = lambda operation: True
) -> st.SearchStrategy[Case]:
    """Cases of a primitive's operations, or of those of them that are `among`; KeyError for a
    primitive without strategies."""
    chosen = [
        st.builds(
            Case,
            name=st.just("generated"),
            values=st.builds(
                Values,
                primitive=st.just(primitive),
                operation=st.just(operation),
                inputs=inputs,
            ),
            placement=_placements,
        )
        for operation, inputs in _operations(primitive).items()
        if among(operation)
    ]
    return st.one_of(chosen)
