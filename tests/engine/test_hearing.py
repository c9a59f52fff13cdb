"""What a follower hears of the output beside the log: the rest of it, in its order, once."""

from __future__ import annotations

import pytest

from gitcache.core.output import Chunk, Output
from gitcache.engine.hearing import Hearing
from gitcache.host.live_log import Frame
from tests.support.calls import Recorder

WHOLE = Output((Chunk("stdout", b"abc"), Chunk("stderr", b"de"), Chunk("stdout", b"fg")))
CUT = Output((Chunk("stdout", b"abc"),), (Chunk("stderr", b"xyz"),), cut_bytes=10)


@pytest.mark.parametrize(
    ("heard", "output", "rest"),
    [
        (b"", WHOLE, [("stdout", b"abc"), ("stderr", b"de"), ("stdout", b"fg")]),
        (b"a", WHOLE, [("stdout", b"bc"), ("stderr", b"de"), ("stdout", b"fg")]),
        (b"abcd", WHOLE, [("stderr", b"e"), ("stdout", b"fg")]),
        (b"abcdefg", WHOLE, []),
        (b"ab", CUT, [("stdout", b"c"), ("stderr", b"xyz")]),
        (b"abc" + b"?" * 9, CUT, [("stderr", b"xyz")]),
        (b"abc" + b"?" * 11, CUT, [("stderr", b"yz")]),
    ],
)
def test_rest_of_the_output_is_heard_behind_what_was_heard(
    heard: bytes, output: Output, rest: list[tuple[str, bytes]]
) -> None:
    recorder = Recorder()
    hearing = Hearing(recorder, lambda _: True, is_new=True)
    for byte in heard:
        hearing.frame(Frame("stdout", bytes([byte])))
    recorder.heard.clear()
    hearing.hear_rest(output)
    assert recorder.heard == rest
    lost = output.cut_bytes - max(0, len(heard) - 3)
    assert [each for each in recorder.warnings if each.endswith("are gone")] == (
        [f"{lost}B of the output in its middle are gone"] if lost > 0 else []
    )
