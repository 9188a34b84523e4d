"""Signals that come more than once."""

import signal

import pytest

from rig.interrupt import interruptible


def test_a_second_signal_does_not_cut_short_what_the_first_began() -> None:
    with interruptible() as seen:
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    assert seen == [signal.SIGINT] * 3
