"""Which entries may answer, which outcomes may be stored, and the reasons in words.

Every rule is a function from values to a reason, so that a miss can always say why.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from gitcache.core.entry import Entry, decode
from gitcache.core.key import Key
from gitcache.core.outcome import Failed, Passed
from gitcache.core.tool import Options
from gitcache.core.untested import RAN_NO_TEST, ran_no_test

NO_ENTRY = "no entry"


_TOLD: Final = 200
"""Characters of a reason that are told: it may quote foreign data of any length."""

_NOT_COUNTED: Final = ("outputs", "isolated")
"""Options that decide a result and that neither the run nor the key takes into account."""


def why_unkeyed(options: Options) -> str | None:
    """Return why a tool with *options* has no key; None where it has one."""
    plain = Options()
    for name in _NOT_COUNTED:
        if getattr(options, name) != getattr(plain, name):
            return f"the setting {name} is not taken into account yet"
    return None


@dataclass(frozen=True, slots=True)
class Usable:
    """An entry that answers."""

    entry: Entry


@dataclass(frozen=True, slots=True)
class Unusable:
    """Why nothing answers."""

    reason: str
    is_damage: bool = False
    """Whether something is stored that should not be: worth a warning."""


def judge(blob: bytes, key: Key, options: Options, now: float) -> Usable | Unusable:
    """Return whether the stored *blob* answers for *key*.

    Args:
        blob: what lies under the key's ref.
        key: the key that was asked for.
        options: what the tool's settings ask of an answer.
        now: the time in seconds since the epoch.
    """
    try:
        entry = decode(blob)
    except ValueError as error:
        why = str(error)[:_TOLD]
        return Unusable(f"the stored entry can't be used: {why}", is_damage=True)
    if entry.key != key:
        return Unusable("the stored entry belongs to another key", is_damage=True)
    argv, terminal = entry.inputs.argv, entry.inputs.terminal
    if isinstance(entry.verdict, Passed) and ran_no_test(argv, entry.output, terminal):
        return Unusable(f"the entry's run {RAN_NO_TEST}")
    unusable = _judge_mark(entry, options) or _judge_flake(entry, options)
    return unusable or _judge_age(entry, options, now)


def _judge_mark(entry: Entry, options: Options) -> Unusable | None:
    """Apply ``kill_marks`` to a failure.

    The setting decides what is stored and not what runs, so it is in no key. An entry of somebody
    who asked for less, or whose program knew fewer marks, is judged as its run would be here.
    """
    if not options.kill_marks or not isinstance(entry.verdict, Failed):
        return None
    from gitcache.core.kill_marks import sign_of_a_kill  # a pass is spared it

    sign = sign_of_a_kill(entry.verdict.status, entry.inputs.argv, entry.output)
    return None if sign is None else Unusable(f"the entry's run was killed, as it tells: {sign}")


def _judge_flake(entry: Entry, options: Options) -> Unusable | None:
    """Apply ``retry`` and ``flaky`` to a verdict that took a second attempt.

    The settings decide what is made of the attempts and not what runs, so they are in no key.
    """
    if not entry.flaky:
        return None
    if isinstance(entry.verdict, Passed):
        if options.retry == 0:
            return Unusable("the entry's run passed only when it ran again")
        return Unusable("the entry's run was flaky") if options.flaky == "fail" else None
    return Unusable("the entry's run was flaky") if options.flaky == "pass" else None


def _judge_age(entry: Entry, options: Options, now: float) -> Usable | Unusable:
    """Apply ``max_age`` and ``timeout``; a start in the future counts as expired."""
    age = now - entry.started_at
    if options.max_age is not None and age < 0:
        return Unusable("the entry's run began in the future, so max_age can't be told")
    if options.max_age is not None and age > options.max_age:
        return Unusable("the entry is older than max_age")
    if options.timeout is not None and entry.duration > options.timeout:
        return Unusable("the entry's run took longer than the timeout")
    return Usable(entry)
