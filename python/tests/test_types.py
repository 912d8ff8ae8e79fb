"""The stubs beside the package, and the recipes of the documents beside the stubs, as type checkers see them."""

import importlib.util
import subprocess
import sys

import pytest

from conftest import ROOT, recipes


def checked(*words, cwd):
    done = subprocess.run([sys.executable, "-m", *words], cwd=cwd, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout[-4_000:] + done.stderr[-4_000:]


@pytest.fixture
def files(tmp_path):
    """The recipes as files, one each."""
    for language in ["", ".ja"]:
        for number, (_, body) in enumerate(recipes(language), 1):
            (tmp_path / f"recipe{number}{language.replace('.', '_')}.py").write_text(body, encoding="utf-8")
    return tmp_path


def needs(module):
    return pytest.mark.skipif(importlib.util.find_spec(module) is None, reason=f"there is no {module}")


@needs("mypy")
def test_the_stubs_say_what_there_is(tmp_path):
    checked("mypy.stubtest", "komainu", "--allowlist", str(ROOT / "python" / "tests" / "stubtest.txt"), cwd=tmp_path)


@needs("mypy")
@needs("pandas")
def test_mypy_takes_the_recipes(files):
    checked("mypy", "--strict", ".", cwd=files)


@needs("pyright")
@needs("pandas")
def test_pyright_takes_the_recipes(files):
    checked("pyright", "--pythonpath", sys.executable, ".", cwd=files)
