"""The quick answer: a hit that is proven, not computed.

A key is computed from answers: what the disk says of a path, what git says, what the caller's
variables are. Whoever computes one notes every question and its answer (:mod:`.listener`). The next
call asks the same questions again (:mod:`.answer`): where every answer is the same, so is the key,
and with it the entry, which is itself one of the answers. One other answer, or anything unusual,
and nothing has happened yet: the ordinary path answers, silently.

A process that gives a quick answer imports this package and the light half of ``core``, and nothing
that Python itself has not loaded already. So no module here but :mod:`.listener`, which belongs to
the ordinary path, imports ``re``, ``json``, ``typing``, ``dataclasses``, ``pathlib`` and the like;
what is needed for types alone is imported under ``TYPE_CHECKING``.
"""
