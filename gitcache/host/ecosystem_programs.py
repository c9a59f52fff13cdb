"""The interpreters and runners of a repository's ecosystems, which count whatever a tool's argv is.

A ``make test`` starts some ``python3``; which one decides the verdict. So for each ecosystem whose
files the repository has, the programs that usually do the work count as the tool's PATH gives them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Final

from gitcache.host.installed import Place
from gitcache.host.program import Execution

PYTHON: Final = "python"
NODE: Final = "node"

MARKERS: Final[dict[str, tuple[str, ...]]] = {
    PYTHON: (
        *("pyproject.toml", "setup.py", "setup.cfg", "requirements*.txt", "Pipfile"),
        *("tox.ini", "pytest.ini", "conftest.py", "noxfile.py", "uv.lock", "poetry.lock"),
        *("environment.yml", "environment.yaml", ".python-version"),
    ),
    NODE: ("package.json", "deno.json", "deno.jsonc", "bun.lock", "bun.lockb"),
    "rust": ("Cargo.toml",),
    "go": ("go.mod",),
    "ruby": ("Gemfile", "*.gemspec"),
    "java": ("pom.xml", "build.gradle", "build.gradle.kts"),
    "dotnet": ("*.sln", "*.csproj", "*.fsproj"),
    "elixir": ("mix.exs",),
    "php": ("composer.json",),
    "make": ("Makefile", "makefile", "GNUmakefile"),
    "just": ("justfile", "Justfile", ".justfile"),
}
"""Ecosystem → names of the files that show it, wherever in the repository they lie."""

_PROGRAMS: Final[dict[str, tuple[str, ...]]] = {
    PYTHON: ("python3", "python", "pytest", "mypy", "pyright", "ruff", "tox", "nox", "uv"),
    NODE: ("node", "npm", "npx", "pnpm", "yarn", "bun", "deno", "tsc", "eslint", "biome"),
    "rust": ("cargo", "rustc", "rustdoc", "clippy-driver"),
    "go": ("go", "gofmt"),
    "ruby": ("ruby", "bundle", "rake", "rspec", "rubocop"),
    "java": ("java", "javac", "mvn", "gradle"),
    "dotnet": ("dotnet",),
    "elixir": ("elixir", "mix", "erl"),
    "php": ("php", "composer", "phpunit"),
    "make": ("make",),
    "just": ("just",),
}
"""Ecosystem → the programs that do its work. A C compiler is none of them: declare it."""


def ecosystems_of(names: Collection[str]) -> tuple[str, ...]:
    """Return the ecosystems that files with *names*, without their folders, show."""
    return tuple(
        ecosystem
        for ecosystem, patterns in MARKERS.items()
        if any(fnmatchcase(name, pattern) for pattern in patterns for name in names)
    )


def ecosystems_started(executions: Iterable[Execution]) -> frozenset[str]:
    """Return the ecosystems of *executions* that come with packages, which no file may show."""
    names = {each.program.name.rstrip("0123456789.") for each in executions}
    return frozenset(each for each in (PYTHON, NODE) if not names.isdisjoint(_PROGRAMS[each]))


def ecosystem_programs(place: Place, ecosystems: Collection[str]) -> dict[str, Path]:
    """Return the programs of *ecosystems* as a tool in *place* finds them, by their names.

    A program that is not there is absent, so that its installation is seen.
    """
    words = [word for each in ecosystems for word in _PROGRAMS[each]]
    found = {word: place.find(word) for word in words}
    return {word: path for word, path in found.items() if path is not None}
