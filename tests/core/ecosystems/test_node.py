"""Node: which package manager, which scripts, which linter."""

import pytest

from tests.support.folder import command, origin, package_json

NPM_INIT = 'echo "Error: no test specified" && exit 1'


@pytest.mark.parametrize(
    ("lockfile", "expected"),
    [
        ("pnpm-lock.yaml", "pnpm audit"),
        ("yarn.lock", "yarn audit"),
        ("bun.lock", "bun audit"),
        ("bun.lockb", "bun audit"),
        ("package-lock.json", "npm audit"),
        ("npm-shrinkwrap.json", "npm audit"),
        ("README.md", "npm audit"),
    ],
)
def test_the_lockfile_shows_the_package_manager(lockfile: str, expected: str) -> None:
    assert command({"package.json": "{}", lockfile: ""}, "audit") == expected


def test_of_several_lockfiles_the_rarer_managers_is_believed() -> None:
    texts = {"package.json": "{}", "package-lock.json": "", "bun.lock": "", "yarn.lock": ""}
    assert command(texts, "audit") == "yarn audit"
    assert command({**texts, "pnpm-lock.yaml": ""}, "audit") == "pnpm audit"


@pytest.mark.parametrize(
    ("declared", "expected"),
    [
        ("pnpm@8.6.0+sha256.abc", "pnpm audit"),
        ("bun@1.2.0", "bun audit"),
        ("npm@10.0.0", "npm audit"),
        ("npm", "npm audit"),
        ("yarn@1.22.22", "yarn audit"),
        ("yarn@2.0.0", "yarn npm audit"),
        ("yarn@4.1.0", "yarn npm audit"),
        ("yarn@10.0.0", "yarn npm audit"),
        ("yarn@stable", "yarn audit"),
        ("other@1.0.0", "yarn audit"),
        ("npmx@1.0.0", "yarn audit"),
        (["pnpm@8.6.0"], "yarn audit"),
    ],
)
def test_the_declared_package_manager_beats_the_lockfile(declared: object, expected: str) -> None:
    texts = {"package.json": package_json(packageManager=declared), "yarn.lock": ""}
    assert command(texts, "audit") == expected


def test_yarns_settings_file_shows_the_new_yarn() -> None:
    texts = {"package.json": "{}", "yarn.lock": "", ".yarnrc.yml": ""}
    assert command(texts, "audit") == "yarn npm audit"


@pytest.mark.parametrize("script", [NPM_INIT, f"  {NPM_INIT}\n", "", " ", None, ["x"], 1])
def test_a_test_script_that_says_nothing_is_no_definition(script: object) -> None:
    assert command({"package.json": package_json({"test": script})}, "test") == "-"


def test_a_test_script_that_ends_like_the_placeholder_is_a_definition() -> None:
    texts = {"package.json": package_json({"test": f"jest || {NPM_INIT}"})}
    assert command(texts, "test") == "npm test"


def test_the_placeholder_is_one_only_as_a_test_script() -> None:
    assert command({"package.json": package_json({"build": NPM_INIT})}, "build") == "npm run build"


def test_bun_tests_without_a_script() -> None:
    assert command({"package.json": package_json({"test": NPM_INIT}), "bun.lock": ""}, "test") == (
        "bun test"
    )


@pytest.mark.parametrize(
    ("scripts", "expected"),
    [
        ({"check-types": "x", "type-check": "x", "typecheck": "x"}, "npm run typecheck"),
        ({"check-types": "x", "type-check": "x"}, "npm run type-check"),
        ({"check-types": "x"}, "npm run check-types"),
    ],
)
def test_a_typecheck_script_has_three_spellings(scripts: dict[str, str], expected: str) -> None:
    assert command({"package.json": package_json(scripts)}, "typecheck") == expected


@pytest.mark.parametrize(
    ("declared", "expected"),
    [
        ("npm@10", "npx --no-install eslint ."),
        ("pnpm@9", "pnpm exec eslint ."),
        ("yarn@1", "yarn run eslint ."),
        ("yarn@4", "yarn run eslint ."),
        ("bun@1", "bunx --no-install eslint ."),
    ],
)
def test_an_installed_program_is_started_without_a_download(declared: str, expected: str) -> None:
    texts = {"package.json": package_json(packageManager=declared), "eslint.config.mjs": ""}
    assert command(texts, "lint") == expected


BIOME, ESLINT, OXLINT = "biome check .", "eslint .", "oxlint"


@pytest.mark.parametrize(
    ("names", "fields", "expected"),
    [
        (["biome.json", "eslint.config.js", ".oxlintrc.json"], {}, BIOME),
        (["eslint.config.js", ".oxlintrc.json"], {}, ESLINT),
        ([".oxlintrc.json"], {}, OXLINT),
        (["biome.jsonc"], {}, BIOME),
        ([".eslintrc"], {}, ESLINT),
        ([".eslintrc.cjs"], {}, ESLINT),
        ([], {"eslintConfig": {}}, ESLINT),
        ([], {"devDependencies": {"@biomejs/biome": "2"}}, BIOME),
        ([], {"dependencies": {"eslint": "9"}}, ESLINT),
        ([], {"devDependencies": {"oxlint": "1"}}, OXLINT),
        ([], {"devDependencies": {"eslint": "9", "@biomejs/biome": "2"}}, BIOME),
        ([".oxlintrc.json"], {"devDependencies": {"eslint": "9"}}, ESLINT),
    ],
)
def test_the_linter_is_biome_else_eslint_else_oxlint(
    names: list[str], fields: dict[str, object], expected: str
) -> None:
    texts = {"package.json": package_json(**fields)} | dict.fromkeys(names, "")
    assert command(texts, "lint") == f"npx --no-install {expected}"


def test_eslint_as_a_word_in_another_packages_name_is_no_linter() -> None:
    texts = {"package.json": package_json(devDependencies={"eslint-config-x": "1"})}
    assert command(texts, "lint") == "-"


def test_a_lint_script_beats_a_linter() -> None:
    texts = {"package.json": package_json({"lint": "x"}), "biome.json": ""}
    assert command(texts, "lint") == "npm run lint"


def test_a_guess_comes_from_the_file_that_shows_it() -> None:
    texts = {"package.json": "{}", "biome.json": "", "tsconfig.json": ""}
    assert origin(texts, "lint") == "biome.json"
    assert origin(texts, "typecheck") == "tsconfig.json"
    assert origin(texts, "audit") == "package.json"


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '"x"', '{"scripts": {"test": "x",}}'])
def test_a_package_json_that_is_no_object_defines_nothing(text: str) -> None:
    assert command({"package.json": text, "Makefile": "test:\n"}, "test") == "make test"


def test_a_byte_order_mark_and_windows_line_ends_change_nothing() -> None:
    text = '\ufeff{\r\n"scripts": {\r\n"test": "x"}\r\n}\r\n'
    assert command({"package.json": text}, "test") == "npm test"
