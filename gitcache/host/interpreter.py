"""Which Python stands behind a stand-in of a version manager (pyenv, asdf, mise): it is asked once.

The answer is remembered in the user's cache folder, under all that version managers choose by: the
stand-in's stat, their variables, and the files that name a version, from the tool's folder upwards.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from pathlib import Path
from typing import Final

from gitcache.core.key import digest
from gitcache.host.installed import Place
from gitcache.host.json_file import read_object

_VARIABLES: Final = ("PYENV_", "ASDF_", "MISE_", "RTX_", "CONDA_")
_VERSION_FILES: Final = (
    *(".python-version", ".tool-versions", ".mise.toml", "mise.toml"),
    *(".config/mise.toml", ".config/mise/config.toml", ".pyenv/version", "pyvenv.cfg"),
)
"""Files by which a version is chosen, in the tool's folder, each one above it and the home."""

_LONGEST: Final = 30.0
"""Seconds that a Python may take to say its name; a cold network folder takes a few."""

_QUESTION: Final = ("-I", "-c", "import sys; sys.stdout.write(sys.executable)")


def ask_interpreter(program: Path, place: Place) -> Path | None:
    """Return the interpreter that *program* starts in *place*; None where it starts none.

    Raises:
        OSError: the stand-in can't be looked at.
    """
    memo = place.cache and place.cache / "interpreters" / digest(os.fsencode(program))
    chosen_by = _chosen_by(program, place)
    remembered = read_object(memo) if memo else {}
    if remembered.get("by") == chosen_by:
        with suppress(KeyError, TypeError):
            return Path(remembered["is"])
    found = _ask(program, place)
    if memo and found is not None:
        _remember(memo, {"by": chosen_by, "is": str(found)})
    return found


def _chosen_by(program: Path, place: Place) -> str:
    """Return the digest of all that the choice of a version depends on."""
    variables = sorted(
        f"{name}={value}"
        for name, value in place.environ.items()
        if name.startswith(_VARIABLES) or name in ("PATH", "HOME")
    )
    folders = [place.cwd, *place.cwd.parents, *([place.home] if place.home else [])]
    roots = [Path(value) for value in (place.environ.get("PYENV_ROOT"),) if value]
    files = [each / name for each in folders for name in _VERSION_FILES]
    files += [program, program.parent.parent / "version", *(each / "version" for each in roots)]
    versions = [program.parent.parent / "versions", *(each / "versions" for each in roots)]
    return digest(*variables, *map(_state, [*files, *versions]))


def _state(path: Path) -> str:
    try:
        facts = os.stat(path)
    except OSError:
        return ""
    return f"{facts.st_size} {facts.st_mtime_ns} {facts.st_ctime_ns} {facts.st_ino}"


def _ask(program: Path, place: Place) -> Path | None:
    from gitcache.core.outcome import Exited
    from gitcache.host.call import Call, Ended
    from gitcache.host.process import run_process  # a hit is spared it

    said: list[bytes] = []
    call = Call((str(program), *_QUESTION), place.cwd, place.environ, timeout=_LONGEST)
    ended = run_process(
        call, lambda stream, data: said.append(data) if stream == "stdout" else None
    )
    path = os.fsdecode(b"".join(said))
    if not isinstance(ended, Ended) or ended.exit != Exited(0) or not path.startswith("/"):
        return None
    return Path(path)


def _remember(memo: Path, value: dict[str, str]) -> None:
    """Write *value* to *memo* in one step; a memo that can't be written is only slower."""
    beside = memo.with_name(f"{memo.name}.{os.getpid()}")
    try:
        memo.parent.mkdir(parents=True, exist_ok=True)
        beside.write_text(json.dumps(value), "ascii")
        beside.replace(memo)
    except OSError:
        with suppress(OSError):
            beside.unlink()
