"""A variant as JSON: the keys that `rig list --json` and results.json share.

Enters: a stanza of a manifest. Leaves: plain values. Never here: anything that needs a build.
"""

from pathlib import Path
from typing import Any

from rig.manifest import Manifest, Variant


def describe_variant(manifest: Manifest, variant: Variant) -> dict[str, Any]:
    """The variant; `source` is relative to the manifest's folder where it lies inside."""
    return {
        "primitive": variant.primitive,
        "variant": variant.name,
        "arch": variant.arch,
        "needs": needs_words(variant),
        "constant_time": variant.constant_time,
        "dispatch": variant.dispatch,
        "source": ", ".join(_relative(s, manifest) for s in variant.sources),
        "symbols": dict(variant.symbols),
        "layout": variant.layout,
    }


def needs_words(variant: Variant) -> list[str]:
    """What must be set, then what must be clear as `!name`, each sorted."""
    needs = variant.needs
    return [*sorted(needs.required), *(f"!{name}" for name in sorted(needs.forbidden))]


def _relative(source: Path, manifest: Manifest) -> str:
    inside = source.is_relative_to(manifest.root)
    return str(source.relative_to(manifest.root) if inside else source)
