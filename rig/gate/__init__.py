"""Decides whether a run is good enough: rules, thresholds, a committed baseline."""
