"""Stations that judge: events become findings."""
