"""``python -m gitcache`` and the console script ``git-toolcache``."""

import os
import sys

_INTERRUPTION = 2
"""SIGINT, on every system; the module that names it is not loaded for a number."""


def main() -> None:
    """Answer the words of the command line and exit with the status that they give."""
    from gitcache.quick.answer import answer as answer_quickly

    try:
        status = answer_quickly(sys.argv[1:])
    except KeyboardInterrupt:
        from gitcache.cli.signals import die_by

        sys.exit(die_by(_INTERRUPTION))
    if status is not None:
        os._exit(status)  # nothing of Python's needs to be put in order, and that takes its time
    from gitcache.cli.boundary import answer

    sys.exit(answer(sys.argv[1:]))


if __name__ == "__main__":
    main()
