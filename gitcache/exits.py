"""Every exit status that is ours, with its source.

``run`` is transparent: the tool's own status is passed on. The numbers here are for what is not
the tool's word, chosen as ``timeout(1)``, the shell and git choose theirs.
"""

PASSED = 0
"""``lookup``: a stored pass. Any other verb: it did its work."""

FAILED = 1
"""``lookup``: a stored failure."""

NO_ENTRY = 2
"""``lookup``: nothing is stored for this content."""

TIMED_OUT = 124
"""The tool's timeout passed, as ``timeout(1)``."""

NO_VERDICT = 125
"""No verdict could be had, as ``timeout(1)``; ``git bisect run`` skips such a commit."""

NOT_EXECUTABLE = 126
"""The tool's program can't be executed (POSIX shell, "Exit Status for Commands")."""

NOT_FOUND = 127
"""The tool's program was not found (POSIX shell, "Exit Status for Commands")."""

FATAL = 128
"""Fatal before anything ran, as git's ``die()``."""

USAGE = 129
"""Bad usage, as git's ``usage()``."""

SIGNAL_BASE = 128
"""A process killed by signal *n* is reported as ``SIGNAL_BASE + n``, as the shell does."""
