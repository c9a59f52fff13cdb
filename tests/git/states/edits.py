"""Files written, added, moved and removed, staged or not."""

from __future__ import annotations

from tests.git.states.state import State, set_config, writing
from tests.support.repository import Repo


def clean(repo: Repo) -> State:
    """Nothing has changed."""
    return State(here=repo, edit=writing(repo, "a.txt", "edited\n"))


def edited(repo: Repo) -> State:
    """A change that is not staged."""
    repo.write("a.txt", "edited\n")
    return State(here=repo, edit=writing(repo, "a.txt", "again\n"))


def staged(repo: Repo) -> State:
    """A change that is staged."""
    repo.write("a.txt", "edited\n")
    repo.git("add", "a.txt")
    return State(here=repo, edit=writing(repo, "sub/b.txt", "edited\n"))


def staged_and_edited_again(repo: Repo) -> State:
    """A staged change, and another on top of it."""
    repo.write("a.txt", "staged\n")
    repo.git("add", "a.txt")
    repo.write("a.txt", "edited\n")
    return State(here=repo, edit=writing(repo, "a.txt", "again!\n"))


def staged_and_reverted_on_disk(repo: Repo) -> State:
    """A staged change that the file on the disk has no more: the tree is HEAD's."""
    repo.write("a.txt", "staged\n")
    repo.git("add", "a.txt")
    repo.write("a.txt", "a\n")
    return State(here=repo, edit=writing(repo, "a.txt", "c\n"))


def untracked(repo: Repo) -> State:
    """A new file, and one in a new folder."""
    repo.write("new.txt", "new\n")
    repo.write("deep/er/new.txt", "new\n")
    return State(here=repo, edit=writing(repo, "deep/er/new.txt", "old\n"))


def untracked_joined_by_another(repo: Repo) -> State:
    """A new file whose folder gets one more."""
    repo.write("deep/one.txt", "1\n")
    return State(here=repo, edit=writing(repo, "deep/two.txt", "2\n"))


def untracked_that_goes(repo: Repo) -> State:
    """A new file that is removed again."""
    path = repo.write("new.txt", "new\n")
    return State(here=repo, edit=path.unlink)


def mixed(repo: Repo) -> State:
    """Staged, not staged, new and removed files at once."""
    for number in range(6):
        repo.write(f"many/{number}.txt", f"{number}\n")
    repo.commit()
    repo.write("many/0.txt", "staged\n")
    repo.write("many/staged.txt", "new\n")
    repo.git("add", "many")
    repo.write("many/1.txt", "edited\n")
    repo.write("many/new.txt", "new\n")
    (repo.path / "many/2.txt").unlink()
    repo.git("rm", "--quiet", "many/3.txt")
    return State(here=repo, edit=writing(repo, "many/staged.txt", "edited\n"))


def empty_files(repo: Repo) -> State:
    """A new empty file, and a file that was emptied."""
    repo.write("empty.txt", "")
    repo.write("a.txt", "")
    return State(here=repo, edit=writing(repo, "empty.txt", "\n"))


def removed_from_the_index_only(repo: Repo) -> State:
    """A file that git was told to forget but that would come back by ``git add``."""
    repo.git("rm", "--quiet", "--cached", "a.txt")
    return State(here=repo, edit=writing(repo, "a.txt", "edited\n"))


def removed_from_the_index_and_edited(repo: Repo) -> State:
    """A file that git was told to forget, edited since."""
    repo.git("rm", "--quiet", "--cached", "a.txt")
    repo.write("a.txt", "edited\n")
    return State(here=repo, edit=writing(repo, "a.txt", "a\n"))


def removed_from_the_index_and_now_ignored(repo: Repo) -> State:
    """A file that git was told to forget and that an ignore rule now hides."""
    repo.git("rm", "--quiet", "--cached", "a.txt")
    repo.write(".gitignore", "a.txt\n")
    return State(here=repo, edit=writing(repo, ".gitignore", "b.txt\n"))


