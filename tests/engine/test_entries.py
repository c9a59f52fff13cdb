"""Single entries: found by a tool or a key's beginning, and forgotten."""

from __future__ import annotations

import pytest

from gitcache.core.outcome import Failed, Passed
from gitcache.engine.cached_run import run
from gitcache.engine.entries import entry_of, forget
from gitcache.engine.resolve import Request
from gitcache.errors import NoEntryError, RepositoryError, UnknownToolError, UsageError
from tests.support.calls import NOW, Recorder, ask, context_in, declare
from tests.support.repository import Repo


@pytest.fixture
def tools(repo: Repo) -> Repo:
    declare(repo, {"test": "exit 3", "decade": "true"})
    repo.commit("tools")
    return repo


def test_a_tools_entry_is_the_one_for_this_content(tools: Repo) -> None:
    context = context_in(tools.path)
    with pytest.raises(NoEntryError) as caught:
        entry_of("test", context)
    assert caught.value.message == "nothing is stored for test on this content: no entry"
    run(Request("test"), context, Recorder())
    entry = entry_of("test", context)
    assert (entry.verdict, entry.started_at, entry.inputs.tool) == (Failed(3), NOW, "test")
    assert [each.outcome for each in entry.attempts] == ["failed"]


def test_a_key_is_found_by_four_digits_or_more(tools: Repo) -> None:
    key = ask(tools, "true")[0].key
    assert key is not None
    context = context_in(tools.path)
    for length in (4, 12, 64):
        assert entry_of(key[:length], context).key == key
    for word in (key[:3], key.upper(), key + "0"):
        with pytest.raises(UnknownToolError):
            entry_of(word, context)
    with pytest.raises(NoEntryError, match=r"^no stored key begins with 0000000000$"):
        entry_of("0000000000", context)


def test_a_tool_comes_before_a_key_of_the_same_letters(tools: Repo) -> None:
    tools.git("update-ref", f"refs/toolcache/decade{'0' * 58}", tools.git("rev-parse", "HEAD"))
    context = context_in(tools.path)
    run(Request("decade"), context, Recorder())
    assert entry_of("decade", context).verdict == Passed()
    with pytest.raises(NoEntryError, match=r"^the entry decade0+ can't be read$"):
        entry_of("decade0", context)


def test_what_lies_under_a_key_and_is_no_entry_is_told(tools: Repo) -> None:
    junk = tools.git("hash-object", "-w", "--stdin", stdin=b"{}")
    tools.git("update-ref", f"refs/toolcache/{'ab' * 32}", junk)
    with pytest.raises(NoEntryError, match=r"^the entry (ab)+ can't be used: its schema is miss"):
        entry_of("abab", context_in(tools.path))


def test_forgetting_tells_the_keys_in_order(tools: Repo) -> None:
    context = context_in(tools.path)
    keys = sorted(str(ask(tools, "echo", word)[0].key) for word in "abc")
    assert forget([], True, context).keys == tuple(keys)
    assert forget([], True, context).keys == ()


def test_forgetting_all_of_a_tool_leaves_the_others_and_what_cannot_be_read(tools: Repo) -> None:
    context = context_in(tools.path)
    run(Request("test"), context, Recorder())
    run(Request("decade"), context, Recorder())
    junk = tools.git("hash-object", "-w", "--stdin", stdin=b"{}")
    tools.git("update-ref", f"refs/toolcache/{'ab' * 32}", junk)
    assert len(forget(["test"], True, context).keys) == 1
    assert len(tools.keys()) == 2
    assert forget(["nosuch"], True, context).keys == ()


def test_a_key_that_is_named_twice_goes_once(tools: Repo) -> None:
    key = str(ask(tools, "true")[0].key)
    assert forget([key, key[:10]], False, context_in(tools.path)).keys == (key,)


def test_forgetting_needs_to_be_told_what(tools: Repo) -> None:
    with pytest.raises(UsageError, match=r"^forget takes tools, keys, or --all$"):
        forget([], False, context_in(tools.path))


def test_there_is_nothing_without_a_repository(tools: Repo) -> None:
    context = context_in(tools.path.parent)
    with pytest.raises(RepositoryError):
        entry_of("test", context)
    with pytest.raises(RepositoryError):
        forget([], True, context)
