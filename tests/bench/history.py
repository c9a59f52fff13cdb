"""Times ``git toolcache log`` on a long history, as a whole process, beside ``git log``.

The repository is made as one pack: commits whose trees differ, and an entry for each tool on each.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from rich.table import Table

from gitcache.core.entry import Entry, RanIn, encode
from gitcache.core.key import Key, KeyInputs, TreeId
from gitcache.core.outcome import Failed, Passed
from gitcache.core.output import Chunk, Output
from gitcache.core.tool import ToolName
from gitcache.git.new_objects import NewObject, pack_of
from tests.bench.bench import RUNS, Bench
from tests.bench.hit import program

COMMITS: Final = 1_000
TOOLS: Final = ("audit", "build", "lint", "test", "typecheck")

_OUTPUT: Final = Output((Chunk("stdout", b"a line of the output of the tool\n" * 30),))
_NAME: Final = b"A U Thor <author@example.org>"


def table_of_histories(bench: Bench) -> Table:
    """Measure a long history whose entries are loose refs, and packed ones."""
    table = Table(
        title=f"A history of {COMMITS:,} commits by {len(TOOLS)} tools: milliseconds",
        caption=f"medians of {RUNS} runs in turn; first: once, with all entries read",
    )
    for column in ("refs", "first", "log", "log of 20", "git log"):
        table.add_column(column, justify="left" if column == "refs" else "right")
    repository = make_history(bench.folder / "history", bench)
    ours = (*program(), "log")
    for refs in ("loose", "packed"):
        if refs == "packed":
            bench.git(repository, "pack-refs", "--all")
        index = repository / ".git/toolcache/index"
        index.unlink(missing_ok=True)
        first = bench.once(repository, (*ours, "HEAD"))
        commands = ((*ours, "HEAD"), ours, ("git", "log", "--oneline"))
        times = (f"{each:.0f}" for each in (first, *bench.medians(repository, commands)))
        table.add_row(refs, *times)
    return table


def make_history(path: Path, bench: Bench) -> Path:
    """Return the repository *path*, made with all commits and entries."""
    path.mkdir()
    bench.git(path, "init", "--quiet")
    commits: list[NewObject] = []
    others: list[NewObject] = []
    lines = []
    for number in range(COMMITS):
        blob = NewObject("blob", b"%d\n" % number)
        tree = NewObject("tree", b"100644 file\0" + bytes.fromhex(blob.oid("sha1")))
        commits.append(_commit(number, tree, commits[-1:]))
        others += [blob, tree]
        for key, entry in _entries(number, TreeId(tree.oid("sha1"))):
            others.append(entry)
            lines.append(f"create refs/toolcache/{key} {entry.oid('sha1')}\n")
    pack = pack_of([*commits, *others], "sha1")
    bench.git(path, "index-pack", "--stdin", stdin=pack, quiet=True)
    lines.append(f"create refs/heads/main {commits[-1].oid('sha1')}\n")
    bench.git(path, "update-ref", "--stdin", stdin="".join(lines).encode())
    bench.git(path, "symbolic-ref", "HEAD", "refs/heads/main")
    bench.git(path, "reset", "--quiet", "--hard")
    return path


def _commit(number: int, tree: NewObject, parents: Sequence[NewObject]) -> NewObject:
    moment = b"%d +0000" % (1_700_000_000 + number)
    lines = (
        b"tree " + tree.oid("sha1").encode(),
        *(b"parent " + each.oid("sha1").encode() for each in parents),
        b"author " + _NAME + b" " + moment,
        b"committer " + _NAME + b" " + moment,
        b"",
        b"Change the file for the %dth time\n" % number,
    )
    return NewObject("commit", b"\n".join(lines))


def _entries(number: int, tree: TreeId) -> Iterator[tuple[Key, NewObject]]:
    """Yield key and blob of an entry for each tool."""
    for place, tool in enumerate(TOOLS):
        entry = Entry(
            inputs=KeyInputs(ToolName(tool), (tool,), ".", tree, {"platform": "0" * 64}),
            verdict=Failed(1) if (number + place) % 7 == 0 else Passed(),
            output=_OUTPUT,
            started_at=1_700_000_000.0 + number,
            duration=1.0,
            ran_in=RanIn("/srv/worktree", None, "host", "user"),
            head_tree=tree,
        ).following(())
        yield entry.key, NewObject("blob", encode(entry))
