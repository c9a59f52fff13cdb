"""Node projects: the scripts of package.json, and the linters and compilers around them.

Commands go through the package manager that the project uses, and only in forms that start what is
installed and download nothing: ``npx --no-install``
(https://docs.npmjs.com/cli/commands/npx), ``pnpm exec`` (https://pnpm.io/cli/exec), ``yarn run``
(https://yarnpkg.com/cli/run) and ``bunx --no-install`` (https://bun.com/docs/pm/bunx).
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from gitcache.core.ecosystems.documents import json_object, mapping
from gitcache.core.ecosystems.ecosystem import (
    AUDIT,
    BUILD,
    LINT,
    TEST,
    TYPECHECK,
    Ecosystem,
    Found,
    Missing,
    Project,
    first_match,
    found,
    marked_by,
    spelled,
)
from gitcache.core.ecosystems.programs import Program, choose
from gitcache.core.tool import ToolName

_MANIFEST = "package.json"


@dataclass(frozen=True, slots=True)
class _Manager:
    """A package manager's ways to start things, as words separated by spaces."""

    test: str
    """Starts the script ``test``."""

    run: str
    """Starts the script whose name follows."""

    execute: str
    """Starts the installed program whose name follows."""

    audit: str


_NPM = _Manager("npm test", "npm run", "npx --no-install", "npm audit")
_PNPM = _Manager("pnpm test", "pnpm run", "pnpm exec", "pnpm audit")
_YARN_CLASSIC = _Manager("yarn test", "yarn run", "yarn run", "yarn audit")
_YARN = _Manager("yarn test", "yarn run", "yarn run", "yarn npm audit")
_BUN = _Manager("bun run test", "bun run", "bunx --no-install", "bun audit")

_MANAGERS: Mapping[str, _Manager] = {
    "npm": _NPM,
    "pnpm": _PNPM,
    "yarn": _YARN_CLASSIC,
    "bun": _BUN,
}

_LOCKFILES: Mapping[str, str] = {
    "pnpm-lock.yaml": "pnpm",
    "yarn.lock": "yarn",
    "bun.lock": "bun",
    "bun.lockb": "bun",
    "package-lock.json": "npm",
    "npm-shrinkwrap.json": "npm",
}
"""Lockfile → package manager, in the order in which they are believed."""

_DECLARED = re.compile(r"(npm|pnpm|yarn|bun)(?:@(\d{0,9}).*)?", re.DOTALL)
"""The field ``packageManager``: https://nodejs.org/api/packages.html#packagemanager"""

_PLACEHOLDER = 'echo "Error: no test specified" && exit 1'
"""The script ``test`` that ``npm init`` writes: https://docs.npmjs.com/cli/commands/npm-init"""

_DEPENDENCIES = ("dependencies", "devDependencies", "optionalDependencies", "peerDependencies")

_ESLINT_FIELD = "eslintConfig"
"""A field of package.json that holds eslint's settings and so counts as the package eslint."""

_LINTERS = (
    Program("biome check .", ("biome.json", "biome.jsonc"), ("@biomejs/biome",)),
    Program("eslint .", ("eslint.config.*", ".eslintrc*"), ("eslint", _ESLINT_FIELD)),
    Program("oxlint", (".oxlintrc.json",), ("oxlint",)),
)


@dataclass(frozen=True, slots=True)
class _Package:
    """What package.json and the files beside it say."""

    scripts: frozenset[str]
    dependencies: frozenset[str]
    manager: _Manager


def _read(project: Project) -> _Package:
    fields = json_object(project.read(_MANIFEST))
    scripts = mapping(fields.get("scripts"))
    dependencies = {name for field in _DEPENDENCIES for name in mapping(fields.get(field))}
    return _Package(
        scripts=frozenset(name for name, script in scripts.items() if _is_script(name, script)),
        dependencies=frozenset(dependencies | ({_ESLINT_FIELD} & fields.keys())),
        manager=_manager(project, fields.get("packageManager")),
    )


def _is_script(name: str, script: object) -> bool:
    if not isinstance(script, str) or not script.strip():
        return False
    return (name, " ".join(script.split())) != (TEST, _PLACEHOLDER)


def _manager(project: Project, declared: object) -> _Manager:
    match = _DECLARED.fullmatch(declared.strip()) if isinstance(declared, str) else None
    lockfile = first_match(project, *_LOCKFILES)
    name = match[1] if match else _LOCKFILES[lockfile] if lockfile else "npm"
    modern = match is not None and int(match[2] or 1) >= 2
    if name == "yarn" and (modern or ".yarnrc.yml" in project.names):
        return _YARN
    return _MANAGERS[name]


def _define(project: Project, _marker: str, name: ToolName) -> Found | None:
    package = _read(project)
    script = spelled(name, package.scripts)
    if script is None:
        return None
    manager = package.manager
    return found(manager.test if script == TEST else f"{manager.run} {script}", _MANIFEST)


def _guess(project: Project, _marker: str, name: ToolName) -> Found | Missing:
    package = _read(project)
    guesses: Mapping[ToolName, Found | None] = {
        TEST: found("bun test", _MANIFEST) if package.manager is _BUN else None,
        LINT: _linter(project, package),
        TYPECHECK: _compiler(project, package),
        AUDIT: found(package.manager.audit, _MANIFEST),
    }
    return guesses.get(name) or Missing(_LACKS[name])


def _linter(project: Project, package: _Package) -> Found | None:
    program = choose(_LINTERS, project, _MANIFEST, package.dependencies)
    return program and Found((*package.manager.execute.split(), *program.argv), program.origin)


def _compiler(project: Project, package: _Package) -> Found | None:
    if "tsconfig.json" not in project.names:
        return None
    return found(f"{package.manager.execute} tsc --noEmit", "tsconfig.json")


_LACKS: Mapping[ToolName, str] = {
    TEST: "package.json has no test script",
    BUILD: "package.json has no build script",
    LINT: "package.json has no lint script and none of biome, eslint and oxlint is set up",
    TYPECHECK: "package.json has no typecheck script and there is no tsconfig.json",
}
"""Tool → the reason why a node project has none."""

NODE = Ecosystem(marked_by(_MANIFEST), _guess, _define)
