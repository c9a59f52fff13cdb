"""A caller whose run others can follow, as a process: ``python -m tests.support.sharer WORD…``.

It prints what its tool prints, then one line of JSON: the answer's source, outcome and warnings.
"""

from __future__ import annotations

import json
import os
import signal
import sys

from gitcache.core.outcome import Interrupted, exit_status, name_of
from gitcache.core.output import Stream
from gitcache.engine.cached_run import run
from gitcache.engine.context import Context
from gitcache.engine.resolve import Request
from tests.support.calls import Recorder


class Caller(Recorder):
    """Shows live what it hears."""

    def outlets(self) -> dict[Stream, int]:
        return {"stdout": 1, "stderr": 2}

    def output(self, stream: Stream, data: bytes) -> None:
        super().output(stream, data)
        os.write(1 if stream == "stdout" else 2, data)


def main() -> int:
    """Run the command that the words are."""
    caller = Caller()
    force = sys.argv[1] == "--force"
    words = tuple(sys.argv[1 + force :])
    answer = run(
        Request(None, words, manner="shared", force=force), Context.of_this_process(), caller
    )
    told = {
        "source": answer.source,
        "outcome": name_of(answer.outcome),
        "stored": answer.stored,
        "stdout": caller.text("stdout").decode("latin-1"),
        "warnings": caller.warnings,
        "followed": [each.pid for each in caller.followed],
    }
    print(f"\n{json.dumps(told)}", flush=True)
    if isinstance(answer.outcome, Interrupted):
        signal.signal(answer.outcome.signal, signal.SIG_DFL)
        os.kill(os.getpid(), answer.outcome.signal)
    return exit_status(answer.outcome)


if __name__ == "__main__":
    sys.exit(main())
