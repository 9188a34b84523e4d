"""Variant rig: one primitive, many native implementations, each proven on its own path."""

__version__ = "0.1.0"
