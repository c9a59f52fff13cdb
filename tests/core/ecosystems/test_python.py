"""Python: what counts as evidence of pytest, of mypy and of pyright."""

import pytest

from tests.support.folder import command, origin

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
]


@pytest.mark.parametrize(("name", "text"), EVIDENCE)
def test_evidence_of_pytest_makes_it_the_test(name: str, text: str) -> None:
    texts = {"requirements.txt": ""} | {name: text}
    assert command(texts, "test") == "pytest"
    assert origin(texts, "test") == name


@pytest.mark.parametrize(("name", "text"), NO_EVIDENCE)
def test_without_evidence_of_pytest_unittest_is_the_test(name: str, text: str) -> None:
    texts = {"requirements.txt": ""} | {name: text}
    assert command(texts, "test") == "python -m unittest"


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
