"""Stand-ins of version managers: that what they decide by counts."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitcache.host.installed import Place
from gitcache.host.version_managers import chosen_versions


@pytest.fixture
def place(tmp_path: Path) -> Place:
    (tmp_path / "above" / "wt" / "sub").mkdir(parents=True)
    worktree = tmp_path / "above" / "wt"
    return Place(worktree, worktree / "sub", {"HOME": str(tmp_path / "home")}, (), None)


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def test_program_of_no_manager_brings_nothing(place: Place) -> None:
    assert chosen_versions(place, [Path("/usr/bin/python3")]) == {}


@pytest.mark.parametrize(
    ("manager", "stand_in", "files"),
    [
        (
            "rustup",
            "home/.cargo/bin/cargo",
            [
                "home/.rustup/settings.toml",
                "home/.rustup/update-hashes/stable-x",
                "home/.rustup/toolchains/own/bin/rustc",
                "above/rust-toolchain.toml",
                "above/wt/sub/rust-toolchain",
            ],
        ),
        (
            "asdf",
            "home/.asdf/shims/node",
            ["home/.tool-versions", "above/wt/.tool-versions", "home/.asdf/installs/node/20/x"],
        ),
        (
            "mise",
            "home/.local/share/mise/shims/node",
            ["home/.config/mise/config.toml", "above/wt/sub/mise.toml"],
        ),
        ("volta", "home/.volta/bin/npm", ["home/.volta/tools/user/platform.json"]),
        ("pyenv", "home/.pyenv/shims/ruff", ["home/.pyenv/version", "above/.python-version"]),
        ("rbenv", "home/.rbenv/shims/ruby", ["home/.rbenv/version", "above/wt/.ruby-version"]),
    ],
)
def test_each_file_that_a_manager_decides_by_counts(
    place: Place, tmp_path: Path, manager: str, stand_in: str, files: list[str]
) -> None:
    seen = [chosen_versions(place, [tmp_path / stand_in])]
    for file in files:
        write(tmp_path / file, "one")
        seen.append(chosen_versions(place, [tmp_path / stand_in]))
    assert all(set(each) == {f"versions:{manager}"} for each in seen)
    assert len({each[f"versions:{manager}"] for each in seen}) == len(files) + 1


def test_content_of_a_file_and_target_of_a_link_count(place: Place, tmp_path: Path) -> None:
    stand_in = [tmp_path / "home/.cargo/bin/cargo"]
    write(tmp_path / "home/.rustup/settings.toml", "stable")
    seen = [chosen_versions(place, stand_in)]
    write(tmp_path / "home/.rustup/settings.toml", "nightly")
    seen.append(chosen_versions(place, stand_in))
    link = tmp_path / "home/.rustup/toolchains/own"
    link.parent.mkdir()
    for target in ("/one", "/two"):
        link.unlink(missing_ok=True)
        link.symlink_to(target)
        seen.append(chosen_versions(place, stand_in))
    assert len({each["versions:rustup"] for each in seen}) == 4


def test_folder_of_a_manager_is_where_its_variable_says(tmp_path: Path) -> None:
    environ = {"CARGO_HOME": f"{tmp_path}/c", "RUSTUP_HOME": f"{tmp_path}/r"}
    place = Place(tmp_path, tmp_path, environ, (), None)
    before = chosen_versions(place, [tmp_path / "c/bin/rustc"])
    write(tmp_path / "r/settings.toml", "x")
    assert chosen_versions(place, [tmp_path / "c/bin/rustc"]) != before
