"""What calls itself without end is told, and the thread goes on."""

import pytest

import freelane as fl


def test_jitted_functions_that_call_themselves():
    def deep(n, x):
        return x if n == 0 else deep(n - 1, x) + 1

    def endless(x):
        return endless(x) + 1

    deep, endless = fl.jit(deep), fl.jit(endless)
    assert deep(100, fl.ones(2)).tolist() == [101.0, 101.0]
    with pytest.raises(RecursionError, match="256 deep"):
        endless(fl.ones(2))
    assert deep(100, fl.ones(2)).tolist() == [101.0, 101.0]


def test_objects_that_ask_for_themselves():
    class Itself:
        def __array__(self, dtype=None, copy=None):
            return fl.asarray(self)

    with pytest.raises(RecursionError):
        fl.asarray(Itself())
    assert fl.asarray([1]).tolist() == [1]
