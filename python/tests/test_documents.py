import ast
import doctest
import importlib.util
import inspect
from pathlib import Path

import pytest

import komainu as k

from conftest import recipes


def objects():
    """Everything that the package offers with a docstring, by its name."""
    for name in k.__all__:
        thing = getattr(k, name)
        yield name, thing
        if inspect.isclass(thing):
            yield from ((f"{name}.{member}", value) for member, value in vars(thing).items() if not member.startswith("_"))


EXAMPLES = [(name, thing.__doc__) for name, thing in objects() if ">>>" in (getattr(thing, "__doc__", None) or "")]


@pytest.mark.parametrize("name, text", EXAMPLES)
def test_examples_of_docstrings_hold(name, text):
    names = {name: getattr(k, name) for name in k.__all__}
    test = doctest.DocTestParser().get_doctest(text, names, name, None, 0)
    assert doctest.DocTestRunner(optionflags=doctest.IGNORE_EXCEPTION_DETAIL).run(test).failed == 0


def test_classes_and_functions_say_what_they_are():
    assert len(EXAMPLES) >= 6
    bare = {"Move.is_drop", "Move.is_promotion", "Board.is_legal", "Board.copy"}
    for name, thing in objects():
        if callable(thing) and not inspect.isgetsetdescriptor(thing) and name not in bare:
            assert getattr(thing, "__doc__", None), name


def test_the_stubs_name_what_there_is():
    stubs = ast.parse((Path(k.__file__).parent / "__init__.pyi").read_text())
    public = lambda names: {name for name in names if not name.startswith("_")}
    known = {node.name: node for node in stubs.body if isinstance(node, (ast.ClassDef, ast.FunctionDef))}
    assert public(known) | {"BLACK", "WHITE", "STARTPOS"} == public(k.__all__)
    for name in public(known):
        node = known[name]
        if isinstance(node, ast.ClassDef) and not issubclass(getattr(k, name), BaseException):
            functions = (ast.FunctionDef, ast.AsyncFunctionDef)
            members = {member.name for member in node.body if isinstance(member, functions)}
            fields = public(member.target.id for member in node.body if isinstance(member, ast.AnnAssign))
            thing = getattr(k, name)
            assert public(members | fields) == public(vars(thing)) | fields, name
            assert not hasattr(thing, "__dataclass_fields__") or fields == public(thing.__dataclass_fields__), name
    assert (Path(k.__file__).parent / "py.typed").exists()


@pytest.mark.parametrize("language", ["", ".ja"])
def test_the_recipes_run(language, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    programs = list(recipes(language))
    assert len(programs) >= 15
    for title, program in programs:
        if "import pandas" not in program or importlib.util.find_spec("pandas"):
            exec(compile(program, title, "exec"), {"__name__": "recipe"})
