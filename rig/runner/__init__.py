"""Station 5: executes scripts in a small freestanding process, `native/runner`.

Enters: images and scripts. Leaves: events and hits. Never here: what a value should be.
"""
