"""The top folder of a project in memory, and what detection answers for it."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from gitcache.core.detect import NotApplicable, detect
from gitcache.core.tool import Tool, ToolName, Words


@dataclass(frozen=True)
class Folder:
    """Path of a file → its text."""

    texts: Mapping[str, str] = field(default_factory=dict)
    asked: list[tuple[str, int | None]] = field(default_factory=list)
    """What was read, and how many bytes of it at most."""

    @property
    def names(self) -> frozenset[str]:
        return frozenset(path.split("/", 1)[0] for path in self.texts)

    def names_in(self, folder: str) -> frozenset[str]:
        paths = (path.partition(f"{folder}/") for path in self.texts)
        return frozenset(rest.split("/", 1)[0] for before, _, rest in paths if rest and not before)

    def read(self, path: str, at_most: int | None = None) -> str | None:
        self.asked.append((path, at_most))
        text = self.texts.get(path)
        return None if text is None else text[:at_most]


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
