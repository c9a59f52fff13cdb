"""Python: what counts as evidence of pytest, of mypy and of pyright."""

import pytest

from gitcache.core.detect import detect
from gitcache.core.ecosystems.ecosystem import TEST
from tests.support.folder import Folder, command, origin

EVIDENCE = [
    ("pytest.ini", ""),
    (".pytest.ini", ""),
    ("conftest.py", ""),
    ("pyproject.toml", "[tool.pytest.ini_options]\n"),
    ("pyproject.toml", "[tool.pytest]\n"),
    ("pyproject.toml", '\ufeff[project]\r\ndependencies = ["pytest>=8"]\r\n'),
    ("pyproject.toml", '[project.optional-dependencies]\ndev = ["ruff", "pytest"]\n'),
    ("pyproject.toml", '[dependency-groups]\ndev = ["PyTest [x] ~= 8"]\n'),
    ("pyproject.toml", '[tool.poetry.group.dev.dependencies]\npytest = "^8"\n'),
    ("pyproject.toml", '[tool.uv]\ndev-dependencies = ["pytest-cov"]\n'),
    ("setup.cfg", "[tool:pytest]\n"),
    ("setup.cfg", "[options]\ntests_require =\n    flask\n    pytest>=3\n"),
    ("setup.cfg", "[options.extras_require]\ndev = pytest\n"),
    ("tox.ini", "[tox]\n[pytest]\n"),
    ("setup.py", 'setup(tests_require=["flask", "pytest >= 3"])\n'),
    ("setup.py", "setup(tests_require='pytest')\n"),
    ("Pipfile", '[dev-packages]\npytest = "*"\n'),
    ("requirements.txt", "flask\r\npytest==8.0\r\n"),
    ("requirements-dev.txt", "pytest\n"),
    ("test_a.py", "def test_a():\n    assert True\n"),
    ("a_test.py", "import os\n\n\nasync def test_a():\n    pass\n"),
    ("test_b.py", "import pytest\n"),
    ("requirements_test.txt", "  pytest ; python_version > '3'\n"),
    ("tests/conftest.py", ""),
    ("test/conftest.py", ""),
    ("tests/test_a.py", "def test_a():\n    assert True\n"),
    ("tests/a_test.py", "\ufeffimport pytest\r\n"),
    ("test/test_a.py", "import os\r\nfrom pytest import raises\r\n"),
    ("test/a_test.py", "async def test_a():\n    pass\n"),
]
NO_EVIDENCE = [
    ("README.md", "pytest"),
    ("pyproject.toml", '[project]\nkeywords = ["pytest"]\nname = "pytest"\n'),
    ("pyproject.toml", '[project]\ndependencies = ["flake8-pytest-style", "pytestx"]\n'),
    ("pyproject.toml", '# "pytest"\n'),
    ("pyproject.toml", '[project]\ndependencies = ["pytest"\n'),
    ("setup.cfg", "[metadata]\nkeywords = pytest\n"),
    ("setup.cfg", "pytest\n"),
    ("tox.ini", "[testenv]\ndescription = pytest\n"),
    ("setup.py", '# "pytest"\nsetup(description="pytest is not used")\n'),
    ("Pipfile", '[[source]]\nname = "pytest"\n'),
    ("requirements.txt", "# pytest\nflake8-pytest-style\npytest11\npytest.x\n"),
    ("dev.txt", "pytest\n"),
    ("test_a.py", "class T(unittest.TestCase):\n    def test_a(self): ...\n"),
    ("a.py", "def test_a(): ...\n"),
    ("test_a.py", "def test_suite(): ...\n\n\ndef test_main(): ...\n"),
    ("tests", "def test_a(): ...\n"),
    ("tests/a.py", "import pytest\n"),
    ("tests/test_a.py", "class T(unittest.TestCase):\n    def test_a(self): ...\n"),
    ("tests/test_a.txt", "def test_a(): ...\n"),
    ("tests/unit/test_a.py", "def test_a(): ...\n"),
    ("tests/unit/conftest.py", ""),
    ("testing/test_a.py", "def test_a(): ...\n"),
    ("testing/conftest.py", ""),
]
A_CASE = "import unittest\n\n\nclass T(unittest.TestCase):\n    def test_a(self): ...\n"


@pytest.mark.parametrize(("name", "text"), EVIDENCE)
def test_evidence_of_pytest_makes_it_the_test(name: str, text: str) -> None:
    texts = {"requirements.txt": ""} | {name: text}
    assert command(texts, "test") == "pytest"
    assert origin(texts, "test") == name


@pytest.mark.parametrize(("name", "text"), NO_EVIDENCE)
def test_without_evidence_of_pytest_unittest_is_the_test(name: str, text: str) -> None:
    texts = {"requirements.txt": ""} | {name: text}
    assert command(texts, "test") == "python -m unittest"


def test_project_that_shows_pytest_at_its_top_has_its_tests_left_unread() -> None:
    top = Folder({"requirements.txt": "pytest\n", "tests/test_a.py": "import pytest\n"})
    detect(top, TEST)
    assert [path for path, _ in top.asked] == ["requirements.txt"]


def test_tests_are_read_up_to_the_first_evidence() -> None:
    texts = {f"tests/test_{number}.py": A_CASE for number in range(4)}
    top = Folder({"setup.py": "", **texts, "tests/test_2.py": "import pytest\n"})
    detect(top, TEST)
    read = [path for path, _ in top.asked if path.startswith("tests/")]
    assert read == ["tests/test_0.py", "tests/test_1.py", "tests/test_2.py"]


def test_only_the_beginnings_of_a_few_tests_are_read() -> None:
    texts = {f"tests/test_{number:03}.py": A_CASE for number in range(500)}
    top = Folder({"setup.py": "", **texts})
    detect(top, TEST)
    assert top.asked[1:] == [(f"tests/test_{number:03}.py", 16384) for number in range(10)]
    late = "#" * 16384 + "\nimport pytest\n"
    assert command({"setup.py": "", "tests/test_a.py": late}, "test") == "python -m unittest"


def test_conftest_among_many_tests_is_seen() -> None:
    texts = {f"test_{number}.py": A_CASE for number in range(50)}
    assert origin({"setup.py": "", **texts, "test/conftest.py": ""}, "test") == "test/conftest.py"


def test_files_of_pytest_alone_are_no_python_project() -> None:
    assert command({"pytest.ini": "", "conftest.py": "", "Pipfile": ""}, "test") == "-"


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        ({}, "mypy ."),
        ({"pyrightconfig.json": ""}, "pyright"),
        ({"pyproject.toml": "[tool.pyright]\n"}, "pyright"),
        ({"pyproject.toml": "[tool.pyright]\n[tool.mypy]\n"}, "mypy ."),
        ({"pyrightconfig.json": "", "mypy.ini": ""}, "mypy ."),
        ({"pyrightconfig.json": "", ".mypy.ini": ""}, "mypy ."),
        ({"pyrightconfig.json": "", "setup.cfg": "[mypy]\n"}, "mypy ."),
        ({"pyrightconfig.json": "", "setup.cfg": "[mypy-x.*]\n"}, "pyright"),
    ],
)
def test_pyright_is_the_type_checker_where_it_alone_is_set_up(
    texts: dict[str, str], expected: str
) -> None:
    assert command({"setup.py": ""} | texts, "typecheck") == expected


def test_a_build_comes_from_the_file_it_needs() -> None:
    assert origin({"setup.cfg": "", "setup.py": "", "requirements.txt": ""}, "build") == "setup.py"
