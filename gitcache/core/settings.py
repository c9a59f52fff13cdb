"""The settings: ``toolcache.toml``, or ``[tool.toolcache]`` in ``pyproject.toml``, as values.

Either the bytes are settings or one :class:`~gitcache.errors.SettingsError` says what is wrong and
where; nothing is skipped and nothing replaced by a default. How each value is read is said by
:mod:`gitcache.core.setting_values`. Reading the files, and whether what they name exists, belongs
elsewhere.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

from gitcache.core.setting_values import (
    CONVERTERS,
    NAMES,
    UnfitItemError,
    as_env_mode,
    as_table,
    as_tool_name,
    as_words,
    shown,
)
from gitcache.core.tool import Bytes, Command, Options, ShellText, ToolName, Words
from gitcache.core.units import format_bytes
from gitcache.errors import SettingsError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_Given = TypeVar("_Given")
_Read = TypeVar("_Read")

OWN_FILE = "toolcache.toml"
"""The file of our own, at the worktree's top."""

SHARED_FILE = "pyproject.toml"
"""The file that holds our table among those of other programs."""


@dataclass(frozen=True, slots=True)
class ToolSettings:
    """What the settings say of one tool."""

    name: ToolName

    command: Command | None
    """None: the detected command is used."""

    declared: Mapping[str, Any]
    """Field of :class:`Options` to its value, for those alone that were declared."""

    def over(self, options: Options) -> Options:
        """Return *options* with what was declared laid over them."""
        return replace(options, **self.declared)


@dataclass(frozen=True, slots=True)
class Settings:
    """What a repository says of its tools."""

    file: str
    """The file's name; empty where there is none."""

    tools: Mapping[ToolName, ToolSettings]
    """The declared tools in file order."""

    env_mode: str | None
    """The default of every tool, detected ones included (declared ones have it already); None:
    nothing was said."""

    @classmethod
    def none(cls) -> Settings:
        """Return the settings of a repository that has none."""
        return cls(file="", tools={}, env_mode=None)


def parse(toolcache_toml: bytes | None, pyproject_toml: bytes | None) -> Settings:
    """Return the settings that the two files hold.

    Args:
        toolcache_toml: the content of ``toolcache.toml``; None where it does not exist. A file
            that exists holds settings, even if it is empty.
        pyproject_toml: the content of ``pyproject.toml``; None where it does not exist. It holds
            settings where it has a table ``[tool.toolcache]``.

    Raises:
        SettingsError: a file can't be read as TOML, says something that settings can't say, or
            both hold settings.
    """
    own = None if toolcache_toml is None else _document(OWN_FILE, toolcache_toml)
    shared = None if pyproject_toml is None else _shared_table(pyproject_toml)
    if own is not None and shared is not None:
        raise SettingsError(
            f"{OWN_FILE} and [tool.toolcache] in {SHARED_FILE} both hold settings",
            hint="keep all of them in one of the two",
        )
    if own is not None:
        return _settings(_Place(OWN_FILE), own)
    if shared is not None:
        return _settings(_SHARED_PLACE, shared)
    return Settings.none()


@dataclass(frozen=True, slots=True)
class _Place:
    """A table of a file: what every message begins with."""

    file: str
    path: tuple[str, ...] = ()

    def below(self, name: str) -> _Place:
        return _Place(self.file, (*self.path, name))

    def error(self, text: str, hint: str = "") -> SettingsError:
        table = f"[{'.'.join(self.path)}] " if self.path else ""
        return SettingsError(f"{self.file}: {table}{text}", hint)

    def read(self, name: str, value: _Given, converter: Callable[[_Given], _Read]) -> _Read:
        """Return *value*, found under *name*, through its *converter*."""
        try:
            return converter(value)
        except UnfitItemError as error:
            raise self.error(f"{name}: takes {error}, not one with {error.item}") from error
        except ValueError as error:
            raise self.error(f"{name}: takes {error}, not {shown(value)}") from error

    def check_name(self, name: str, known: tuple[str, ...], hint: str = "") -> None:
        """Raise where *name* is none of the *known* ones."""
        if name in known:
            return
        import difflib  # only a mistake needs it

        close = difflib.get_close_matches(name[:64], known, n=1)
        advice = f'did you mean "{close[0]}"?' if close else f"it takes {', '.join(known)}"
        raise self.error(f"unknown name {shown(name)}; {advice}", "" if close else hint)