def added_then_removed(repo: Repo) -> State:
    """A file that was staged as new and is gone from the disk."""
    path = repo.write("new.txt", "new\n")
    repo.git("add", "new.txt")
    path.unlink()
    return State(here=repo, edit=writing(repo, "new.txt", "new\n"))


def added_then_edited(repo: Repo) -> State:
    """A file that was staged as new and edited since."""
    repo.write("new.txt", "new\n")
    repo.git("add", "new.txt")
    repo.write("new.txt", "edited\n")
    return State(here=repo, edit=writing(repo, "new.txt", "new\n"))


def removed(repo: Repo) -> State:
    """A file that is gone from the disk."""
    (repo.path / "a.txt").unlink()
    return State(here=repo, edit=writing(repo, "a.txt", "a\n"))


def removed_and_staged(repo: Repo) -> State:
    """A removal that is staged."""
    repo.git("rm", "--quiet", "sub/b.txt")
    return State(here=repo, edit=writing(repo, "sub/b.txt", "b\n"))


def removed_and_written_anew(repo: Repo) -> State:
    """A removal that is staged, and the file is back."""
    repo.git("rm", "--quiet", "a.txt")
    repo.write("a.txt", "a\n")
    return State(here=repo, edit=writing(repo, "a.txt", "new\n"))


def all_removed(repo: Repo) -> State:
    """No tracked file is left on the disk."""
    (repo.path / "a.txt").unlink()
    (repo.path / "sub/b.txt").unlink()
    (repo.path / "sub").rmdir()
    return State(here=repo, edit=writing(repo, "a.txt", "a\n"))


def all_removed_and_staged(repo: Repo) -> State:
    """The index is empty, and so is the disk."""
    repo.git("rm", "-r", "--quiet", ".")
    return State(here=repo, edit=writing(repo, "new.txt", "new\n"))


def folder_removed(repo: Repo) -> State:
    """A folder's only file is gone, which takes the folder out of the tree."""
    (repo.path / "sub/b.txt").unlink()
    return State(here=repo, edit=writing(repo, "sub/c.txt", "c\n"))


def empty_folders(repo: Repo) -> State:
    """Folders without a file, which no tree can hold."""
    (repo.path / "empty/within").mkdir(parents=True)
    return State(here=repo, edit=writing(repo, "empty/within/new.txt", "new\n"))


def renamed(repo: Repo) -> State:
    """A file moved on the disk alone."""
    (repo.path / "a.txt").rename(repo.path / "b.txt")
    return State(here=repo, edit=lambda: (repo.path / "b.txt").rename(repo.path / "c.txt"))


def renamed_and_staged(repo: Repo) -> State:
    """A file moved by git."""
    repo.git("mv", "a.txt", "b.txt")
    return State(here=repo, edit=lambda: repo.git("mv", "b.txt", "sub/c.txt"))


def renamed_staged_and_edited(repo: Repo) -> State:
    """A file moved by git and edited since, so that its record is a rename and a change."""
    repo.write("long.txt", "line\n" * 40)
    repo.commit()
    repo.git("mv", "long.txt", "far.txt")
    repo.write("far.txt", "line\n" * 39 + "last\n")
    return State(here=repo, edit=writing(repo, "far.txt", "line\n" * 40))


def copied_and_staged(repo: Repo) -> State:
    """A file with another one's content, where git is set to look for copies."""
    set_config(repo, {"status.renames": "copies", "diff.renames": "copies"})
    repo.write("long.txt", "line\n" * 40)
    repo.commit()
    repo.write("long.txt", "line\n" * 41)
    repo.write("copy.txt", "line\n" * 40)
    repo.git("add", ".")
    return State(here=repo, edit=writing(repo, "copy.txt", "line\n"))


def renamed_by_case(repo: Repo) -> State:
    """A name that changed in its case only."""
    (repo.path / "a.txt").rename(repo.path / "A.txt")
    return State(here=repo, edit=writing(repo, "A.txt", "edited\n"))


def renamed_by_case_and_staged(repo: Repo) -> State:
    """A name that changed in its case only, by git."""
    repo.git("mv", "a.txt", "A.txt")
    return State(here=repo, edit=writing(repo, "A.txt", "edited\n"))
