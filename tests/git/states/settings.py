"""Settings that change what git's status says, and what a repository's owner allows."""

from __future__ import annotations

import os
from dataclasses import replace

from tests.git.states.state import Refusal, State, beside, link, set_config, writing
from tests.support.repository import Repo
from tests.support.unprivileged import NOBODY


def short_status(repo: Repo) -> State:
    """The short form, with the branch and the stash."""
    _stash(repo)
    return _change(
        repo, {"status.short": "true", "status.branch": "true", "status.showStash": "true"}
    )


def status_without_untracked_files(repo: Repo) -> State:
    """New files are not to be shown."""
    return _change(repo, {"status.showUntrackedFiles": "no"})


def status_of_folders(repo: Repo) -> State:
    """New folders are to be shown without their files."""
    return _change(repo, {"status.showUntrackedFiles": "normal"})


def status_with_relative_paths(repo: Repo) -> State:
    """Names are to be shown relative to the caller's folder."""
    return _change(repo, {"status.relativePaths": "true"}, folder="sub")


def status_with_renames(repo: Repo) -> State:
    """Renames and copies are to be found, up to any number of files."""
    settings = {"status.renames": "copies", "diff.renames": "copies", "status.renameLimit": "0"}
    return _change(repo, settings)


def status_in_colour(repo: Repo) -> State:
    """Colours, columns and quotes even where nobody looks."""
    settings = {
        "color.ui": "always",
        "color.status": "always",
        "column.ui": "always",
        "column.status": "always",
        "core.quotePath": "true",
        "status.displayCommentPrefix": "true",
        "core.commentChar": ";",
        "core.pager": "false",
        "pager.status": "true",
        "pager.hash-object": "true",
    }
    return _change(repo, settings)


def status_with_submodules(repo: Repo) -> State:
    """Submodules are to be summed up and followed."""
    settings = {
        "status.submoduleSummary": "true",
        "submodule.recurse": "true",
        "diff.submodule": "log",
        "diff.ignoreSubmodules": "all",
        "fetch.recurseSubmodules": "true",
    }
    return _change(repo, settings)


def status_ahead_and_behind(repo: Repo) -> State:
    """The branch has an upstream, from which it differs by a commit each."""
    repo.git("branch", "upstream")
    repo.git("branch", "--quiet", "--set-upstream-to=upstream")
    repo.commit("ahead")
    return _change(repo, {"status.aheadBehind": "true", "status.branch": "true"})


def differences_of_other_kinds(repo: Repo) -> State:
    """Differences are to be made by another program and in another order."""
    order = beside(repo, "order")
    order.write_text("*.txt\n")
    settings = {
        "diff.external": "false",
        "diff.orderFile": str(order),
        "diff.noprefix": "true",
        "diff.relative": "true",
        "diff.autoRefreshIndex": "false",
        "diff.ignoreSubmodules": "dirty",
        "core.whitespace": "cr-at-eol",
        "core.preloadIndex": "false",
        "core.sparseCheckout": "false",
        "log.showSignature": "true",
    }
    return _change(repo, settings, folder="sub")


def hooks_elsewhere(repo: Repo) -> State:
    """Hooks that fail lie in another folder: a look runs none of them."""
    folder = beside(repo, "hooks")
    for name in ("post-index-change", "reference-transaction", "pre-commit", "fsmonitor"):
        folder.mkdir(exist_ok=True)
        (folder / name).write_text(f"#!/bin/sh\ntouch {beside(repo, 'was-run')}; exit 1\n")
        (folder / name).chmod(0o755)
    state = _change(repo, {})
    repo.write(".gitattributes", "*.crlf text\n")
    repo.write("new.crlf", "new\r\n")
    set_config(repo, {"core.hooksPath": str(folder)})
    return replace(state, is_whole=False)


def ids_abbreviated(repo: Repo) -> State:
    """Object ids are to be short, names short too."""
    return _change(repo, {"core.abbrev": "5", "core.warnAmbiguousRefs": "true"})


