"""``ident`` and encodings: the disk holds other characters than the tree."""

from __future__ import annotations

from tests.git.states.state import (
    BlindState,
    Refusal,
    State,
    writing,
)
from tests.support.repository import Repo


def identified(repo: Repo) -> BlindState:
    """``ident``: whatever stands in ``$Id$`` on the disk, the tree holds ``$Id$``."""
    repo.write(".gitattributes", "*.c ident\n")
    repo.write("id.c", "/* $Id$ */\n")
    repo.commit()
    repo.write("foreign.c", "/* $Id: foreign.c 42 2001-01-01 joe $ */\n")
    return BlindState(
        here=repo,
        edit=writing(repo, "id.c", "/* $Id$ */ edited\n"),
        overlooked=writing(repo, "id.c", f"/* $Id: {'0' * 40} $ */\n"),
    )


def identified_in_the_index(repo: Repo) -> State:
    """An expanded ``$Id: …$`` is in the index, and ``ident`` comes later."""
    repo.write("id.c", f"/* $Id: {'0' * 40} $ */\n")
    repo.commit()
    repo.write(".gitattributes", "*.c ident\n")
    repo.write("id.c", f"/* $Id: {'1' * 40} $ */ edited\n")
    return State(here=repo, edit=writing(repo, "id.c", "/* $Id$ */ again\n"), is_whole=False)


def encoded(repo: Repo) -> BlindState:
    """``working-tree-encoding=UTF-16``: the tree holds UTF-8, either byte order is the same."""
    repo.write(".gitattributes", "*.u16 text working-tree-encoding=UTF-16\n")
    repo.write("tracked.u16", "text\n".encode("utf-16"))
    repo.commit()
    repo.write("new.u16", "new\n".encode("utf-16"))
    return BlindState(
        here=repo,
        edit=writing(repo, "new.u16", "edited\n".encode("utf-16")),
        overlooked=writing(repo, "tracked.u16", b"\xfe\xff" + "text\n".encode("utf-16-be")),
    )


def encoded_edited_and_staged(repo: Repo) -> State:
    """A file in another encoding, staged and edited again."""
    repo.write(".gitattributes", "*.l1 text working-tree-encoding=ISO-8859-1\n")
    repo.write("tracked.l1", "caf\u00e9\n".encode("latin-1"))
    repo.git("add", "--all")
    repo.write("tracked.l1", "th\u00e9\n".encode("latin-1"))
    edit = writing(repo, "tracked.l1", "\u00e9\n".encode("latin-1"))
    return State(here=repo, edit=edit, is_whole=False)


def wrongly_encoded(repo: Repo) -> Refusal:
    """UTF-16 that must have no byte order mark but has one.

    ``git add`` refuses it; ``git hash-object`` only warns and takes the raw bytes, which is a
    guess.
    """
    repo.write(".gitattributes", "*.u16 text working-tree-encoding=UTF-16LE\n")
    repo.commit()
    path = repo.write("new.u16", "new\n".encode("utf-16"))
    return Refusal(here=repo, names="new.u16", cure=path.unlink)


def wrongly_encoded_and_tracked(repo: Repo) -> Refusal:
    """A tracked file whose edit is not what its encoding says: an odd number of bytes."""
    repo.write(".gitattributes", "*.u16 text working-tree-encoding=UTF-16\n")
    repo.write("tracked.u16", "text\n".encode("utf-16"))
    repo.commit()
    path = repo.write("tracked.u16", b"odd")
    return Refusal(here=repo, names="tracked.u16", cure=path.unlink)
