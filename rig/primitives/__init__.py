"""The table of primitives: a new one is one entry here (see `rig.primitives.definition`). Those
that a manifest brings join it while that manifest is used (see `rig.primitives.own`)."""

from collections.abc import Mapping

from rig.primitives.aead import (
    AES_GCM,
    CHACHA20_POLY1305,
    CHACHA20_POLY1305_OLD,
    XCHACHA20_POLY1305,
)
from rig.primitives.aes import AES
from rig.primitives.aes_gcm_fused import AES_GCM_FUSED
from rig.primitives.chacha20 import CHACHA20
from rig.primitives.chacha20_poly1305_fused import CHACHA20_POLY1305_FUSED
from rig.primitives.definition import Definition, Own
from rig.primitives.ghash import GHASH
from rig.primitives.poly1305 import POLY1305

BUNDLED: Mapping[str, Definition] = {
    definition.name: definition
    for definition in (
        AES,
        GHASH,
        CHACHA20,
        POLY1305,
        AES_GCM_FUSED,
        AES_GCM,
        CHACHA20_POLY1305_FUSED,
        CHACHA20_POLY1305,
        CHACHA20_POLY1305_OLD,
        XCHACHA20_POLY1305,
    )
}

PRIMITIVES: dict[str, Definition] = dict(BUNDLED)


def own_of(name: str) -> Own | None:
    """What a project has brought for a primitive; None for one of the rig's, or of nobody's."""
    definition = PRIMITIVES.get(name)
    return definition.own if definition else None
