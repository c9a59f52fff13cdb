"""Processes and the machine."""
