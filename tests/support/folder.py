"""The top folder of a project in memory, and what detection answers for it."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from gitcache.core.detect import NotApplicable, detect
from gitcache.core.tool import Tool, ToolName, Words


@dataclass(frozen=True)
class Folder:
    """Name of a file → its text."""

    texts: Mapping[str, str] = field(default_factory=dict)

    @property
    def names(self) -> frozenset[str]:
        return frozenset(self.texts)

    def read(self, name: str) -> str | None:
        return self.texts.get(name)


def command(texts: Mapping[str, str], name: str) -> str:
    """Return the words of the tool's command, or ``-`` where there is none."""
    match detect(Folder(texts), ToolName(name)):
        case Tool(command=Words(argv)):
            return " ".join(argv)
        case NotApplicable():
            return "-"
        case other:
            raise AssertionError(other)


def origin(texts: Mapping[str, str], name: str) -> str:
    """Return the file that the tool's command comes from."""
    tool = detect(Folder(texts), ToolName(name))
    assert isinstance(tool, Tool)
    return tool.origin


def reason(texts: Mapping[str, str], name: str) -> str:
    """Return why there is no such tool."""
    answer = detect(Folder(texts), ToolName(name))
    assert isinstance(answer, NotApplicable)
    return answer.reason


def package_json(scripts: Mapping[str, object] | None = None, /, **fields: object) -> str:
    """Return the text of a package.json."""
    return json.dumps({"scripts": scripts or {}, **fields})
