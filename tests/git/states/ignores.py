"""Ignore rules: where they stand, what they hide, and what is tracked in spite of them."""

from __future__ import annotations

from tests.git.states.state import State, beside, link, write_all, writing
from tests.support.repository import Repo


def ignored_files(repo: Repo) -> State:
    """A rule for files and one for a folder; neither shows, and a third file does."""
    repo.write(".gitignore", "*.log\nbuild/\n")
    write_all(repo, "new.log", "build/out.txt", "sub/deep.log", "new.txt")
    return State(here=repo, edit=writing(repo, ".gitignore", "build/\n"))


def nested_rules(repo: Repo) -> State:
    """A rule that holds for its own folder only."""
    repo.write("sub/.gitignore", "*.log\n/top.txt\n")
    write_all(repo, "new.log", "sub/new.log", "top.txt", "sub/top.txt", "sub/deep/top.txt")
    return State(here=repo, edit=writing(repo, "sub/deep/top.txt", "edited\n"))


def negated_rule(repo: Repo) -> State:
    """A file that a rule hides and the next rule shows again."""
    repo.write(".gitignore", "*.log\n!expected.log\n")
    write_all(repo, "new.log", "expected.log", "sub/expected.log")
    return State(here=repo, edit=writing(repo, "sub/expected.log", "edited\n"))


def negated_in_a_nested_file(repo: Repo) -> State:
    """A name that the top's file hides by a pattern and a nested file shows again, literally."""
    repo.write(".gitignore", "*.log\n")
    repo.write("tests/fixtures/.gitignore", "!expected.log\n")
    repo.commit()
    write_all(repo, "tests/fixtures/expected.log", "tests/fixtures/other.log")
    return State(here=repo, edit=writing(repo, "tests/fixtures/expected.log", "edited\n"))


def negated_pattern_in_a_nested_file(repo: Repo) -> State:
    """The same by a pattern in the nested file."""
    repo.write(".gitignore", "*.log\n")
    repo.write("tests/.gitignore", "!keep.*\n")
    write_all(repo, "tests/keep.log", "tests/other.log", "keep.log")
    return State(here=repo, edit=writing(repo, "tests/keep.log", "edited\n"))


def negated_env_example(repo: Repo) -> State:
    """The usual ``.env*`` and ``!.env.example``, with both files there."""
    repo.write(".gitignore", ".env*\n!.env.example\n")
    write_all(repo, ".env", ".env.local", ".env.example", "sub/.env.example")
    return State(here=repo, edit=writing(repo, ".env.example", "edited\n"))


def negated_folder(repo: Repo) -> State:
    """A folder that is hidden everywhere and shown in one place."""
    repo.write(".gitignore", "dist\n")
    repo.write("sub/.gitignore", "!dist\n")
    write_all(repo, "dist/out.txt", "sub/dist/out.txt")
    return State(here=repo, edit=writing(repo, "sub/dist/out.txt", "edited\n"))


def negated_below_a_hidden_folder(repo: Repo) -> State:
    """A file can't be shown again where its folder is hidden, but where only its content is."""
    repo.write(".gitignore", "hidden/\n!hidden/keep.txt\nopen/*\n!open/keep.txt\n")
    write_all(repo, "hidden/keep.txt", "open/keep.txt", "open/other.txt")
    return State(here=repo, edit=writing(repo, "open/keep.txt", "edited\n"))


def negated_below_a_pattern_of_folders(repo: Repo) -> State:
    """``d/`` hides the folder, so ``!d/sub/*`` shows nothing."""
    repo.write(".gitignore", "d/\n!d/sub/*\n")
    write_all(repo, "d/sub/in.txt", "d/in.txt")
    return State(here=repo, edit=writing(repo, "new.txt", "new\n"))


def all_but_some(repo: Repo) -> State:
    """Everything is hidden but folders and one kind of file."""
    repo.write(".gitignore", "*\n!*/\n!*.py\n!.gitignore\n")
    write_all(repo, "deep/er/in.py", "deep/er/in.txt", "top.py")
    return State(here=repo, edit=writing(repo, "deep/er/in.py", "edited\n"))


def all_but_one_folder(repo: Repo) -> State:
    """Everything at the top is hidden but one folder."""
    repo.write(".gitignore", "/*\n!/src\n")
    write_all(repo, "src/in.txt", "other/in.txt")
    return State(here=repo, edit=writing(repo, "src/in.txt", "edited\n"))


def rules_within_a_hidden_folder(repo: Repo) -> State:
    """An ignore file that a pattern of its own folder hides."""
    repo.write(".gitignore", "d/*\n")
    repo.write("d/.gitignore", "!in.txt\n")
    write_all(repo, "d/in.txt", "d/other.txt")
    return State(here=repo, edit=writing(repo, "d/in.txt", "edited\n"))


def folder_rule_against_a_link(repo: Repo) -> State:
    """``node_modules/`` hides a folder and not a link to one."""
    repo.write(".gitignore", "node_modules/\n.venv/\n")
    beside(repo, "elsewhere").mkdir()
    link(repo, "node_modules", "../elsewhere")
    link(repo, ".venv", "sub")
    return State(here=repo, edit=lambda: link(repo, "node_modules", "../nowhere"))


def ignored_but_tracked(repo: Repo) -> State:
    """Tracked files that a rule would hide, edited, removed and untouched."""
    write_all(repo, "one.log", "two.log", "three.log")
    repo.commit()
    repo.write(".gitignore", "*.log\n")
    repo.commit()
    repo.write("one.log", "edited\n")
    (repo.path / "two.log").unlink()
    return State(here=repo, edit=writing(repo, "three.log", "edited\n"))


def added_by_force(repo: Repo) -> State:
    """A hidden file that was added by force and edited since."""
    repo.write(".gitignore", "*.log\nbuild/\n")
    write_all(repo, "new.log", "build/out.txt", "build/other.txt")
    repo.git("add", "--force", "new.log", "build/out.txt")
    repo.write("new.log", "edited\n")
    return State(here=repo, edit=writing(repo, "build/out.txt", "edited\n"))


def added_by_force_and_given_up(repo: Repo) -> State:
    """A hidden file that was tracked, and that git was told to forget: nothing brings it back."""
    repo.write(".gitignore", "*.log\n")
    write_all(repo, "new.log")
    repo.git("add", "--force", "new.log")
    repo.commit()
    repo.git("rm", "--quiet", "--cached", "new.log")
    return State(here=repo, edit=lambda: repo.git("add", "--force", "new.log"))


def hidden_folder_with_a_tracked_file(repo: Repo) -> State:
    """A hidden folder in which one file is tracked and another is new."""
    repo.write("build/tracked.txt", "tracked\n")
    repo.commit()
    repo.write(".gitignore", "build/\n")
    write_all(repo, "build/new.txt")
    return State(here=repo, edit=writing(repo, "build/tracked.txt", "edited\n"))
