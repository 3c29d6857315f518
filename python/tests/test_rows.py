"""What rows say of themselves, which the stub is written from."""

import inspect

import pytest

import freelane as fl

KINDS = {"Operand", "Operands", "Axes", "Shape", "Int", "Float", "Bool", "DType", "Str", "Text", "Any"}


@pytest.mark.alone("signatures are read by ast, which CPython 3.11 does not let threads do at once")
def test_rows_name_their_functions_and_parameters():
    rows = fl._freelane._rows()
    assert len(rows) == len({(space, name) for space, name, _, _ in rows}) > 90
    for space, name, params, results in rows:
        module = getattr(fl, space) if space else fl
        shown = inspect.signature(getattr(module, name)).parameters
        assert {kind.split("(")[0] for _, kind in params} <= KINDS, name
        assert results is None or len(results) == len(set(results)) and all(map(str.isidentifier, results)), name
        given = [p for p, _ in params]
        assert len(given) == len(set(given)), name
        # Functions written by hand in front of a row may take more, and their own order.
        assert set(given) <= set(shown) | {"copy"}, name


def test_the_list_is_new_each_time():
    rows = fl._freelane._rows()
    rows.clear()
    assert fl._freelane._rows()


def test_private_names_are_not_exported():
    assert "_rows" not in fl._freelane.__all__ and not hasattr(fl, "_rows")
