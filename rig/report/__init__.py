"""Stations that write for people and machines."""
