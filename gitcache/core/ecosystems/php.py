"""PHP projects: the scripts of composer.json, else the programs that composer put into vendor/bin.

Sources: https://getcomposer.org/doc/03-cli.md (``run-script``, ``audit``) and the programs' own
documentation. ``run-script`` is spelled out because ``composer audit`` is never the script.
"""

from collections.abc import Mapping

from gitcache.core.ecosystems.documents import json_object, mapping
from gitcache.core.ecosystems.ecosystem import (
    AUDIT,
    LINT,
    TEST,
    TYPECHECK,
    Ecosystem,
    Found,
    Missing,
    Project,
    found,
    marked_by,
    missing,
    spelled,
)
from gitcache.core.ecosystems.programs import Program, choose
from gitcache.core.tool import ToolName

_MANIFEST = "composer.json"

_PEST = Program("vendor/bin/pest", (), ("pestphp/pest",))
_PHPUNIT = Program(
    "vendor/bin/phpunit",
    ("phpunit.xml", "phpunit.xml.dist", "phpunit.dist.xml"),
    ("phpunit/phpunit",),
)
_PINT = Program("vendor/bin/pint --test", ("pint.json",), ("laravel/pint",))
_CS_FIXER = Program(
    "vendor/bin/php-cs-fixer fix --dry-run",
    (".php-cs-fixer.php", ".php-cs-fixer.dist.php"),
    ("friendsofphp/php-cs-fixer",),
)
_CODE_SNIFFER = Program(
    "vendor/bin/phpcs",
    (".phpcs.xml", "phpcs.xml", ".phpcs.xml.dist", "phpcs.xml.dist"),
    ("squizlabs/php_codesniffer",),
)
_PHPSTAN = Program(
    "vendor/bin/phpstan analyse",
    ("phpstan.neon", "phpstan.neon.dist", "phpstan.dist.neon"),
    ("phpstan/phpstan", "larastan/larastan"),
)
_PSALM = Program("vendor/bin/psalm", ("psalm.xml", "psalm.xml.dist"), ("vimeo/psalm",))

_PROGRAMS: Mapping[ToolName, tuple[Program, ...]] = {
    TEST: (_PEST, _PHPUNIT),
    LINT: (_PINT, _CS_FIXER, _CODE_SNIFFER),
    TYPECHECK: (_PHPSTAN, _PSALM),
}

_LACKS: Mapping[ToolName, str] = {
    TEST: "composer.json has no test script and neither pest nor phpunit is set up",
    LINT: "composer.json has no lint script and none of pint, php-cs-fixer and phpcs is set up",
    TYPECHECK: "composer.json has no typecheck script and neither phpstan nor psalm is set up",
}
"""Tool → the reason why a project has none."""


def _define(project: Project, marker: str, name: ToolName) -> Found | None:
    scripts = mapping(json_object(project.read(marker)).get("scripts"))
    script = spelled(name, {script for script, command in scripts.items() if command})
    return found(f"composer run-script {script}", marker) if script else None


def _guess(project: Project, marker: str, name: ToolName) -> Found | Missing:
    if name == AUDIT:
        return found("composer audit", marker)
    fields = json_object(project.read(marker))
    dependencies = {*mapping(fields.get("require")), *mapping(fields.get("require-dev"))}
    program = choose(_PROGRAMS.get(name, ()), project, marker, dependencies)
    return program or (Missing(_LACKS[name]) if name in _LACKS else missing(marker, name))


PHP = Ecosystem(marked_by(_MANIFEST), _guess, _define)
