"""Tests of the test runners that are known."""
