"""Stations that give cases and their answers."""
