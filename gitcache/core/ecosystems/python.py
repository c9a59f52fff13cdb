"""Python projects: pytest where there is evidence of it, else the standard library's unittest.

Whether a tool is installed is for the run to say. What counts as pytest's settings is
https://docs.pytest.org/en/stable/reference/customize.html, as mypy's
https://mypy.readthedocs.io/en/stable/config_file.html, as pyright's
https://microsoft.github.io/pyright/#/configuration.
"""

import re
from collections.abc import Callable, Mapping
from itertools import islice
from typing import Final

from gitcache.core.ecosystems.documents import ini_sections, mapping, plain, toml_table, words_below
from gitcache.core.ecosystems.ecosystem import (
    AUDIT,
    BUILD,
    LINT,
    TEST,
    TYPECHECK,
    Ecosystem,
    Found,
    Missing,
    Project,
    first_match,
    found,
    marked_by,
    matches,
)
from gitcache.core.tool import ToolName

_PYPROJECT = "pyproject.toml"

_PYTEST_STYLE = re.compile(
    r"^(?:async )?def test(?!_(?:suite|main)\b)|^(?:import|from) pytest\b", re.MULTILINE
)
"""Tests that are functions, which unittest does not find: it would run none and pass.

A function ``test_suite`` or ``test_main`` puts a module's unittest cases together.
"""

_TEST_FOLDERS: Final = ("tests", "test")
_TEST_FILES: Final = ("*/conftest.py", "test_*.py", "*_test.py", "*/test_*.py")
"""What may show how tests are written, at the top and in :data:`_TEST_FOLDERS`."""

_TEST_FILES_READ: Final = 10
"""How many are read, since every hit pays for it: a project has one style, so a few tell it."""

_TEST_BYTES_READ: Final = 1 << 14
"""How many bytes of each are read: imports and the first tests are well within."""

_PYTEST = r"pytest(?![A-Za-z0-9.])"
"""The name of pytest or of one of its plugins (``pytest-cov``), which all bring pytest."""

_REQUIREMENT = re.compile(rf"^[ \t]*{_PYTEST}", re.IGNORECASE | re.MULTILINE)
_QUOTED_REQUIREMENT = re.compile(
    rf"^[^#\n]*[\"'][ \t]*{_PYTEST}[\w-]*[ \t]*[\"'\[<>=!~;@(]", re.IGNORECASE | re.MULTILINE
)

_HOLDS_REQUIREMENTS = re.compile(r"depend|require|deps|packages", re.IGNORECASE)
"""Names of the tables, sections and lists whose content is requirements."""


def _toml_tool(text: str, tool: str) -> bool:
    return tool in mapping(toml_table(text).get("tool"))


def _toml_requirement(text: str) -> bool:
    words = words_below(toml_table(text), _HOLDS_REQUIREMENTS.search)
    return any(_REQUIREMENT.match(word) for word in words)


def _ini_requirement(text: str) -> bool:
    return any(
        _REQUIREMENT.search(value)
        for section, options in ini_sections(text).items()
        for option, value in options.items()
        if _HOLDS_REQUIREMENTS.search(f"{section} {option}")
    )


_PYTEST_EVIDENCE: Mapping[str, Callable[[str], bool]] = {
    "pytest.ini": lambda _: True,
    ".pytest.ini": lambda _: True,
    "conftest.py": lambda _: True,
    _PYPROJECT: lambda text: _toml_tool(text, "pytest") or _toml_requirement(text),
    "setup.cfg": lambda text: "tool:pytest" in ini_sections(text) or _ini_requirement(text),
    "tox.ini": lambda text: "pytest" in ini_sections(text),
    "setup.py": lambda text: _QUOTED_REQUIREMENT.search(text) is not None,
    "Pipfile": _toml_requirement,
    "requirements*.txt": lambda text: _REQUIREMENT.search(text) is not None,
}
"""Name or pattern of a file → whether its text is evidence of pytest."""

_MYPY_EVIDENCE: Mapping[str, Callable[[str], bool]] = {
    "mypy.ini": lambda _: True,
    ".mypy.ini": lambda _: True,
    _PYPROJECT: lambda text: _toml_tool(text, "mypy"),
    "setup.cfg": lambda text: "mypy" in ini_sections(text),
}

_PYRIGHT_EVIDENCE: Mapping[str, Callable[[str], bool]] = {
    "pyrightconfig.json": lambda _: True,
    _PYPROJECT: lambda text: _toml_tool(text, "pyright"),
}


def _shown(project: Project, evidence: Mapping[str, Callable[[str], bool]]) -> str | None:
    """Return the first file of *project* whose text is evidence, or None."""
    return next(
        (
            name
            for pattern, is_evidence in evidence.items()
            for name in matches(project.names, pattern)
            if is_evidence(plain(project.read(name)))
        ),
        None,
    )


def _shown_by_tests(project: Project) -> str | None:
    """Return the first of a few test files of *project* that only pytest runs, or None."""
    below = {
        f"{folder}/{name}"
        for folder in matches(project.names, *_TEST_FOLDERS)
        for name in project.names_in(folder)
        if name.endswith(".py")
    }
    files = islice(matches(project.names | below, *_TEST_FILES), _TEST_FILES_READ)
    return next((each for each in files if _is_for_pytest(project, each)), None)


def _is_for_pytest(project: Project, file: str) -> bool:
    if file.endswith("/conftest.py"):
        return True
    return _PYTEST_STYLE.search(plain(project.read(file, _TEST_BYTES_READ))) is not None


def _test(project: Project, marker: str) -> Found:
    origin = _shown(project, _PYTEST_EVIDENCE) or _shown_by_tests(project)
    return found("pytest", origin) if origin else found("python -m unittest", marker)


def _build(project: Project, _marker: str) -> Found | Missing:
    origin = first_match(project, _PYPROJECT, "setup.py")
    if origin is None:
        return Missing("python -m build needs a pyproject.toml or a setup.py")
    return found("python -m build", origin)


def _typecheck(project: Project, marker: str) -> Found:
    mypy, pyright = _shown(project, _MYPY_EVIDENCE), _shown(project, _PYRIGHT_EVIDENCE)
    return found("pyright", pyright) if pyright and not mypy else found("mypy .", mypy or marker)


_GUESSES: Mapping[ToolName, Callable[[Project, str], Found | Missing]] = {
    TEST: _test,
    BUILD: _build,
    LINT: lambda _, marker: found("ruff check .", marker),
    TYPECHECK: _typecheck,
    AUDIT: lambda _, marker: found("pip-audit", marker),
}


def _guess(project: Project, marker: str, name: ToolName) -> Found | Missing:
    return _GUESSES[name](project, marker)


PYTHON = Ecosystem(marked_by(_PYPROJECT, "setup.py", "setup.cfg", "requirements.txt"), _guess)
