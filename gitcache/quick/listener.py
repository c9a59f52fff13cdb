"""Listens to the ordinary path and makes a memo of what it hears.

What the disk is asked is overheard (:mod:`.ears`); git's calls are told by who makes them. A memo
can be made only where each answer can be had again by the same question. So it is spoiled by a file
so young that a later write may leave the same stat, by something that was remembered anew, by a
process that nobody told of, and by an answer that changed meanwhile; and where Python's own library
is found to ask past the ears.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from math import inf
from pathlib import Path
from typing import Any, Final, Protocol

from gitcache.core.clock_tick import TICK_NS
from gitcache.quick import disk
from gitcache.quick.calls import AT_MOST, Call, changes_of
from gitcache.quick.ears import Ears
from gitcache.quick.memo import Memo, write_memo
from gitcache.quick.place import Place
from gitcache.quick.question import declared, question_of
from gitcache.quick.streams import Tape
from gitcache.quick.trace import step

_MOST_PATHS: Final = 20_000
"""Questions to the disk beyond which a quick answer is not much quicker."""

_MOST_CALLS: Final = 24
"""Processes of git that may be started at once."""

_MOST_NAMES: Final = AT_MOST // 2
"""Characters of the names of objects that are asked for in one go."""

_STARTS: Final = frozenset(
    {"subprocess.Popen", "os.posix_spawn", "os.fork", "os.forkpty", "os.exec", "os.system"}
)
"""Python's audit events of processes (https://docs.python.org/3/library/audit_events.html)."""

_WRITES: Final = frozenset({"os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.symlink"})
"""The same of what a look does that is not all remembered yet, or can't be."""

_READS: Final = frozenset({"open", "os.listdir", "os.scandir"})
"""The same of what passes our ears, unless Python's library goes past them."""


class Asked(Protocol):
    """A call of git, as it is started."""

    @property
    def argv(self) -> Sequence[str]:
        """All its words."""

    @property
    def cwd(self) -> Path:
        """The folder in which it runs."""

    @property
    def environ(self) -> Mapping[str, str]:
        """All its variables."""


@dataclass(frozen=True, slots=True)
class Terms:
    """What an answer depends on that is no question to the disk or to git."""

    place: Place
    patterns: tuple[str, ...] = ()
    """Names of variables, as the tool's settings declare them."""

    since: float = 0.0
    """The moment from which on the entry answers, in seconds since the epoch."""

    until: float = inf
    """The last moment at which it does."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A call that was answered."""

    words: Sequence[str]
    cwd: str
    tape: Tape
    """What it has shown."""

    status: int
    """What it exits with."""

    use: bytes
    """The journal's line of it."""


