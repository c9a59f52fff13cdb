"""The page of ``stats --html``: one file that needs no other, no script and no network.

Charts are inline SVG, and every number in them stands in a table too. It is light or dark as its
reader's system is. What is told may be foreign data, so each text is escaped where it is put in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import date
from html import escape
from typing import Final

from gitcache import __version__
from gitcache.cli.as_json import moment
from gitcache.cli.escapes import printable
from gitcache.cli.stats_words import day_words, percent, periods, reason_words
from gitcache.core.durations import format_duration
from gitcache.core.stats import Tally
from gitcache.core.units import format_bytes
from gitcache.engine.stats import Statistics

_WIDTH: Final = 720
"""Units of a chart's width; the page scales it."""

_HEIGHT: Final = 160
"""Units of the tallest column."""

_STYLE: Final = """\
:root { color-scheme: light dark; --paper: #ffffff; --ink: #1f2328; --faint: #59636e;
  --line: #d1d9e0; --hit: #0f766e; --followed: #2563eb; --miss: #c2710c; --unkeyed: #8b949e; }
@media (prefers-color-scheme: dark) { :root { --paper: #0d1117; --ink: #e6edf3; --faint: #9198a1;
  --line: #3d444d; --hit: #2dd4bf; --followed: #79a8ff; --miss: #f0a848; --unkeyed: #7d8590; } }
body { background: var(--paper); color: var(--ink); margin: 2rem auto; max-width: 60rem;
  padding: 0 1rem; font: 16px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin: 2.5rem 0 .5rem; }
.tiles { display: flex; flex-wrap: wrap; gap: 1rem; }
.tile { border: 1px solid var(--line); border-radius: .5rem; flex: 1 1 7.5rem; padding: .75rem; }
.tile b { display: block; font-size: 1.6rem; line-height: 1.2; }
.tile span, .legend, caption, footer, svg text { color: var(--faint); fill: var(--faint); }
.legend, footer { font-size: .875rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; }
th, td { border-bottom: 1px solid var(--line); padding: .3rem .8rem .3rem 0; text-align: left;
  overflow-wrap: anywhere; vertical-align: top; }
.n { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
svg { display: block; width: 100%; height: auto; } svg text { font-size: 12px; }
svg.bar { width: 10rem; height: .9rem; margin-top: .3rem; }
.axis { stroke: var(--line); }
.hit { fill: var(--hit); background: var(--hit); }
.followed { fill: var(--followed); background: var(--followed); }
.miss { fill: var(--miss); background: var(--miss); }
.unkeyed { fill: var(--unkeyed); background: var(--unkeyed); }
i { border-radius: 2px; display: inline-block; height: .7rem; margin: 0 .3rem 0 .8rem; width: .7rem;
  print-color-adjust: exact; }
i:first-child { margin-left: 0; }
"""

_LEGEND: Final = (
    '<p class="legend">'
    '<i class="hit"></i>hits <i class="followed"></i>followed <i class="miss"></i>misses '
    '<i class="unkeyed"></i>runs without a key</p>'
)

_COUNTS: Final = ("hits", "misses", "followed", "no key", "hit rate", "time saved", "time run")

_Parts = list[tuple[str, float]]
"""Class to amount, in the order in which they are stacked."""


def html_page(found: Statistics) -> str:
    """Return the page of *found* as text."""
    figures = found.figures
    parts = [
        "<!DOCTYPE html>",
        '<html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; '
        "style-src 'unsafe-inline'\">",
        f"<title>git toolcache: statistics</title><style>{_STYLE}</style></head><body>",
        f"<h1>git toolcache</h1>{_tiles(found)}",
        "<h2>Periods</h2>" + _tallies("", periods(figures)),
        *_days(figures.days),
        *_groups("Tools", "tool", figures.tools),
        *_groups("Worktrees", "worktree", figures.worktrees),
        *_misses(found),
        *_flakes(found),
        f"<footer><p>{_footer(found)}</p></footer></body></html>",
    ]
    return "\n".join(parts) + "\n"


def _text(text: str) -> str:
    """Return *text*, from wherever it is, as HTML."""
    return escape(printable(text))


def _tiles(found: Statistics) -> str:
    total = found.figures.total
    tiles = [
        (percent(total), "of what could hit did"),
        (format_duration(total.saved), "saved in all"),
        (format_duration(found.figures.week.saved), "saved in 7 days"),
        (str(total.hits), "hits"),
        (str(found.store.entries), f"entries, {format_bytes(found.store.disk_bytes)}"),
    ]
    inner = "".join(f'<div class="tile"><b>{big}</b><span>{it}</span></div>' for big, it in tiles)
    return f'<div class="tiles">{inner}</div>'


