"""The attempts of one run: what failed last time first, then all, and a red once more.

- **Failing first**: where the tool's last red in this worktree was on other content, the files that
  failed are run alone. Still red: that is the answer, of this worktree and never stored, since a
  test may fail only where it runs alone; so on the same content the whole command runs next.
- **Retry**: a red that names one to three files has these run again, alone. Still red: the red
  stands. Green: the identical whole command runs once more, and only that may make a pass of a red;
  then the files are flaky.

Whatever else comes of an attempt beside a run's first whole one (a kill, a timeout, no test)
decides nothing. Nothing here knows the store.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

from gitcache.core.colours import legible
from gitcache.core.entry import PastAttempt
from gitcache.core.last_failed import LastFailed
from gitcache.core.outcome import Failed, Interrupted, Outcome, Passed, exit_status, name_of
from gitcache.core.output import OutputBuffer, last_lines
from gitcache.core.runners import failing_files, focused, ran_nothing, recognise, report_path
from gitcache.core.runners.focus import FocusedCommand
from gitcache.core.runners.found import Found
from gitcache.core.runners.runner import Project
from gitcache.engine.attempt import Attempt, Provision, attempt
from gitcache.engine.context import Context
from gitcache.engine.events import Reporter
from gitcache.engine.front import Question
from gitcache.engine.project import project_of
from gitcache.engine.resolve import Plan
from gitcache.errors import RepositoryError
from gitcache.host.standard_input import InputCopy

_FEW: Final = 3
"""Files that a flake may be in: a red of more is no flake, and running them again costs."""

_TAIL: Final = 40
"""Lines of a flaky run's first attempt that are kept: a failure's own report."""

_LONGEST_TAIL: Final = 1 << 13
"""Characters of it."""

_TICK: Final = 2.0
"""Seconds by which a file system may date a write too early."""

_LONGEST_REPORT: Final = 64 << 20
"""Bytes of a report that are read."""


@dataclass(frozen=True, slots=True)
class Tested:
    """What came of a run's attempts."""

    attempt: Attempt
    """All that was shown as one: of a retried run both whole attempts."""

    failing_files: tuple[str, ...] = ()
    """Relative to the worktree's top."""

    focused_on: tuple[str, ...] = ()
    """The files that were run alone; empty: the whole command was run."""

    flaky: tuple[str, ...] = ()
    """Files that failed at first and passed when the whole command ran again."""

    flaky_tail: str = ""
    """The last lines of the attempt in which they failed."""

    earlier: tuple[PastAttempt, ...] = ()
    """The whole attempts before the last one."""