def ambiguous_head(repo: Repo) -> State:
    """A branch and a tag are called HEAD."""
    repo.write("a.txt", "second\n")
    repo.commit()
    repo.git("update-ref", "refs/heads/HEAD", "HEAD~1")
    repo.git("update-ref", "refs/tags/HEAD", "HEAD~1")
    return _change(repo, {})


def settings_of_the_callers_variables(repo: Repo) -> State:
    """The same kinds of settings, by the caller's variables alone."""
    state = _change(repo, {})
    env = {
        "GIT_CONFIG_COUNT": "3",
        "GIT_CONFIG_KEY_0": "status.showUntrackedFiles",
        "GIT_CONFIG_VALUE_0": "no",
        "GIT_CONFIG_KEY_1": "core.fileMode",
        "GIT_CONFIG_VALUE_1": "false",
        "GIT_CONFIG_KEY_2": "core.autocrlf",
        "GIT_CONFIG_VALUE_2": "input",
    }
    repo.write("run.sh", "echo\r\n").chmod(0o755)
    return State(here=repo, env=env, edit=state.edit, is_whole=False)


def settings_without_a_value(repo: Repo) -> State:
    """A name without a value means true."""
    config = repo.path / ".git/config"
    config.write_text(config.read_text() + "[status]\n\tshort\n\tbranch\n[color]\n\tui = always\n")
    return _change(repo, {})


def owned_by_another(repo: Repo) -> Refusal:
    """Git does not look at somebody else's repository until it is called safe."""
    _give_away(repo)
    env = _owner_env()
    return Refusal(
        here=repo,
        env=env,
        names="dubious ownership",
        cure=lambda: repo.git("config", "--global", "--add", "safe.directory", str(repo.path)),
    )


def owned_by_another_and_safe(repo: Repo) -> State:
    """Somebody else's repository that was called safe."""
    repo.git("config", "--global", "--add", "safe.directory", str(repo.path))
    repo.write("a.txt", "edited\n")
    repo.write("new.txt", "new\n")
    _give_away(repo)
    return State(here=repo, env=_owner_env(), edit=writing(repo, "new.txt", "edited\n"))


def every_owner_is_safe(repo: Repo) -> State:
    """The same where all repositories were called safe."""
    repo.git("config", "--global", "--add", "safe.directory", "*")
    repo.write("a.txt", "edited\n")
    _give_away(repo)
    return State(here=repo, env=_owner_env(), edit=writing(repo, "a.txt", "again\n"))


def _give_away(repo: Repo) -> None:
    """Give the repository to another user, where this one may."""
    if os.geteuid() == 0:
        for folder, folders, names in os.walk(repo.path):
            for name in (".", *folders, *names):
                os.chown(os.path.join(folder, name), NOBODY, NOBODY, follow_symlinks=False)


def _owner_env() -> dict[str, str]:
    """Return what makes git take the owner for another, where only root could change it."""
    return {} if os.geteuid() == 0 else {"GIT_TEST_ASSUME_DIFFERENT_OWNER": "1"}


def _stash(repo: Repo) -> None:
    repo.write("a.txt", "stashed\n")
    repo.git("stash", "push", "--quiet")


def _change(repo: Repo, settings: dict[str, str], folder: str = "") -> State:
    """Set *settings* and make changes of each kind."""
    set_config(repo, settings)
    repo.write("sub/moved.txt", "line\n" * 30)
    repo.write("sub/gone.txt", "gone\n")
    repo.commit("more")
    repo.git("mv", "sub/moved.txt", "sub/away.txt")
    (repo.path / "sub/gone.txt").unlink()
    repo.write("a.txt", "edited\n")
    repo.write("new folder/caf\u00e9.txt", "new\n")
    repo.write("sub/staged.txt", "staged\n")
    repo.git("add", "sub/staged.txt")
    link(repo, "sub/link", "b.txt")
    return State(
        here=repo, folder=folder, edit=writing(repo, "new folder/caf\u00e9.txt", "edited\n")
    )
