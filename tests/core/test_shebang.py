"""The first line of a script: which interpreter reads it, and with which words."""

from __future__ import annotations

import pytest

from gitcache.core.shebang import interpreters_of


@pytest.mark.parametrize(
    ("head", "argvs"),
    [
        (b"#!/bin/sh\nexit\n", [("/bin/sh", "./x", "1")]),
        (b"#! /bin/sh  -e \n", [("/bin/sh", "-e", "./x", "1")]),
        (b"#!/usr/bin/env node", [("/usr/bin/env", "node", "./x", "1")]),
        (b"#!/usr/bin/env -S python3 -u\n", [("/usr/bin/env", "-S python3 -u", "./x", "1")]),
        (b"#!\tbin/tool\tone word\n", [("bin/tool", "one word", "./x", "1")]),
        (b"#!/bin/\xff\n", [("/bin/\udcff", "./x", "1")]),
        (b"#!\n/bin/sh\n", []),
        (b"#!", []),
        (b"", []),
        (b" #!/bin/sh\n", []),
        (b"\x7fELF\n#!/bin/sh\n", []),
        (
            b"#!/bin/sh\n'''exec' /far/python \"$0\" \"$@\"\n' '''\n",
            [("/bin/sh", "./x", "1"), ("/far/python", "./x", "1")],
        ),
        (
            b"#!/bin/sh\n'''exec' \"/far away/python\" \"$0\" \"$@\"\n' '''\n",
            [("/bin/sh", "./x", "1"), ("/far away/python", "./x", "1")],
        ),
    ],
)
def test_interpreters(head: bytes, argvs: list[tuple[str, ...]]) -> None:
    assert list(interpreters_of(head, "./x", ["1"])) == argvs
