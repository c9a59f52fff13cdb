"""``python -m gitcache`` and the console script ``git-toolcache``."""

import sys

from gitcache.cli.boundary import answer


def main() -> None:
    """Answer the words of the command line and exit with the status that they give."""
    sys.exit(answer(sys.argv[1:]))


if __name__ == "__main__":
    main()
