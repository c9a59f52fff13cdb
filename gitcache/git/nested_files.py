"""The files of submodules and other repositories within a worktree that count there."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Final

from gitcache.core.variables import without_git_local
from gitcache.errors import RepositoryError
from gitcache.git.disk import files_below
from gitcache.git.repository import Repository, find_repository

_COUNTING: Final = ("ls-files", "-z", "--cached", "--others", "--exclude-standard")


def nested_files(repository: Repository, path: str) -> Iterator[str]:
    """Yield each file, as seen from the top, of what lies in the folder *path*, a gitlink's.

    Raises:
        RepositoryError: it can't be listed.
    """
    place = repository.top / path
    if not os.path.lexists(place / ".git"):
        if os.path.isdir(place):
            yield from (str(each.relative_to(repository.top)) for each in files_below(place))
        return
    nested = find_repository(place, without_git_local(repository.git.environ))
    if nested.top != place.resolve():
        raise RepositoryError(f"{path} is no repository of its own")
    with nested.listing() as git:
        listed = git.run(*_COUNTING).split(b"\0")[:-1]
    for name in dict.fromkeys(listed):
        file = os.fsdecode(name).removesuffix("/")
        inner = nested.top / file
        if os.path.isdir(inner) and not inner.is_symlink():
            yield from (f"{path}/{each}" for each in nested_files(nested, file))
        else:
            yield f"{path}/{file}"