def _table(titles: Iterable[str], numbers: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Return a table; *rows* are HTML already, and columns of *numbers* stand to the right."""
    names = list(titles)
    kinds = [' class="n"' if name in numbers else "" for name in names]
    head = "".join(f"<th{kind}>{name}</th>" for kind, name in zip(kinds, names, strict=True))
    body = "".join(
        "<tr>"
        + "".join(f"<td{kind}>{each}</td>" for kind, each in zip(kinds, row, strict=True))
        + "</tr>"
        for row in rows
    )
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    return f'<div class="scroll">{table}</div>'


def _tallies(title: str, rows: Iterable[tuple[str, Tally]], with_bars: bool = False) -> str:
    named = list(rows)
    most = max((_amount(tally) for _, tally in named), default=0)
    bars = ("uses",) if with_bars else ()
    return _table(
        (title, *bars, *_COUNTS),
        _COUNTS,
        (
            (_text(name), *([_bar(tally, most)] if with_bars else ()), *_cells(tally))
            for name, tally in named
        ),
    )


def _cells(tally: Tally) -> tuple[str, ...]:
    counts = (tally.hits, tally.misses, tally.followed, tally.unkeyed)
    times = (format_duration(tally.saved), format_duration(tally.ran))
    return (*map(str, counts), percent(tally), *times)


def _parts(tally: Tally) -> _Parts:
    return [
        ("hit", tally.hits),
        ("followed", tally.followed),
        ("miss", tally.misses),
        ("unkeyed", tally.unkeyed),
    ]


def _amount(tally: Tally) -> int:
    return tally.asked + tally.unkeyed


def _bar(tally: Tally, most: int) -> str:
    """Return a lying bar, as long as the share of *tally* in *most*."""
    left, drawn = 0.0, []
    for kind, amount in _parts(tally):
        width = 100 * amount / max(most, 1)
        shape = f'x="{left:.2f}" y="0" width="{width:.2f}" height="10"'
        drawn.append(f'<rect class="{kind}" {shape}/>')
        left += width
    inner = "".join(drawn)
    return f'<svg class="bar" viewBox="0 0 100 10" preserveAspectRatio="none">{inner}</svg>'


def _days(days: Mapping[date, Tally]) -> Iterable[str]:
    if not any(map(_amount, days.values())):
        return
    yield "<h2>Uses a day</h2>" + _LEGEND
    yield _columns("Uses a day", days, _parts, lambda amount: f"{amount:.0f}")
    yield "<h2>Time saved a day</h2>"
    yield _columns(
        "Time saved a day", days, lambda tally: [("hit", tally.saved)], lambda n: format_duration(n)
    )
    table = _tallies("day", ((str(day), tally) for day, tally in days.items()))
    yield f"<details><summary>Day by day</summary>{table}</details>"


def _columns(
    title: str,
    days: Mapping[date, Tally],
    parts: Callable[[Tally], _Parts],
    words: Callable[[float], str],
) -> str:
    """Return standing columns, one a day, the tallest as tall as the chart."""
    sums = {day: sum(amount for _, amount in parts(tally)) for day, tally in days.items()}
    most, step = max(sums.values()), _WIDTH / max(len(days), 7)
    drawn = []
    for number, (day, tally) in enumerate(days.items()):
        bottom, shapes = 20.0 + _HEIGHT, ""
        for kind, amount in parts(tally):
            height = _HEIGHT * amount / (most or 1)
            bottom -= height
            place = f'x="{number * step + step * 0.1:.2f}" y="{bottom:.2f}"'
            size = f'width="{step * 0.8:.2f}" height="{height:.2f}"'
            shapes += f'<rect class="{kind}" {place} {size}/>'
        drawn.append(f"<g><title>{day}: {words(sums[day])}</title>{shapes}</g>")
    first, last = min(days), max(days)
    end, base = step * len(days), 20 + _HEIGHT
    labels = f'<text x="0" y="12">{words(most)}</text><text x="0" y="{base + 16}">{first}</text>'
    if last != first:
        labels += f'<text x="{end:.2f}" y="{base + 16}" text-anchor="end">{last}</text>'
    axis = f'<line class="axis" x1="0" x2="{_WIDTH}" y1="{base}" y2="{base}"/>'
    box = f'viewBox="0 0 {_WIDTH} {base + 24}" role="img" aria-label="{title}"'
    return f"<svg {box}>{''.join(drawn)}{axis}{labels}</svg>"


def _groups(title: str, column: str, tallies: Mapping[str, Tally]) -> Iterable[str]:
    if tallies:
        yield f"<h2>{title}</h2>{_LEGEND}{_tallies(column, tallies.items(), with_bars=True)}"


def _misses(found: Statistics) -> Iterable[str]:
    rows = [
        (
            _text(use.tool),
            format_duration(use.duration),
            day_words(use.at, found.now),
            _text(use.worktree),
            _text(reason_words(use)),
        )
        for use in found.figures.expensive
    ]
    if rows:
        titles = ("tool", "took", "when", "worktree", "why")
        yield "<h2>Longest runs</h2>" + _table(titles, ("took",), rows)


def _flakes(found: Statistics) -> Iterable[str]:
    rows = [
        (
            _text(each.file or "(no file is known)"),
            _text(each.tool),
            str(each.count),
            day_words(each.last_seen, found.now),
        )
        for each in found.flakes
    ]
    if rows:
        titles = ("file", "tool", "times", "last seen")
        yield "<h2>Flaky files</h2>" + _table(titles, ("times",), rows)


def _footer(found: Statistics) -> str:
    figures = found.figures
    notes = [f"git-toolcache {__version__}, {moment(found.now)}"]
    if figures.undated:
        notes.append(f"{figures.undated} uses have no day, since a clock was wrong")
    if figures.unread:
        notes.append(f"{figures.unread} lines of the journal can't be read")
    return "; ".join(notes)
