"""Measurements for a person to read; no test runs them."""
