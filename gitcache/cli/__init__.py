"""Speaks to a person: one file a verb, one boundary for all errors."""