class Listener:
    """Notes of all that was asked.

    Args:
        implied: the last words of calls of git whose answers follow from those to others.
        now: the time in seconds since the epoch.
    """

    def __init__(self, implied: Sequence[Sequence[str]], now: Callable[[], float]) -> None:
        self.spoiled = ""
        """Why no memo can be made of the notes; nothing where one can."""

        self._implied = [tuple(each) for each in implied]
        self._now = now
        self._disk: dict[tuple[str, str], str] = {}
        self._calls: dict[bytes, Call] = {}
        self._readers: dict[bytes, tuple[Call, dict[str, bytes]]] = {}
        """The readers of objects by their question, each with the names that it was asked for, and
        its answers."""

        self._terms: Terms | None = None

        self._ears = Ears(self)
        self._told = 0
        """Processes of git that were told of."""

        self._started = 0
        """Processes that were started."""

        self._ended = 0
        """Those of :attr:`_told` whose answers are known."""

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Hear what is asked until the block ends."""
        _hear_events()
        with self._ears.open():
            self._test_ears()
            before = _LISTENER.set(self)
            try:
                yield
            finally:
                _LISTENER.reset(before)
        if not self._told == self._started == self._ended:
            self.spoil("not all processes told their answers")

    def found(self, terms: Terms) -> None:
        """Hear that there is a hit, and on which *terms*."""
        self._terms = terms

    def keep(self, shown: Shown, environ: Mapping[str, str]) -> None:
        """Write the memo on a call that was answered; none where the notes are spoiled.

        Args:
            shown: the call and its answer.
            environ: its variables.
        """
        memo = self.memo(shown, environ)
        if memo is None or self._terms is None:
            step(f"no quick answer next time: {self.spoiled}")
            return
        question = question_of(shown.words, shown.cwd, self._terms.place, environ)
        write_memo(self._terms.place.common_dir, question, memo)
        step("a quick answer is remembered")

    def memo(self, shown: Shown, environ: Mapping[str, str]) -> Memo | None:
        """Return the memo that :meth:`keep` writes; None where the notes are spoiled."""
        if shown.tape.is_full:
            self.spoil("too much was shown")
        if self.spoiled or self._terms is None:
            return None
        return Memo(
            disk=self._of_disk(),
            calls=self._of_git(),
            patterns=self._terms.patterns,
            variables=declared(self._terms.patterns, environ),
            since=self._terms.since,
            until=self._terms.until,
            acts=shown.tape.acts,
            status=shown.status,
            use=shown.use,
        )

    def _of_disk(self) -> dict[str, tuple[list[str], list[str]]]:
        """Return kind of question → the paths that it was asked of, and the answers."""
        found: dict[str, tuple[list[str], list[str]]] = {}
        for (kind, path), answer in self._disk.items():
            paths, answers = found.setdefault(kind, ([], []))
            paths.append(path)
            answers.append(answer)
        return found

    def _of_git(self) -> list[Call]:
        """Return the calls of git, with those that read objects."""
        readers = []
        for reader, told in self._readers.values():
            reader.stdin = "".join(f"{name}\n" for name in told).encode("utf-8", "surrogateescape")
            reader.answer = b"".join(told.values())
            readers.append(reader)
        return [*self._calls.values(), *readers]

    def note_program(self) -> None:
        """Note the files of this program itself, so that another version of it starts anew."""
        for name, module in sorted(sys.modules.items()):
            file = getattr(module, "__file__", None)
            if name.partition(".")[0] == __name__.partition(".")[0] and file:
                self.note(disk.STAT, file, disk.ask(disk.STAT, file))

    # What the ears and git tell

    def note(self, kind: str, path: str, answer: str) -> None:
        """Note the *answer* to the question of *kind* about *path*."""
        if "\0" in path or "\0" in answer:
            self.spoil("a path holds a NUL")
        elif self._disk.setdefault((kind, path), answer) != answer:
            self.spoil(f"{path} changed meanwhile")
        elif kind in (disk.STAT, disk.LINK_STAT) and _is_young(answer, self._now()):
            self.spoil(f"{path} was written a moment ago")
        elif len(self._disk) > _MOST_PATHS:
            self.spoil("too much was asked")

    def spoil(self, reason: str) -> None:
        """Give up on the notes."""
        self.spoiled = self.spoiled or reason

    def starting(self) -> None:
        """Hear that a process of git is about to start."""
        self._told += 1

    def heard(self, asked: Asked, stdin: bytes, status: int, answer: bytes, said: bytes) -> None:
        """Note a call of git, its *answer* and what it *said* on its standard error."""
        self._ended += 1
        if any(tuple(asked.argv[-len(each) :]) == each for each in self._implied):
            return
        if said:
            self.spoil("git had something to say")
        call = _call(asked, stdin)
        call.status, call.answer = status, answer
        known = self._calls.setdefault(call.question, call)
        if (known.status, known.answer) != (status, answer):
            self.spoil("git answered differently meanwhile")
        if len(stdin) > AT_MOST or len(self._calls) > _MOST_CALLS:
            self.spoil("git was asked too much")

    def reading(self, asked: Asked) -> None:
        """Hear that a reader of objects has started."""
        self._ended += 1
        call = _call(asked, b"")
        self._readers.setdefault(call.question, (call, {}))

    def looked_up(self, asked: Asked, name: str, answer: bytes) -> None:
        """Note what a reader of objects answers to *name*."""
        _, told = self._readers[_call(asked, b"").question]
        if told.setdefault(name, answer) != answer:
            self.spoil("an object changed meanwhile")
        if sum(map(len, told)) > _MOST_NAMES:
            self.spoil("too many objects were asked for")

    def hear_event(self, event: str, about: tuple[Any, ...]) -> None:
        """Hear of an event of Python's, and of what it is about."""
        if event in _STARTS:
            self._started += 1
        elif event in _WRITES:
            self.spoil(f"{about[0]!r} was made, moved or removed")
        elif event in _READS and not self._is_heard(about[0]):
            self.spoil(f"{about[0]!r} was read past our ears")

    def _is_heard(self, path: object) -> bool:
        """Return whether the ears hear that *path* is read, or Python imports something there."""
        is_module = isinstance(path, str) and path.endswith((".py", ".pyc", ".so"))
        return self._ears.is_asking or is_module or path in sys.path_importer_cache

    def _test_ears(self) -> None:
        """Make sure that Python's library asks where we listen; no memo is made where it does not.

        What it asks past us would be in no memo.
        """
        here = Path(__file__)
        tests: tuple[tuple[Callable[[], object], set[Path]], ...] = (
            (lambda: [*here.parent.parent.glob(f"*/{here.name}")], {here, here.parent}),
            (lambda: [*here.parent.glob("*.py")], {here.parent}),
            (here.read_bytes, {here}),
            (here.with_name("none").exists, {here.with_name("none")}),
        )
        is_deaf = False
        for asks, about in tests:
            asks()
            is_deaf = is_deaf or about.isdisjoint(Path(path) for _, path in self._disk)
            self._disk.clear()
        self.spoiled = "this Python asks past our ears" if is_deaf else ""


_LISTENER: Final[ContextVar[Listener | None]] = ContextVar("listener", default=None)
"""Who hears Python's events."""


@cache
def _hear_events() -> None:
    """Let Python tell its events to whoever listens; a hook stays, so there is one for all."""
    sys.addaudithook(_pass_on)


def _pass_on(event: str, about: tuple[Any, ...]) -> None:
    listener = _LISTENER.get()
    if listener is not None:
        listener.hear_event(event, about)


def _call(asked: Asked, stdin: bytes) -> Call:
    return Call(asked.argv, str(asked.cwd), changes_of(asked.environ, os.environ), stdin)


def _is_young(answer: str, now: float) -> bool:
    """Return whether a write from now on may leave the same *answer* to a question for a stat."""
    if answer.startswith("error"):
        return False
    _, written, changed, *_ = map(int, answer.split())
    return int(now * 1e9) - max(written, changed) <= TICK_NS
