"""The id of a tree that is stored nowhere is git's own."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gitcache.git.repository import EMPTY_TREE, ObjectFormat
from gitcache.git.tree_hash import tree_of
from tests.support.repository import Repo

FORMATS: list[ObjectFormat] = ["sha1", "sha256"]

NAMES = st.text("ab.-0/\n\xff", min_size=1, max_size=8).map(lambda text: text.encode("latin-1"))


@pytest.mark.parametrize("object_format", FORMATS)
def test_no_entries_make_the_empty_tree(object_format: ObjectFormat) -> None:
    assert tree_of(b"", object_format) == EMPTY_TREE[object_format]


def test_one_known_tree() -> None:
    entry = b"100755 9daeafb9864cf43055ae93beb0afd6c7d144bfa4 0\tx\0"
    assert tree_of(entry, "sha1") == "2a9e99896c6233b94d548378301b6a19c0a033b7"


@pytest.mark.parametrize("object_format", FORMATS)
def test_modes_and_nested_folders_come_out_as_git_makes_them(
    tmp_path: Path, object_format: ObjectFormat
) -> None:
    repo = Repo.init(tmp_path / "modes", f"--object-format={object_format}")
    for name in ("a/b/c/d", "a/b/c.d", "a/b.c/d", "a.b", "a-b", "a/z", "b/a/b/c/d", "z"):
        repo.write(name, name)
    (repo.path / "z").chmod(0o755)
    (repo.path / "link").symlink_to("z")
    Repo.init(repo.path / "inner", f"--object-format={object_format}").commit()
    repo.git("-c", "advice.addEmbeddedRepo=false", "add", "--all")
    entries = os.fsencode(repo.git("ls-files", "-s", "-z"))
    assert tree_of(entries, object_format) == repo.git("write-tree")


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(paths=st.sets(NAMES, max_size=12))
def test_any_names_come_out_as_git_makes_them(repo: Repo, paths: set[bytes]) -> None:
    oid = b"9daeafb9864cf43055ae93beb0afd6c7d144bfa4"
    lines = b"".join(b"100644 %s 0\t%s\0" % (oid, path) for path in sorted(paths))
    index = {"GIT_INDEX_FILE": str(repo.path / ".git/other")}
    repo.git("read-tree", "--empty", env=index)
    repo.git("update-index", "--replace", "-z", "--index-info", env=index, stdin=lines)
    entries = os.fsencode(repo.git("ls-files", "-s", "-z", env=index))
    assert tree_of(entries, "sha1") == repo.git("write-tree", "--missing-ok", env=index)
