"""``git toolcache init``: a settings file that says what is found, and changes nothing else."""

from __future__ import annotations

import tomllib

import pytest

from tests.cli.conftest import Within
from tests.support.repository import Repo


@pytest.fixture
def project(repo: Repo) -> Repo:
    repo.write("package.json", '{"scripts": {"test": "node t.js", "lint": "eslint ."}}')
    repo.write("src/app.js", "process.env.DATABASE_URL\n")
    repo.commit()
    return repo


def test_tools_that_are_found_are_written_and_run_as_before(project: Repo, within: Within) -> None:
    done = within(project.path, "init")
    assert (done.status, done.stdout) == (0, b"")
    assert done.stderr == b"toolcache: wrote toolcache.toml: test, lint, audit\n"
    text = (project.path / "toolcache.toml").read_text()
    assert {name: table["command"] for name, table in tomllib.loads(text)["tools"].items()} == {
        "test": "npm test",
        "lint": "npm run lint",
        "audit": "npm audit",
    }
    assert 'command = "npm test"  # found in package.json\n' in text
    assert within(project.path, "explain", "--json", "test").json["argv"] == ["npm", "test"]


def test_variables_that_the_source_mentions_are_named(
    project: Repo, within: Within, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DATABASE_URL", "secret")
    done = within(project.path, "init", "--json")
    assert done.json["mentioned"] == {"DATABASE_URL": "src/app.js"}
    assert b"hint: src/app.js mentions DATABASE_URL, which is set and no tool gets\n" in done.stderr
    text = (project.path / "toolcache.toml").read_text()
    assert '# env = ["DATABASE_URL"]  # set here and not passed: DATABASE_URL in src/app.js' in text
    assert "secret" not in text
    uncommented = text.replace("# env", "env")
    assert tomllib.loads(uncommented)["tools"]["test"]["env"] == ["DATABASE_URL"]


@pytest.mark.parametrize(
    ("name", "text"), [("toolcache.toml", ""), ("pyproject.toml", "[tool.toolcache]\n")]
)
def test_settings_that_are_there_stay(project: Repo, within: Within, name: str, text: str) -> None:
    project.write(name, text)
    done = within(project.path, "init")
    assert done.status == 128
    assert done.stderr.startswith(b"fatal: %s holds settings already" % name.encode())
    assert (project.path / name).read_text() == text
    assert not (project.path / "toolcache.toml").exists() or name == "toolcache.toml"


def test_repository_without_a_tool_gets_a_file_that_says_so(repo: Repo, within: Within) -> None:
    done = within(repo.path / "sub", "init")
    assert done.stderr == b"toolcache: wrote toolcache.toml: no tool is found here\n"
    assert tomllib.loads((repo.path / "toolcache.toml").read_text()) == {}
