"""Tests that run real test runners: make test-runners."""
