"""The examples of the documentation run: those of docstrings, and the blocks of the guide and the README."""

import doctest
import importlib.util
import os
import re
from pathlib import Path

import pytest

import freelane

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"^```python(?: needs (?P<needs>[\w, ]+))?\n(?P<code>.*?)^```$", re.MULTILINE | re.DOTALL)
STDOUT = pytest.mark.alone("doctest replaces sys.stdout")


def documented():
    """Everything public that has a docstring, by name."""
    for name, thing in sorted(vars(freelane).items()):
        if not name.startswith("_"):
            yield name, thing
    for name, thing in sorted(vars(freelane.Array).items()):
        yield f"Array.{name}", thing


def examples():
    return {name: thing.__doc__ for name, thing in documented() if ">>>" in (getattr(thing, "__doc__", None) or "")}


def failures(name, text, names, line=0):
    """What doctest says about examples that fail."""
    test = doctest.DocTestParser().get_doctest(text, names, name, name, line)
    said = []
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    runner.run(test, out=said.append, clear_globs=False)
    names.update(test.globs)
    return "".join(said)


@STDOUT
@pytest.mark.parametrize("name", examples())
def test_docstring(name):
    said = failures(name, examples()[name], {"freelane": freelane, "fl": freelane})
    assert not said, said


@STDOUT
def test_a_wrong_example_is_found():
    assert "Expected" in failures("wrong", ">>> 1 + 1\n3\n", {})
    assert "ZeroDivisionError" in failures("wrong", ">>> 1 / 0\n", {})


@STDOUT
@pytest.mark.parametrize("path", ["docs/python.md", "README.md"])
def test_guide(path, tmp_path):
    """All blocks of a file in order, in one namespace; a block may name the modules that it needs."""
    text = (ROOT / path).read_text()
    blocks = list(BLOCK.finditer(text))
    assert blocks
    names, said, before = {}, [], Path.cwd()
    os.chdir(tmp_path)
    try:
        for block in blocks:
            needs = re.findall(r"\w+", block["needs"] or "")
            if any(importlib.util.find_spec(module) is None for module in needs):
                continue
            line = text.count("\n", 0, block.start("code"))
            said.append(failures(path, block["code"], names, line))
    finally:
        os.chdir(before)
    assert not any(said), "".join(said)
