"""Every way in which Python asks the disk is heard, with the answer that it gets."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from gitcache.quick.disk import ask
from gitcache.quick.ears import Ears


class Heard:
    """Notes as they come."""

    def __init__(self) -> None:
        self.notes: list[tuple[str, str, str]] = []
        self.spoiled: list[str] = []

    def note(self, kind: str, path: str, answer: str) -> None:
        self.notes.append((kind, path, answer))

    def spoil(self, reason: str) -> None:
        self.spoiled.append(reason)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Return a folder with a file, a folder and links to both and to nothing."""
    place = tmp_path / "place"
    (place / "folder").mkdir(parents=True)
    (place / "file").write_text("text")
    for name, target in {"to file": "file", "to folder": "folder", "to nothing": "none"}.items():
        (place / name).symlink_to(target)
    return place


NAMES = ("file", "folder", "to file", "to folder", "to nothing", "none")

WAYS: dict[str, Callable[[Path], object]] = {
    "is a file": lambda path: os.path.isfile(path),
    "is a folder": lambda path: os.path.isdir(path),
    "is a link": lambda path: os.path.islink(path),
    "exists": lambda path: os.path.exists(path),
    "is there": lambda path: os.path.lexists(path),
    "real path": lambda path: os.path.realpath(path),
    "target": lambda path: os.readlink(path),
    "stat": lambda path: os.stat(path),
    "lstat": lambda path: os.lstat(path),
    "names": lambda path: os.listdir(path),
    "entries": lambda path: list(os.scandir(path)),
    "may be executed": lambda path: os.access(path, os.X_OK),
}


def heard_of(asks: Callable[[], object]) -> Heard:
    heard = Heard()
    with Ears(heard).open(), suppress(OSError):  # a refusal is an answer, too
        asks()
    return heard


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("kind", WAYS)
def test_question_is_heard_once_with_the_answer_to_the_same_question(
    place: Path, kind: str, name: str
) -> None:
    path = place / name
    heard = heard_of(lambda: WAYS[kind](path))
    assert heard.notes == [(kind, str(path), ask(kind, str(path)))]
    assert heard.spoiled == []


@pytest.mark.parametrize("name", NAMES)
def test_questions_of_paths_are_those_of_os(place: Path, name: str) -> None:
    path = place / name
    asked: dict[str, Callable[[], object]] = {
        "is a file": lambda: path.is_file(),
        "is a folder": lambda: path.is_dir(),
        "is a link": lambda: path.is_symlink(),
        "exists": lambda: path.exists(),
        "real path": lambda: path.resolve(),
        "lstat": lambda: path.lstat(),
        "stat": lambda: path.stat(),
    }
    for kind, asks in asked.items():
        assert heard_of(asks).notes == [(kind, str(path), ask(kind, str(path)))]


@pytest.mark.parametrize("name", NAMES)
def test_content_is_told_by_the_stat_of_the_file(place: Path, name: str) -> None:
    path = place / name
    for asks in (
        lambda: path.read_bytes(),
        lambda: path.read_text(),
        lambda: os.close(os.open(path, os.O_RDONLY)),
    ):
        assert heard_of(asks).notes == [("stat", str(path), ask("stat", str(path)))]


def by_descriptor(folder: Path, asks: Callable[[int], object]) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    asks(descriptor)
    os.close(descriptor)


def test_what_is_found_by_a_pattern_is_heard(place: Path) -> None:
    (place / "folder" / "inner").write_text("")
    heard = heard_of(lambda: sorted(place.glob("*/inner")))
    about = {path for _, path, _ in heard.notes}
    assert about & {str(place), f"{place}/folder", f"{place}/folder/inner"} >= {str(place)}
    assert len(about) > 1


@pytest.mark.parametrize(
    "asks",
    [
        lambda path: path.write_text("more"),
        lambda path: os.close(os.open(path, os.O_RDWR)),
        lambda path: os.access(path, os.R_OK),
        lambda path: os.path.realpath(path, strict=True),
        lambda path: by_descriptor(path.parent, lambda each: os.listdir(each)),
        lambda path: by_descriptor(path.parent, lambda each: os.stat("file", dir_fd=each)),
    ],
    ids=["write", "open to write", "other access", "strict", "by descriptor", "below descriptor"],
)
def test_what_can_not_be_asked_again_spoils_the_notes(
    place: Path, asks: Callable[[Path], object]
) -> None:
    assert heard_of(lambda: asks(place / "file")).spoiled != []


def test_all_is_as_before_once_the_ears_are_closed(place: Path) -> None:
    before = {name: getattr(os, name) for name in ("stat", "lstat", "scandir", "listdir", "open")}
    heard_of(lambda: (place / "file").read_bytes())
    assert {name: getattr(os, name) for name in before} == before
    assert (place / "file").is_file()
