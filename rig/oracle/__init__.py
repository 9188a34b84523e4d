"""The oracle: what the standards say the bytes are, in pure Python.

Enters: keys, nonces, counter blocks and data as bytes. Leaves: bytes, or None where an open
must be refused. Never here: native code, third-party packages, knowledge of variants, state
that outlives a call (bounded caches of tables excepted).

Each module follows one standard clause by clause. Where a faster formulation answers, the
standard's own text stands beside it under a name that ends in `_plain`, and the tests hold
the two together.

Lengths that a standard does not allow raise ValueError; nothing else is raised.
"""