class Rerun:
    """The attempts of one run."""

    def __init__(
        self,
        question: Question,
        context: Context,
        reporter: Reporter,
        stdin: InputCopy | None,
        provision: Provision,
    ) -> None:
        self._question = question
        self._plan = question.plan
        self._context = context
        self._reporter = reporter
        self._stdin = stdin
        self._provision = provision

    def run(self, last: LastFailed | None) -> Tested:
        """Return what came of it all.

        Args:
            last: what failed last, to begin with; None: the whole command is run at once.
        """
        first = None if last is None else self._failing_first(last)
        return first or self._whole()

    @cached_property
    def _project(self) -> Project:
        return project_of(self._question.repository)

    @cached_property
    def _found(self) -> Found | None:
        """The test runner, where one is known."""
        plan = self._plan
        named = plan.tool.options.runner
        return recognise(plan.argv, self._project, plan.directory, named)

    def _failing_first(self, last: LastFailed) -> Tested | None:
        """Run what failed last; None where that is no answer."""
        if last.tree == self._question.snapshot.tree or last.argv != self._plan.argv:
            return None
        if not last.files or not all(map(self._project.exists, last.files)):
            return None
        commands = self._focused(last.files)
        if commands is None:
            return None
        self._reporter.notice(f"first {_counted(last.files)} that failed last time")
        match self._run_focused(commands):
            case _Red(red, files):
                self._show(red)
                return Tested(red, files, focused_on=last.files)
            case _Ended(ended):
                return Tested(ended)
        return None

    def _whole(self) -> Tested:
        """Run the whole command, and a red once more where it may be a flake."""
        red = self._attempt(self._plan)
        files = self._failing(red, self._found) if isinstance(red.outcome, Failed) else ()
        retry = self._plan.tool.options.retry
        if retry == 0 or self._stdin is not None or not 1 <= len(files) <= _FEW:
            return Tested(red, files)
        commands = self._focused(files)
        if commands is None:
            return self._retried(red, files, retry)
        self._reporter.notice(f"once more {_counted(files)} that failed")
        match self._run_focused(commands):
            case _Green():
                return self._retried(red, files, retry)
            case _Ended(ended):
                return Tested(replace(red, outcome=ended.outcome))
        return Tested(red, files)

    def _retried(self, red: Attempt, files: tuple[str, ...], retry: int) -> Tested:
        """Run the whole command again, *retry* times at most, until it passes."""
        attempts = [red]
        while len(attempts) <= retry and isinstance(attempts[-1].outcome, Failed):
            self._reporter.notice("once more the whole command")
            attempts.append(self._attempt(self._plan))
        earlier = tuple(map(_past, attempts[:-1]))
        match attempts[-1].outcome:
            case Passed() as passed:
                outcome = passed if self._plan.tool.options.flaky == "pass" else red.outcome
                joined = _joined(attempts, outcome)
                return Tested(joined, files, (), files, self._tail(red), earlier)
            case Interrupted() as interrupted:
                return Tested(_joined(attempts, interrupted))
        return Tested(_joined(attempts, red.outcome), files, earlier=earlier)

    def _run_focused(
        self, commands: Sequence[FocusedCommand]
    ) -> _Red | _Green | _Doubtful | _Ended:
        """Run *commands*, which nobody sees, and return what they say of their files."""
        attempts: list[Attempt] = []
        failing: dict[str, None] = {}
        for each in commands:
            plan = replace(self._plan, argv=each.argv, directory=each.directory)
            one = self._attempt(plan, is_shown=False)
            if isinstance(one.outcome, Interrupted):
                return _Ended(one)
            found = None if self._found is None else replace(self._found, directory=each.directory)
            if found is None or not isinstance(one.outcome, Passed | Failed):
                return _Doubtful()
            if ran_nothing(found, one.output):
                return _Doubtful()
            if isinstance(one.outcome, Failed):
                failing |= dict.fromkeys(self._failing(one, found))
            attempts.append(one)
        red = next((each for each in attempts if isinstance(each.outcome, Failed)), None)
        if red is None:
            return _Green()
        files = tuple(failing)
        return _Red(_joined(attempts, red.outcome), files) if files else _Doubtful()

    def _attempt(self, plan: Plan, *, is_shown: bool = True) -> Attempt:
        return attempt(plan, self._context, self._reporter, self._stdin, self._provision, is_shown)

    def _focused(self, files: tuple[str, ...]) -> tuple[FocusedCommand, ...] | None:
        """Return the commands that run *files* alone; None where none can be told for certain."""
        try:
            return None if self._found is None else focused(self._found, files, self._project)
        except RepositoryError:
            return None

    def _failing(self, red: Attempt, found: Found | None) -> tuple[str, ...]:
        """Return the files that *red* names as failing; none where nothing is certain."""
        if found is None:
            return ()
        try:
            return failing_files(found, red.output, self._project, self._report(red, found))
        except RepositoryError:
            return ()

    def _report(self, red: Attempt, found: Found) -> bytes | None:
        """Return the JUnit report that *red* has written; None where it has written none."""
        plan = self._plan
        path = report_path(found, plan.tool.options.junit, plan.directory)
        if path is None or not self._project.exists(path):
            return None
        try:
            with open(plan.top / path, "rb") as file:
                is_older = os.fstat(file.fileno()).st_mtime < red.started_at - _TICK
                return None if is_older else file.read(_LONGEST_REPORT)
        except OSError:
            return None

    def _show(self, hidden: Attempt) -> None:
        """Let the reporter hear what was run out of its hearing."""
        self._reporter.starting(self._plan)
        for stream, data in hidden.output.chunks:
            self._reporter.output(stream, data)

    def _tail(self, red: Attempt) -> str:
        """Return the last lines of *red*, without the colours that we asked for."""
        told = legible(red.output, self._plan.terminal)
        lines = b"".join(chunk.data for chunk in last_lines(told, _TAIL))
        return lines.decode("utf-8", "replace")[-_LONGEST_TAIL:]


@dataclass(frozen=True, slots=True)
class _Red:
    """Files failed again."""

    attempt: Attempt
    files: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Green:
    """All of them passed."""


@dataclass(frozen=True, slots=True)
class _Doubtful:
    """Nothing is said: a kill, a timeout, no test, a failure without a name."""


@dataclass(frozen=True, slots=True)
class _Ended:
    """Somebody told the run to stop."""

    attempt: Attempt


def _joined(attempts: Sequence[Attempt], outcome: Outcome) -> Attempt:
    """Return *attempts* as one that ends with *outcome*."""
    buffer = OutputBuffer()
    for stream, data in (chunk for each in attempts for chunk in each.output.chunks):
        buffer.add(stream, data)
    output = buffer.result()
    cut = output.cut_bytes + sum(each.output.cut_bytes for each in attempts)
    return replace(
        attempts[0],
        outcome=outcome,
        output=replace(output, cut_bytes=cut),
        duration=sum(each.duration for each in attempts),
        leak=next((each.leak for each in attempts if each.leak is not None), None),
    )


def _past(done: Attempt) -> PastAttempt:
    outcome = done.outcome
    return PastAttempt(name_of(outcome), exit_status(outcome), done.started_at, done.duration)


def _counted(files: Sequence[str]) -> str:
    return f"the file {files[0]}" if len(files) == 1 else f"the {len(files)} files"