_SHARED_PLACE = _Place(SHARED_FILE, ("tool", "toolcache"))


def _document(file: str, content: bytes) -> dict[str, object]:
    import tomllib  # most repositories have no settings

    try:
        return tomllib.loads(content.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        before = content[: error.start].decode()
        raise SettingsError(f"{file}: is no valid UTF-8 ({_position(before)})") from error
    except tomllib.TOMLDecodeError as error:
        end = _position(content.decode().replace("\r\n", "\n"))
        text = str(error).replace("(at end of document)", f"({end})")
        raise SettingsError(f"{file}: is no valid TOML: {text}") from error
    except ValueError as error:  # int() refuses to read thousands of digits
        raise SettingsError(f"{file}: is no valid TOML: a number beyond 64 bits") from error
    except RecursionError as error:
        raise SettingsError(f"{file}: is no valid TOML: nested too deeply") from error


def _position(before: str) -> str:
    """Return the place that follows the text *before*, as :mod:`tomllib` words it."""
    return f"at line {before.count(chr(10)) + 1}, column {len(before) - before.rfind(chr(10))}"


def _shared_table(content: bytes) -> dict[str, object] | None:
    """Return ``[tool.toolcache]``, or None; a file that never says our name is not even parsed."""
    if b"toolcache" not in content:
        return None
    tool = _document(SHARED_FILE, content).get("tool")
    if not isinstance(tool, dict) or "toolcache" not in tool:
        return None
    return _Place(SHARED_FILE, ("tool",)).read("toolcache", tool["toolcache"], as_table)


def _settings(place: _Place, top: dict[str, object]) -> Settings:
    for name, value in top.items():
        hint = "a tool's table is written [tools.NAME]" if isinstance(value, dict) else ""
        place.check_name(name, ("env_mode", "tools"), hint)
    mode = place.read("env_mode", top["env_mode"], as_env_mode) if "env_mode" in top else None
    defaults = {} if mode is None else {"env_mode": mode}
    tables = place.read("tools", top.get("tools", {}), as_table)
    tools = [_tool(place.below("tools"), name, table, defaults) for name, table in tables.items()]
    return Settings(place.file, {tool.name: tool for tool in tools}, mode)


def _tool(place: _Place, name: str, value: object, defaults: Mapping[str, object]) -> ToolSettings:
    tool_name = place.read("name of a tool", name, as_tool_name)
    table = place.read(name, value, as_table)
    here = place.below(name)
    declared: dict[str, Any] = dict(defaults)
    for option, given in table.items():
        here.check_name(option, NAMES)
        declared[option] = here.read(option, given, CONVERTERS[option])
    _check_limits(here, declared)
    command = _command(here, declared.pop("command", None), shell=declared.pop("shell", False))
    return ToolSettings(tool_name, command, declared)


def _check_limits(place: _Place, declared: Mapping[str, Any]) -> None:
    """Raise where workers with that much heap each can't be within the memory."""
    memory = declared.get("memory")
    if not isinstance(memory, Bytes) or "heap" not in declared:
        return
    workers, heap = declared.get("workers", 1), declared["heap"]
    if workers * heap > memory.count:
        what = f"{workers} workers with {format_bytes(heap)} each are"
        what = what if "workers" in declared else f"{format_bytes(heap)} are"
        limit = format_bytes(memory.count)
        raise place.error(f"heap: takes what fits into the memory; {what} more than {limit}")


def _command(place: _Place, given: str | Words | None, *, shell: bool) -> Command | None:
    if isinstance(given, str):
        return ShellText(given) if shell else place.read("command", given, as_words)
    if shell:
        found = "without a command" if given is None else f"beside {shown([*given.argv])}"
        raise place.error(f"shell: takes true only where the command is one string, not {found}")
    return given
