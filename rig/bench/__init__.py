"""`rig bench`: the same cases against the clock instead of the oracle."""
