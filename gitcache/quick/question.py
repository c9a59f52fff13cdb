"""What a call asks: a digest of all that decides its answer, but for the disk and git.

That is the words, the place, the variables that every tool sees, the system, and how our streams
show an answer. Two calls with one digest differ only in what they find on the disk and hear from
git, and in the variables that the tool's own settings declare. Values of variables are kept as
digests alone.
"""

from __future__ import annotations

import os
import sys

from gitcache import __version__
from gitcache.core.variable_names import is_git_local, is_passed_undeclared, matches
from gitcache.quick.digest import digest
from gitcache.quick.display import is_terminal, wants_colour
from gitcache.quick.packing import pack_texts
from gitcache.quick.trace import VARIABLE
from gitcache.quick.waiting import input_is_waiting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Final

    from gitcache.quick.place import Place

_FORM: Final = "3"
"""The form of a memo; another one is another question."""

_OFF: Final = "GIT_TOOLCACHE"
"""The variable whose presence asks for the ordinary path."""


def is_usual(environ: Mapping[str, str]) -> bool:
    """Return whether a call with *environ* may be answered quickly.

    It may not where the caller has pointed git elsewhere, as a hook does.
    """
    return _OFF not in environ and not any(
        is_git_local(name) and name != "GIT_PREFIX" for name in environ
    )


def question_of(words: Sequence[str], cwd: str, place: Place, environ: Mapping[str, str]) -> bytes:
    """Return the digest of a call with *words* from the folder *cwd* in *place*."""
    told = [
        *(_FORM, __version__, __file__, sys.version),
        *(str(len(words)), *words, cwd, place.top, place.git_dir, place.common_dir),
        *_system(),
        *_display(environ),
        *sorted(f"{name}={environ[name]}" for name in environ if _counts(name)),
    ]
    return digest(pack_texts(told))


def declared(patterns: Iterable[str], environ: Mapping[str, str]) -> bytes:
    """Return the digest of the variables of *environ* that *patterns* name."""
    known = [*patterns]
    named = sorted(f"{name}={environ[name]}" for name in environ if matches(name, known))
    return digest(pack_texts(named))


def _counts(name: str) -> bool:
    """Return whether the variable *name* may decide what any tool does, or what git does."""
    return is_passed_undeclared(name) or (name.startswith("GIT_") and name != VARIABLE)


def _system() -> list[str]:
    """Return the machine and the user, as far as answers depend on them."""
    system = os.uname()
    user = (os.getuid(), os.geteuid(), os.getegid(), *os.getgroups())
    return [system.sysname, system.nodename, system.machine, _c_library(), repr(user)]


def _c_library() -> str:
    try:
        return os.confstr("CS_GNU_LIBC_VERSION") or ""
    except (ValueError, OSError):
        return ""


def _display(environ: Mapping[str, str]) -> list[str]:
    """Return how our streams show an answer, and whether a warning is due."""
    shown = [(is_terminal(each), wants_colour(each, environ)) for each in (1, 2)]
    return [repr(shown), repr(input_is_waiting())]
