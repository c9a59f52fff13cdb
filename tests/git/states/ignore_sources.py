"""Ignore rules from outside of the tree, and ignore files that are not as usual."""

from __future__ import annotations

from pathlib import Path

from tests.git.states.state import State, beside, link, set_config, write_all, writing
from tests.support.repository import Repo


def rules_in_info_exclude(repo: Repo) -> State:
    """The repository's private rules, one of them taken back by a tracked file."""
    _exclude(repo, "*.log\n")
    repo.write(".gitignore", "!keep.log\n")
    write_all(repo, "new.log", "keep.log")
    return State(here=repo, edit=writing(repo, "keep.log", "edited\n"))


def private_rules_that_change(repo: Repo) -> State:
    """The private rules are outside of the tree, and the tree moves with them."""
    _exclude(repo, "*.log\n")
    write_all(repo, "new.log", "new.txt")
    return State(here=repo, edit=lambda: _exclude(repo, ""))


def rules_in_info_exclude_of_a_linked_worktree(repo: Repo) -> State:
    """The private rules are shared by all worktrees."""
    _exclude(repo, "*.log\n")
    there = repo.add_worktree(beside(repo, "linked"))
    write_all(there, "new.log", "new.txt")
    return State(here=there, edit=writing(there, "new.txt", "edited\n"))


def rules_in_a_linked_worktrees_own_folder(repo: Repo) -> State:
    """A file of private rules in a linked worktree's own git folder, which git does not read."""
    there = repo.add_worktree(beside(repo, "linked"))
    path = repo.path / ".git/worktrees/linked/info/exclude"
    path.parent.mkdir(exist_ok=True)
    path.write_text("*.log\n")
    write_all(there, "new.log")
    return State(here=there, edit=writing(there, "new.log", "edited\n"))


def rules_of_the_user(repo: Repo) -> State:
    """The user's own rules, one of them taken back by the repository."""
    rules = beside(repo, "my-rules")
    rules.write_text("*.log\n*.tmp\n")
    set_config(repo, {"core.excludesFile": str(rules)})
    repo.write(".gitignore", "!keep.log\n")
    write_all(repo, "new.log", "keep.log", "new.tmp")
    return State(here=repo, edit=writing(repo, "keep.log", "edited\n"))


def rules_of_the_user_that_change(repo: Repo) -> State:
    """The user's own rules are outside of the tree, and the tree moves with them."""
    rules = beside(repo, "my-rules")
    rules.write_text("*.log\n")
    set_config(repo, {"core.excludesFile": str(rules)})
    write_all(repo, "new.log", "new.txt")
    return State(here=repo, edit=lambda: rules.write_text("*.txt\n"))


def rules_of_the_user_in_xdg(repo: Repo) -> State:
    """The user's rules in the place where git looks for them by itself."""
    folder = beside(repo, "xdg")
    (folder / "git").mkdir(parents=True)
    (folder / "git/ignore").write_text("*.log\n")
    write_all(repo, "new.log", "new.txt")
    env = {"XDG_CONFIG_HOME": str(folder)}
    return State(here=repo, env=env, edit=lambda: (folder / "git/ignore").write_text(""))


def rules_of_the_user_at_home(repo: Repo) -> State:
    """The user's rules below the home folder."""
    home = beside(repo, "home")
    (home / ".config/git").mkdir(parents=True)
    (home / ".config/git/ignore").write_text("*.log\n")
    write_all(repo, "new.log", "new.txt")
    return State(here=repo, env={"HOME": str(home)}, edit=writing(repo, "new.txt", "edited\n"))


def rules_named_by_the_environment(repo: Repo) -> State:
    """A file of rules that only the caller's variables name."""
    rules = beside(repo, "my-rules")
    rules.write_text("*.log\n")
    env = {
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "core.excludesFile",
        "GIT_CONFIG_VALUE_0": str(rules),
    }
    write_all(repo, "new.log", "new.txt")
    return State(here=repo, env=env, edit=writing(repo, "new.txt", "edited\n"))


