"""Where a folder of Python packages leads to: what is imported from there and lies elsewhere.

Read are ``.pth`` files, ``.egg-link`` files, the modules that editable installs put in the way of
imports (``__editable___…_finder.py``, ``_…_editable_loader.py``) and ``direct_url.json`` (PEP 610),
which names the project of an editable install. Of code, the absolute paths in quotes are taken.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit

_QUOTED_PATH: Final = re.compile(r"'/(?:[^'\\\n]|\\.)*'|\"/(?:[^\"\\\n]|\\.)*\"")
"""An absolute path as Python spells it in code."""

_IS_CODE: Final = ("import ", "import\t")
"""How a line of a ``.pth`` file begins that is executed."""


def leads_of(site: Path) -> Iterator[Path]:
    """Yield where the lists in the folder *site* lead to, in the order of their names.

    Raises:
        OSError: a list can't be read.
        ValueError: a list is damaged.
    """
    for name in sorted(os.listdir(site)):
        if name.endswith(".pth"):
            yield from _of_pth(site / name)
        elif name.endswith(".egg-link"):
            yield from (site / each for each in _text(site / name).splitlines()[:1] if each)
        elif name.endswith(".py") and "editable" in name:
            yield from _in_quotes(_text(site / name))
        elif name.endswith(".dist-info"):
            yield from _of_direct_url(site / name / "direct_url.json")


def _text(path: Path) -> str:
    return path.read_text("utf-8-sig", "surrogateescape")


def _of_pth(path: Path) -> Iterator[Path]:
    """Yield what the lines of a ``.pth`` file name, as ``site.addpackage`` reads them."""
    for line in _text(path).splitlines():
        if line.startswith(_IS_CODE):
            yield from _in_quotes(line)
        elif line.strip() and not line.startswith("#"):
            yield path.parent / line.rstrip()


def _in_quotes(code: str) -> Iterator[Path]:
    from ast import literal_eval  # few lists have code in them

    for match in _QUOTED_PATH.finditer(code):
        try:
            path = literal_eval(match[0])
        except SyntaxError as error:
            raise ValueError(f"{match[0]} is no path") from error
        if os.path.lexists(path):
            yield Path(path)


def _of_direct_url(path: Path) -> Iterator[Path]:
    """Yield the project that an editable install was made from."""
    with suppress(FileNotFoundError, NotADirectoryError):
        found = json.loads(path.read_bytes())
        information = found.get("dir_info") if isinstance(found, dict) else None
        if isinstance(information, dict) and information.get("editable"):
            yield Path(unquote(urlsplit(str(found.get("url"))).path))
