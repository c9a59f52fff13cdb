"""Lets later calls have a quick answer: the ordinary path, overheard while it finds a hit.

Beside what is heard on the way (:mod:`gitcache.quick.listener`), a memo depends on which git there
is, on this program itself, on the variables that the tool's settings declare, and on the entry's
age.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from gitcache.core.outcome import exit_status
from gitcache.engine.context import Context
from gitcache.engine.events import Answer
from gitcache.engine.front import Finding, Hit
from gitcache.engine.uses import use_line
from gitcache.git import repository, version
from gitcache.host.program import find_program
from gitcache.quick.listener import Listener, Shown, Terms
from gitcache.quick.place import find_place
from gitcache.quick.question import is_usual
from gitcache.quick.streams import Tape

IMPLIED: Final = (repository.QUESTION, version.QUESTION)
"""Where the repository is follows from the place, git's settings and its status; git's version from
its program."""


def overheard(context: Context) -> Context:
    """Return *context* with somebody who listens, where quick answers may be given in it."""
    if not is_usual(context.environ):
        return context
    return replace(context, listener=Listener(IMPLIED, context.now))


def hear(listener: Listener, context: Context, find: Callable[[], Finding]) -> Finding:
    """Return what *find* finds, with *listener* hearing all that is asked on the way."""
    with listener.listening():
        git = find_program("git", context.cwd, context.environ)
        if git is not None:
            os.stat(git)
        finding = find()
        listener.note_program()
    if isinstance(finding, Hit):
        _tell_terms(listener, finding, context)
    else:
        listener.spoil("it is no hit")
    return finding


def _tell_terms(listener: Listener, hit: Hit, context: Context) -> None:
    """Tell *listener* what else the answer depends on."""
    options, here = hit.question.plan.tool.options, hit.question.repository
    place = find_place(str(context.cwd))
    folders = (str(here.top), str(here.git_dir), str(here.common_dir))
    if place is None or (place.top, place.git_dir, place.common_dir) != folders:
        listener.spoil("git finds another place")
        return
    everything = ("*",) if options.env_mode == "loose" else ()
    terms = Terms(place, (*options.env, *options.pass_env, *everything))
    if options.max_age is not None:
        began = hit.entry.started_at
        terms = replace(terms, since=began, until=began + options.max_age)
    listener.found(terms)


def keep(context: Context, words: Sequence[str], tape: Tape, answer: Answer) -> None:
    """Remember how the call with *words* was answered, where that was overheard well.

    Args:
        context: the surroundings of the call.
        words: all of its words.
        tape: what was shown.
        answer: the hit.
    """
    if context.listener is not None:
        use, status = use_line(answer, context.now()), exit_status(answer.outcome)
        call = Shown(words, str(context.cwd), tape, status, use)
        context.listener.keep(call, context.environ)
