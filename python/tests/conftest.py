"""What several tests share."""

import re
import shutil
import sys
from pathlib import Path

import pytest

import komainu

# A job in the background of a shell has Ctrl-C ignored, and so have the programs that it starts.
HEED_CTRL_C = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"

ROOT = Path(__file__).resolve().parents[2]


def recipes(language):
    """Titles and programs of the recipes of the document in a language, "" or ".ja"."""
    text = (ROOT / "docs" / f"python{language}.md").read_text(encoding="utf-8")
    for title, body in re.findall(r"^### (\d+\. [^\n]*)\n(.*?)(?=^### |^## |\Z)", text, re.M | re.S):
        blocks = re.findall(r"^```python\n(.*?)^```", body, re.M | re.S)
        assert blocks, title
        yield title, "\n".join(blocks)


@pytest.fixture(scope="session")
def engine():
    return komainu.Engine(hash_mb=8)


@pytest.fixture(scope="session")
def data():
    return ROOT / "tests" / "data"


@pytest.fixture
def program():
    """The command of the engine in this package."""
    return [sys.executable, "-m", "komainu"]


@pytest.fixture
def script(tmp_path):
    """Makes a program of a few lines of Python; returns its command."""

    def make(body):
        path = tmp_path / "engine.py"
        path.write_text(body)
        return [sys.executable, "-u", str(path)]

    return make


def pytest_report_header():
    return f"komainu {komainu.__version__} from {Path(komainu.__file__).parent}, command {shutil.which('komainu')}"
