"""Stations that compile and link."""
