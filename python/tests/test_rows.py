"""What rows say of themselves, which the stub is written from."""

import inspect

import freelane as fl

KINDS = {"Operand", "Operands", "Axes", "Shape", "Int", "Float", "Bool", "DType"}


def test_rows_name_their_functions_and_parameters():
    rows = fl._freelane._rows()
    assert len(rows) == len({name for name, _ in rows}) > 90
    for name, params in rows:
        shown = inspect.signature(getattr(fl, name)).parameters
        assert {kind for _, kind in params} <= KINDS, name
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
