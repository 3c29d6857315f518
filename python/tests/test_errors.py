"""Errors: the kind that NumPy's users expect, with the facts in them, and nothing left behind."""

import os
import subprocess
import sys
import textwrap
import traceback

import pytest

import freelane as fl

np = pytest.importorskip("numpy")

from samples import bits  # noqa: E402

X = fl.share(fl.asarray([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]))
I = fl.share(fl.asarray([1, 2, 3], dtype="int32"))  # noqa: E741
# What is called, the error, and what its message must say.
ERRORS = [
    (lambda: X + fl.ones(2), ValueError, ["add", "(2, 3)", "(2,)", "broadcast"]),
    (lambda: fl.add(X, fl.ones((3, 2))), ValueError, ["add", "(2, 3)", "(3, 2)"]),
    (lambda: fl.add(X, 1, out=fl.zeros(3)), ValueError, ["add", "[2, 3]", "[3]", "shape"]),
    (lambda: fl.add(X, 1, out=fl.zeros((2, 3), dtype="int8")), TypeError, ["add", "float64", "int8", "astype"]),
    (lambda: X & 1, TypeError, ["bitwise_and", "float64", "int64", "bool, uint8"]),
    (lambda: -fl.asarray([True]), TypeError, ["negative", "bool"]),
    (lambda: fl.sum(X, axis=2), fl.AxisError, ["sum", "axis 2", "2 axes"]),
    (lambda: fl.max(fl.zeros((0, 3))), ValueError, ["max"]),
    (lambda: fl.argmin(fl.zeros(0)), ValueError, ["argmin"]),
    (lambda: X.reshape(4), ValueError, ["reshape", "(2, 3)", "6 elements", "(4,)"]),
    (lambda: fl.broadcast_to(X, (3, 2)), ValueError, ["broadcast_to", "(2, 3)", "(3, 2)"]),
    (lambda: X @ X, ValueError, ["matmul", "3 columns", "2 rows"]),
    (lambda: fl.concat([X, fl.ones((2, 2))]), ValueError, ["concat"]),
    (lambda: fl.stack([X, X], axis=4), fl.AxisError, ["stack", "axis 4"]),
    (lambda: fl.squeeze(X, 0), ValueError, ["squeeze", "axis 0", "length 2"]),
    (lambda: fl.permute_dims(X, (0, 0)), ValueError, ["permute_dims", "(0, 0)", "2 axes"]),
    (lambda: fl.expand_dims(X, 5), fl.AxisError, ["expand_dims", "axis 5"]),
    (lambda: fl.sum(X, axis=-9), fl.AxisError, ["sum", "axis -9"]),
    (lambda: fl.expand_dims(X, (0, 0)), ValueError, ["expand_dims", "twice"]),
    (lambda: X[2], IndexError, ["index 2", "axis 0", "length 2"]),
    (lambda: X[0, 0, 0], IndexError, ["3 indices", "2 axes"]),
    (lambda: X[[0, 7]], IndexError, ["index 7", "length 2"]),
    (lambda: fl.take(X, [9], axis=1), IndexError, ["take", "9", "axis 1", "3"]),
    (lambda: I + 2**31, OverflowError, ["add", str(2**31), "int32"]),
    (lambda: I**-1, ValueError, ["pow", "negative exponents", "astype"]),
    (lambda: fl.full(3, 300, dtype="uint8"), OverflowError, ["full", "300", "uint8"]),
    (lambda: fl.zeros(2**45), MemoryError, ["zeros", str(2**48), "bytes"]),
    (lambda: fl.empty((2**40, 2**40)), ValueError, ["empty", str(2**40), "memory can address"]),
    (lambda: fl.zeros((1,) * 65), ValueError, ["zeros", "65 axes", "64"]),
    (lambda: fl.arange(0, 1, 0), ValueError, ["arange", "step"]),
    (lambda: fl.asarray([[1, 2], [3]]), ValueError, ["ragged", "depth 1", "a list of 2", "a list of 1"]),
    (lambda: fl.asarray("a"), TypeError, ["str", "buffer protocol"]),
    (lambda: fl.asarray([1], copy=False), ValueError, ["list", "copy=False"]),
    (lambda: fl.zeros(3, dtype="f33"), TypeError, ["'f33'", "float32"]),
    (lambda: fl.zeros(3, device="gpu"), ValueError, ["gpu", "'cpu'"]),
    (lambda: bool(X), ValueError, ["6 elements", "any()", "all()"]),
    (lambda: fl.share(fl.ones(1)).__setitem__(0, 1), ValueError, ["freelane.share", "x = x.copy()"]),
    (lambda: fl.sin(X, axis=0), TypeError, ["sin()", "axis", "usage: sin(x, /, *, out=None)"]),
    (lambda: fl.sin(), TypeError, ["sin() needs x", "usage"]),
    (lambda: fl.parallel(0), ValueError, ["threads", "0"]),
    (lambda: fl.from_dlpack(3), TypeError, ["int"]),
]


