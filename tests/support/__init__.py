"""Builds what tests stand on: repositories, worktrees, programs."""
