"""The commands that need no pytest, one module each."""