@pytest.mark.parametrize("call, error, facts", ERRORS, ids=range(len(ERRORS)))
def test_kinds_and_facts(call, error, facts):
    with pytest.raises(error) as caught:
        call()
    assert caught.type is error
    message = str(caught.value)
    assert not [f for f in facts if f not in message], message
    assert "panick" not in message and "unwrap" not in message and len(message) < 400


def test_an_error_has_the_callers_traceback_and_no_context():
    def caller():
        return X + fl.ones(2)

    with pytest.raises(ValueError) as caught:
        caller()
    error = caught.value
    assert error.__cause__ is None and error.__context__ is None
    assert "caller" in [frame.name for frame in traceback.extract_tb(error.__traceback__)]


def test_an_error_inside_of_a_handler_keeps_its_context():
    try:
        try:
            raise KeyError("first")
        except KeyError:
            X["a"]
    except IndexError as error:
        assert isinstance(error.__context__, KeyError)


def test_failed_operations_change_nothing():
    x, out = fl.asarray([1.0, 2.0, 3.0]), fl.zeros(3)
    before = bits(x), bits(out)
    for call in (
        lambda: fl.add(x, [1.0, 2.0], out=out),
        lambda: fl.add(x, 1j, out=out),
        lambda: x.__iadd__([1.0, 2.0]),
        lambda: x.__setitem__([0, 9], 5.0),
        lambda: x.__setitem__(slice(0, 2), [1.0, 2.0, 3.0]),
        lambda: x.__setitem__([True, False], 1.0),
        lambda: fl.add(x, x, out=fl.share(fl.zeros(3))),
    ):
        with pytest.raises((ValueError, TypeError, IndexError)):
            call()
        assert (bits(x), bits(out)) == before


def test_many_errors():
    for i in range(3000):
        with pytest.raises(ValueError):
            X + fl.ones(2)
        with pytest.raises(IndexError):
            X[i + 2]
    assert (X + 1)[0, 0].item() == 2


@pytest.mark.alone("starts an interpreter with little memory")
def test_too_little_memory():
    """The program goes on, with what it had."""
    if sys.platform != "linux":
        pytest.skip("limits of memory are Linux's")
    program = """
        import resource, freelane as fl
        x = fl.ones(1000)
        resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))
        failed = 0
        for make in (
            lambda: fl.ones(1 << 29),
            lambda: fl.broadcast_to(x, (1 << 20, 1000)) + 1,
            lambda: fl.broadcast_to(x, (1 << 20, 1000)).copy(),
            lambda: fl.concat([fl.broadcast_to(x, (1 << 19, 1000))] * 2),
            lambda: fl.zeros(1 << 40),
            lambda: fl.arange(1 << 29),
            lambda: fl.broadcast_to(x, (1 << 20, 1000)).astype("complex128"),
            lambda: fl.broadcast_to(x, (1 << 20, 1000))[[0, 1] * (1 << 18)],
        ):
            for _ in range(3):
                try:
                    make()
                except MemoryError as error:
                    assert "bytes" in str(error), error
                    failed += 1
        print(failed, fl.sum(x).item(), fl.sum(fl.ones(1 << 20)).item())
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)],
        capture_output=True,
        text=True,
        timeout=120,
        env=dict(os.environ),
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "24 1000.0 1048576.0\n", "")


@pytest.mark.parametrize(
    "call",
    [
        lambda: fl.broadcast_to(fl.ones(1), (10**15,)).tolist(),
        lambda: fl.repeat(fl.ones(3), fl.broadcast_to(fl.asarray([1]), (10**15,))),
        lambda: fl.asarray(range(10**15)),
        lambda: fl.asarray([range(10**15)]),
        lambda: fl.unstack(fl.broadcast_to(fl.ones(1), (10**15,))),
    ],
    ids=["tolist", "repeat", "range", "nested range", "unstack"],
)
def test_more_elements_than_memory(call):
    with pytest.raises((MemoryError, ValueError)):
        call()


def test_a_folder_that_does_not_exist():
    with pytest.raises(FileNotFoundError) as caught:
        fl.save("/nonexistent/q.npy", fl.ones(2))
    assert caught.value.errno == 2 and ".part" not in str(caught.value)
