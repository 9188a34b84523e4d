"""The errors that end a run before it can judge anything (exit code 2).

Enters: nothing. Leaves: exception types whose text is one clear line, or the compiler's
words behind one. Never here: verdicts; those are results, not exceptions.
"""


class RigError(Exception):
    """Something that the user can put right; the text says what, where and how."""


class ManifestError(RigError):
    """A manifest or contract that cannot be used: `path:line: message`."""


class BuildError(RigError):
    """A compiler or linker that refused; the text ends with its own words."""
