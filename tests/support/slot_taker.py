"""Processes of their own that take slots.

As a program (``python -m tests.support.slot_taker STATE PRESSURE LIMIT``) it reads orders from its
standard input and answers each with lines: ``ask SLOTS`` with what the line says; ``turn SLOTS
FILE`` with ``in line`` where it has to wait, and with ``done`` when it held its slots, wrote its
number at the end of FILE and released them; ``turns COUNT SLOTS FOLDER`` with the most slots that
it ever saw taken; ``release``; ``nested TOKEN``: what follows is asked as within that run; ``lend
TOKEN`` and ``return``.
"""

from __future__ import annotations

import os
import sys
from contextlib import ExitStack
from pathlib import Path

from gitcache.core.tool import ToolName
from gitcache.host.key_lock import Unavailable
from gitcache.host.slots import GivenUp, Line, Slot, Waiting, Wish, lent, wait_for_slot
from tests.support.locker import this_owner


def slot_taker(state: Path, limit: int, pressure: Path) -> list[str]:
    """Return the argv of this module as a program."""
    program = [sys.executable, "-m", "tests.support.slot_taker"]
    return [*program, os.fspath(state), os.fspath(pressure), str(limit)]


def told(answer: Slot | Waiting | Unavailable | GivenUp) -> str:
    """Return *answer* in a line."""
    match answer:
        case Slot(token):
            return f"slot {token}"
        case Waiting(holders, ahead, limit):
            return f"waiting: {[each.pid for each in holders]} hold, {ahead} ahead, {limit} slots"
        case Unavailable(reason):
            return f"unavailable {reason}"
        case GivenUp():
            return "given up"


class _Taker:
    def __init__(self, state: str, pressure: str, limit: str) -> None:
        self._state, self._pressure, self._limit = Path(state), Path(pressure), int(limit)
        self._token = ""
        self._line: Line | None = None
        self._slot: Slot | None = None
        self._loan = ExitStack()

    def obey(self, order: str, *words: str) -> str:
        match order, words:
            case "ask", (slots,):
                self._line = self._line or self._new_line(int(slots))
                answer = self._line.ask()
                self._slot = answer if isinstance(answer, Slot) else None
                return told(answer)
            case "turn", (slots, file):
                return self._turn(int(slots), Path(file))
            case "turns", (count, slots, folder):
                return str(max(self._busy(int(slots), Path(folder)) for _ in range(int(count))))
            case "release", ():
                assert self._slot is not None
                self._slot.release()
                self._line = None
            case "nested", _:
                self._token = " ".join(words)
            case "lend", _:
                self._loan.enter_context(lent(" ".join(words)))
            case "return", ():
                self._loan.close()
        return order

    def _new_line(self, slots: int) -> Line:
        owner = this_owner(f"run-{os.getpid()}")
        wish = Wish(self._state, ToolName("test"), self._limit, owner, slots, self._token)
        return Line(wish, self._pressure)

    def _wait(self, slots: int, says: bool) -> Slot:
        waits: list[Waiting] = []

        def report(waiting: Waiting) -> None:
            if says and not waits:
                print("in line", flush=True)
            waits.append(waiting)

        answer = wait_for_slot(self._new_line(slots), report)
        assert isinstance(answer, Slot), answer
        return answer

    def _turn(self, slots: int, file: Path) -> str:
        with self._wait(slots, True), open(file, "a") as log:
            log.write(f"{os.getpid()}\n")
        return "done"

    def _busy(self, slots: int, folder: Path) -> int:
        """Hold *slots* for a moment, and return how many were taken then, by what lies there."""
        with self._wait(slots, False):
            mine = [folder / f"{os.getpid()}.{number}" for number in range(slots)]
            for each in mine:
                each.touch()
            os.sched_yield()
            seen = len(os.listdir(folder))
            for each in mine:
                each.unlink()
        return seen


if __name__ == "__main__":
    taker = _Taker(*sys.argv[1:])
    for line in sys.stdin:
        print(taker.obey(*line.rstrip("\n").split(" ")), flush=True)
