"""git toolcache: the result of a tool for exactly the content at hand.

The layers, each of which may import only those to its right::

    cli  ->  engine  ->  git | host | quick  ->  core

    core    values and rules: pure, no clock, no environment, no file, no process
    git     the only user of pygit2 and of the git executable
    host    processes and the machine
    quick   the answer that needs none of all this, since nothing has changed
    engine  the use cases, told in the words of the design
    cli     speaks to a person

``git`` and ``host`` never import each other, and ``cli`` imports neither. ``quick`` imports none of
them; what a hit needs as well, the others take from there. A call is put to ``quick`` first, and
most hits import nothing else.
"""

__version__ = "0.1.0"
