"""Words in tracked files."""

from __future__ import annotations

from gitcache.git.mentions import first_mentions
from gitcache.git.repository import find_repository
from tests.support.repository import Repo


def test_whole_words_in_tracked_text_are_found_once(repo: Repo) -> None:
    repo.write("a/src.py", "os.environ['TOKEN']; TOKEN; MY_TOKEN2\n")
    repo.write("b.py", "TOKEN; OTHER\n")
    repo.write("binary", b"\0SECRET\n")
    repo.commit()
    repo.write("untracked", "LATER\n")
    words = ["OTHER", "TOKEN", "MY", "SECRET", "LATER"]
    repository = find_repository(repo.path, {})
    assert first_mentions(repository, words) == {"OTHER": "b.py", "TOKEN": "a/src.py"}
    assert first_mentions(repository, ["NOWHERE"]) == {}
    assert first_mentions(repository, []) == {}
