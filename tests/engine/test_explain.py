"""Why a tool would hit or miss: the nearest entry of a real store and the files that differ."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitcache.core.key import Key
from gitcache.engine.cached_run import run
from gitcache.engine.explain import (
    ExplainedHit,
    ExplainedMiss,
    Explanation,
    Nearest,
    Patience,
    explain,
    explain_miss,
    plan_of,
)
from gitcache.engine.front import Miss, Unkeyed, find
from gitcache.engine.resolve import Request
from gitcache.errors import RepositoryError, UnknownToolError
from gitcache.git.entry_store import EntryStore
from gitcache.git.repository import find_repository
from tests.support.calls import NOW, Recorder, context_in, declare
from tests.support.repository import Repo

TEST = Request("test")


@pytest.fixture
def tools(repo: Repo) -> Repo:
    declare(repo, {"test": "exit 0", "lint": "exit 1"})
    repo.commit("tools")
    return repo


def run_in(repo: Repo, request: Request = TEST, now: float = NOW, **environ: str) -> Recorder:
    """Run *request* in *repo* and return what was heard."""
    recorder = Recorder()
    run(request, context_in(repo.path, now=now, environ=environ), recorder)
    return recorder


def explained(repo: Repo, request: Request = TEST, **environ: str) -> Explanation:
    return explain(request, context_in(repo.path, environ=environ))


def nearest_in(repo: Repo, request: Request = TEST, **environ: str) -> Nearest:
    found = explained(repo, request, **environ)
    assert isinstance(found, ExplainedMiss)
    assert found.nearest is not None
    return found.nearest


def texts(nearest: Nearest) -> list[str]:
    return [each.text for each in nearest.differences]


def paths(nearest: Nearest) -> tuple[str, ...]:
    """Return the files of the one difference there is."""
    (difference,) = nearest.differences
    assert difference.name == "tree"
    return difference.paths


def test_the_first_run_of_a_tool_has_nothing_to_compare_with(tools: Repo) -> None:
    run_in(tools, Request("lint"))
    found = explained(tools)
    assert isinstance(found, ExplainedMiss)
    assert (found.nearest, found.is_first, found.reasons) == (None, True, ("no entry",))


def test_a_hit_is_told_with_its_entry(tools: Repo) -> None:
    run_in(tools)
    found = explained(tools)
    assert isinstance(found, ExplainedHit)
    assert (found.hit.entry.started_at, found.left_out) == (NOW, ())


def test_files_over_one_head_are_named(tools: Repo) -> None:
    tools.write("a.txt", "edited before the run\n")
    run_in(tools)
    tools.git("checkout", "--quiet", "a.txt")
    tools.write("new.txt", "new\n")
    (tools.path / "sub/b.txt").unlink()
    found = nearest_in(tools)
    assert (texts(found), paths(found)) == (
        ["3 files changed"],
        ("a.txt", "new.txt", "sub/b.txt"),
    )


def test_files_over_another_head_are_named_exactly(tools: Repo) -> None:
    """What was committed since as it had run is no difference; what was committed beside it is."""
    tools.write("a.txt", "edited before the run\n")
    run_in(tools)
    tools.write("sub/b.txt", "edited after the run\n")
    tools.commit("both")
    assert paths(nearest_in(tools)) == ("sub/b.txt",)
    tools.write("é \n.txt", "a name that git would quote\n")
    assert paths(nearest_in(tools)) == ("sub/b.txt", "é \n.txt")


def test_files_against_an_entry_from_before_the_first_commit_are_named(tmp_path: Path) -> None:
    repo = Repo.init(tmp_path / "unborn")
    declare(repo, {"test": "exit 0"})
    run_in(repo)
    repo.write("a.txt", "a\n")
    assert paths(nearest_in(repo)) == ("a.txt",)
    repo.commit()
    assert paths(nearest_in(repo)) == ("a.txt",)


def forget_commit(repo: Repo) -> None:
    """Take the last commit back as if it had never been, its objects included."""
    repo.git("reset", "--quiet", "--hard", "HEAD~1")
    repo.git("reflog", "expire", "--expire=all", "--all")
    repo.git("gc", "--quiet", "--prune=now")


def test_where_the_older_tree_is_gone_no_file_is_named(tools: Repo) -> None:
    tools.write("a.txt", "in a commit that goes\n")
    tools.commit("goes")
    run_in(tools)
    forget_commit(tools)
    found = nearest_in(tools)
    assert (texts(found), paths(found)) == (["content changed"], ())


def test_a_long_list_of_changes_needs_the_tree_itself(tools: Repo) -> None:
    """An entry names a thousand changes; where there are more, only its own tree tells."""
    for number in range(1001):
        tools.write(f"many/{number}.txt", f"{number}\n")
    run_in(tools)
    tools.write("a.txt", "edited\n")
    assert texts(nearest_in(tools)) == ["content changed"]
    tools.git("checkout", "--quiet", "a.txt")
    tools.commit("many")
    tools.write("a.txt", "edited\n")
    assert paths(nearest_in(tools)) == ("a.txt",)


def test_variables_argv_and_content_are_told_together(tools: Repo) -> None:
    run_in(tools, LANG="C")
    tools.write("a.txt", "edited\n")
    found = nearest_in(tools, Request("test", ("-x",)), CI="1", LANG="en")
    assert texts(found) == [
        "argv changed",
        "1 file changed",
        "variable CI is now set",
        "variable LANG changed",
    ]


def test_the_nearest_of_several_entries_is_taken_from_any_worktree(
    tools: Repo, tmp_path: Path
) -> None:
    other = tools.add_worktree(tmp_path / "wt2")
    other.write("a.txt", "there\n")
    run_in(other, now=NOW - 300)
    run_in(tools, CI="1", now=NOW - 600)
    tools.write("a.txt", "here\n")
    found = nearest_in(tools)
    assert (found.entry.ran_in.worktree, paths(found)) == (str(other.path), ("a.txt",))
    assert texts(nearest_in(tools, CI="1")) == ["1 file changed"]


def test_a_reason_of_its_own_needs_no_nearest_entry(repo: Repo) -> None:
    declare(repo, {"audit": "exit 0"}, 'max_age = "1h"')
    run_in(repo, Request("audit"), now=NOW - 7200)
    found = explained(repo, Request("audit"))
    assert isinstance(found, ExplainedMiss)
    assert (found.nearest, found.is_first) == (None, False)
    assert found.reasons == ("the entry is older than max_age",)


def test_a_tool_without_a_key_says_why(repo: Repo) -> None:
    declare(repo, {"test": "exit 0"}, "isolated = true")
    found = explained(repo)
    assert isinstance(found, Unkeyed)
    assert found.reason == "the setting isolated is not taken into account yet"


def test_withheld_variables_are_in_every_explanation(tools: Repo) -> None:
    for _ in range(2):
        found = explained(tools, SECRET_TOKEN="1")
        assert "SECRET_TOKEN" in plan_of(found).environment.withheld
        run_in(tools, SECRET_TOKEN="1")


def test_what_is_not_there_is_an_error(tools: Repo, tmp_path: Path) -> None:
    with pytest.raises(UnknownToolError):
        explained(tools, Request("nosuch"))
    with pytest.raises(RepositoryError):
        explain(TEST, context_in(tmp_path))


def test_looking_changes_nothing(tools: Repo) -> None:
    run_in(tools)
    tools.write("a.txt", "edited\n")
    tools.commit("edit")
    tools.write("new.txt", "new\n")
    tools.git("add", "new.txt")
    before, count = tools.traces(), tools.git("count-objects", "-v")
    for request in (TEST, Request("lint"), Request(None, ("true",))):
        explained(tools, request)
    assert (tools.traces(), tools.git("count-objects", "-v")) == (before, count)


def miss_in(repo: Repo) -> Miss:
    finding = find(TEST, context_in(repo.path))
    assert isinstance(finding, Miss)
    return finding


def test_a_run_looks_no_further_than_its_patience(tools: Repo) -> None:
    run_in(tools)
    for word in ("a", "b", "c"):
        run_in(tools, Request(None, ("echo", word)))
    tools.write("a.txt", "edited\n")
    tools.git("pack-refs", "--all")  # now the order is that of the names
    keys = [entry for entry, _ in EntryStore(find_repository(tools.path, {})).newest_first()]
    (own,) = [key for key in keys if tool_of(tools, key) == "test"]
    place = keys.index(own)
    context = context_in(tools.path)
    miss = miss_in(tools)
    found = explain_miss(miss, context, Patience(always=place + 1, at_most=0, seconds=0.0))
    assert found.nearest is not None
    cut = explain_miss(miss, context, Patience(always=place, at_most=place, seconds=60.0))
    assert (cut.nearest, cut.is_first) == (None, False)
    assert cut.reasons == ("no entry",)
    assert explain_miss(miss, context, Patience(0, 4, 60.0)).nearest is not None


def tool_of(repo: Repo, key: Key) -> str:
    text = repo.git("cat-file", "blob", f"refs/toolcache/{key}")
    return "test" if '"tool":"test"' in text else "command"


def test_what_is_no_entry_or_another_keys_is_passed_over(tools: Repo) -> None:
    run_in(tools)
    (key,) = tools.keys()
    oid = tools.git("rev-parse", f"refs/toolcache/{key}")
    damaged = tools.git("hash-object", "-w", "--stdin", stdin=b'{"tool":"test"}')
    for number, what in enumerate((oid, damaged, tools.git("rev-parse", "HEAD"))):
        tools.git("update-ref", f"refs/toolcache/{number}{'0' * 63}", what)
    tools.git("update-ref", "-d", f"refs/toolcache/{key}")
    found = explained(tools)
    assert isinstance(found, ExplainedMiss)
    assert (found.nearest, found.is_first) == (None, True)


def test_a_miss_is_heard_before_the_tool_and_its_reasons_are_in_the_answer(tools: Repo) -> None:
    heard = run_in(tools)
    assert [each.reasons for each in heard.misses] == [("no entry",)]
    assert run_in(tools).misses == []
    tools.write("a.txt", "edited\n")
    heard = run_in(tools)
    assert heard.misses[0].reasons == heard.answers[0].reasons == ("no entry", "1 file changed")


def test_a_loose_run_passes_all_and_neither_asks_nor_fills_the_store(repo: Repo) -> None:
    declare(repo, {"test": 'echo "got $DATABASE_URL"; test "$DATABASE_URL"'})
    loose = Request("test", loose=True)
    for _ in range(2):
        heard = run_in(repo, loose, DATABASE_URL="x")
        assert heard.text("stdout") == b"got x\n"
        assert (heard.warnings, heard.misses, heard.hints) == ([], [], [])
        assert heard.answers[0].reasons == ("asked to pass every variable",)
        assert (heard.answers[0].source, heard.answers[0].stored) == ("run", False)
    assert repo.keys() == []
    run_in(repo, DATABASE_URL="x")
    assert len(repo.keys()) == 1
    assert run_in(repo, loose, DATABASE_URL="x").answers[0].source == "run"


def test_a_failed_tool_that_names_a_withheld_variable_gets_a_hint(repo: Repo) -> None:
    declare(repo, {"test": "echo no DATABASE_URL >&2; exit 1", "lint": "echo no DATABASE_URL"})
    hint = 'DATABASE_URL is set but not passed; env = ["DATABASE_URL"] in [tools.test] passes it'
    assert run_in(repo, DATABASE_URL="x").hints == [hint]
    assert run_in(repo, DATABASE_URL="x").hints == []  # a hit's caller has heard it
    assert run_in(repo, Request("test", force=True)).hints == []  # it is not set at all
    assert run_in(repo, Request("lint"), DATABASE_URL="x").hints == []  # it passed