def rules_named_on_the_command_line(repo: Repo) -> State:
    """A file of rules that ``git -c core.excludesFile=… toolcache`` names."""
    rules = beside(repo, "my-rules")
    rules.write_text("*.log\n")
    env = {"GIT_CONFIG_PARAMETERS": f"'core.excludesfile'='{rules}'"}
    write_all(repo, "new.log", "new.txt")
    return State(here=repo, env=env, edit=writing(repo, "new.txt", "edited\n"))


def rules_by_remote(repo: Repo) -> State:
    """Rules that hold where a remote has a certain address."""
    beside(repo, "my-rules").write_text("*.log\n")
    included = beside(repo, "included")
    included.write_text(f"[core]\n\texcludesFile = {beside(repo, 'my-rules')}\n")
    set_config(
        repo,
        {
            "remote.origin.url": "https://example.org/project",
            "includeIf.hasconfig:remote.*.url:https://example.org/**.path": str(included),
        },
    )
    write_all(repo, "new.log", "new.txt")
    return State(here=repo, edit=writing(repo, "new.txt", "edited\n"))


def link_as_an_ignore_file(repo: Repo) -> State:
    """An ignore file that is a link: git does not follow it."""
    repo.write("rules", "*.log\n")
    link(repo, ".gitignore", "rules")
    write_all(repo, "new.log")
    return State(here=repo, edit=writing(repo, "new.log", "edited\n"))


def ignore_file_of_another_system(repo: Repo) -> State:
    """Rules with CRLF and a byte order mark."""
    repo.write(".gitignore", b"\xef\xbb\xbf*.log\r\n/build/\r\n*.tmp\r\n")
    write_all(repo, "new.log", "build/out.txt", "new.tmp", "new.txt")
    return State(here=repo, edit=writing(repo, "new.txt", "edited\n"))


def ignore_file_with_blanks(repo: Repo) -> State:
    """Rules with blanks, tabs, escapes and a backslash at the end of a line."""
    repo.write(".gitignore", "a b \nc\t\nfoo\\\n\\#hash\n\\!bang\nend\\ \n# comment\n\n")
    write_all(repo, "a b", "c", "c\t", "foo", "foo\\", "#hash", "!bang", "end ", "end", "# comment")
    return State(here=repo, edit=writing(repo, "c", "edited\n"))


def ignore_file_with_classes(repo: Repo) -> State:
    """Rules with classes, double stars and anchors."""
    repo.write(".gitignore", "[!k-z]*.c\n**/deep/**\nx/**/y\n/top\nin/side\n")
    write_all(
        repo, "a.c", "k.c", "s/deep/t", "x/y", "x/1/2/y", "top", "s/top", "in/side", "s/in/side"
    )
    return State(here=repo, edit=writing(repo, "s/in/side", "edited\n"))


def ignore_file_removed_from_the_disk(repo: Repo) -> State:
    """A tracked ignore file that is gone: what it hid shows."""
    repo.write(".gitignore", "*.log\n")
    repo.commit()
    write_all(repo, "new.log")
    (repo.path / ".gitignore").unlink()
    return State(here=repo, edit=writing(repo, ".gitignore", "*.log\n"))


def ignore_file_left_out(repo: Repo) -> State:
    """A tracked ignore file that is left out of the worktree: git reads it in the index."""
    repo.write(".gitignore", "*.log\n")
    repo.commit()
    repo.git("update-index", "--skip-worktree", ".gitignore")
    (repo.path / ".gitignore").unlink()
    write_all(repo, "new.log", "new.txt")
    return State(here=repo, edit=writing(repo, "new.txt", "edited\n"), is_whole=False)


def ignore_file_not_yet_added(repo: Repo) -> State:
    """An ignore file that is itself hidden by its own rule."""
    repo.write(".gitignore", ".gitignore\n*.log\n")
    write_all(repo, "new.log", "new.txt")
    return State(here=repo, edit=writing(repo, ".gitignore", ".gitignore\n"))


def _exclude(repo: Repo, rules: str) -> None:
    Path(repo.path, ".git/info").mkdir(exist_ok=True)
    Path(repo.path, ".git/info/exclude").write_text(rules)
