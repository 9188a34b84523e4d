"""Turns options into capability vectors.

Enters: names that a manifest's `needs` use, option strings, raw CPUID leaves. Leaves: frozen
`Vector`s and `Needs`. Never here: executing CPUID, asking a dispatcher, reading a manifest.
"""
