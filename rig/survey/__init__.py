"""Stations of `rig init`: what a folder of native code holds, and a first manifest for it."""
