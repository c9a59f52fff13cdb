"""A small project with a console script, and virtual environments in which it is installed.

It builds itself, so that no build tool has to be there; pip does the rest as for any project.
"""

from __future__ import annotations

import subprocess
import sys
import sysconfig
from pathlib import Path

PROJECT = """\
[build-system]
requires = []
build-backend = "backend"
backend-path = ["."]
"""

BACKEND = """\
import os, zipfile
FILES = {
    "__editable__.greeter-1.0.pth": os.getcwd() + "/src\\n",
    "greeter-1.0.dist-info/METADATA": "Metadata-Version: 2.1\\nName: greeter\\nVersion: 1.0\\n",
    "greeter-1.0.dist-info/WHEEL": "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\n",
    "greeter-1.0.dist-info/entry_points.txt": "[console_scripts]\\ngreet = greeter:main\\n",
}
def build_editable(folder, settings=None, metadata=None):
    name = "greeter-1.0-py3-none-any.whl"
    record = "".join(f"{each},,\\n" for each in [*FILES, "greeter-1.0.dist-info/RECORD"])
    with zipfile.ZipFile(os.path.join(folder, name), "w") as wheel:
        for each, text in {**FILES, "greeter-1.0.dist-info/RECORD": record}.items():
            wheel.writestr(each, text)
    return name
build_wheel = build_editable
"""
MODULE = "def main():\n    print('hello')\n"


def write_project(folder: Path) -> None:
    """Write the project to *folder*."""
    (folder / "src" / "greeter").mkdir(parents=True)
    (folder / "src" / "greeter" / "__init__.py").write_text(MODULE)
    (folder / "pyproject.toml").write_text(PROJECT)
    (folder / "backend.py").write_text(BACKEND)


def make_environment(folder: Path) -> Path:
    """Make a virtual environment in *folder*, and return where its packages go.

    It sees the tests' own pip.
    """
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    site = next(folder.glob("lib/python*/site-packages"))
    (site / "installer.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return site


def install(folder: Path, project: Path) -> None:
    """Install *project* into the virtual environment *folder* so that its source is used."""
    subprocess.run(
        [
            *(str(folder / "bin" / "python"), "-m", "pip", "install", "--quiet", "--no-deps"),
            *("--no-index", "--no-build-isolation", "--disable-pip-version-check"),
            *("--editable", str(project)),
        ],
        check=True,
        capture_output=True,
    )
