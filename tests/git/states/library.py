"""A library that repositories of the corpus have as a submodule; no states of its own."""

from __future__ import annotations

from tests.git.states.state import beside
from tests.support.repository import Repo


def make_library(repo: Repo, *, with_inner: bool = False) -> str:
    """Make a repository beside *repo* and return its name as seen from there."""
    lib = Repo.init(beside(repo, "lib"))
    for number in (1, 2):
        lib.write("lib.txt", f"{number}\n")
        lib.commit(f"{number}")
    if not with_inner:
        return "../lib"
    outer = Repo.init(beside(repo, "outer"))
    outer.git("submodule", "--quiet", "add", "../lib", "inner")
    outer.commit("with a submodule")
    return "../outer"


def add_submodule(repo: Repo, url: str = "") -> Repo:
    """Commit a submodule at ``lib`` and return it."""
    repo.git("submodule", "--quiet", "add", url or make_library(repo), "lib")
    repo.commit("with a submodule")
    return Repo(repo.path / "lib")
