"""What type checkers must make of the package, checked by them and run as it is."""

from typing import TYPE_CHECKING, Any

import freelane as fl

if TYPE_CHECKING:
    from typing_extensions import assert_type
else:

    def assert_type(value, kind, /):
        """Looks whether the value is of the kind that was promised."""
        kind = getattr(kind, "__origin__", kind)
        assert kind is Any or isinstance(value, kind if kind is not float else (float, int)), (value, kind)
        return value


x = assert_type(fl.asarray([[1.0, 2.0], [3.0, 4.0]], dtype=fl.float32), fl.Array)
assert_type(fl.arange(3), fl.Array)
assert_type(fl.zeros((2, 3), dtype="int8"), fl.Array)
assert_type(x.shape, tuple[int, ...])
assert_type(x.dtype, fl.dtype)
assert_type(x.ndim, int)
assert_type(x.T, fl.Array)

assert_type(x + 1, fl.Array)
assert_type(1 - x, fl.Array)
assert_type(x @ x, fl.Array)
assert_type([1.0, 2.0] - x, fl.Array)
assert_type(x == 1, fl.Array)
assert_type(x < x, fl.Array)
assert_type(-x, fl.Array)
assert_type(abs(x), fl.Array)
assert_type(divmod(x, 2), tuple[fl.Array, fl.Array])
x += 1
x **= 2

assert_type(x[0], fl.Array)
assert_type(x[..., ::-1, None], fl.Array)
assert_type(x[x > 1], fl.Array)
assert_type(x[[0, 1], fl.asarray([1, 0])], fl.Array)
x[0, 1] = 2
x[x > 3] = [0.0]
for row in x:
    assert_type(row, fl.Array)

assert_type(fl.sin(x), fl.Array)
assert_type(fl.add(x, 1, out=x), fl.Array)
assert_type(fl.sum(x, axis=(0, 1), keepdims=True), fl.Array)
assert_type(x.mean(axis=0), fl.Array)
assert_type(x.std(correction=1.0), fl.Array)
assert_type(fl.concat([x, x], axis=1), fl.Array)
assert_type(fl.where(x > 0, x, 0), fl.Array)
assert_type(fl.reshape(x, (4,)), fl.Array)
assert_type(x.reshape(2, -1), fl.Array)
assert_type(x.astype(fl.int64), fl.Array)

assert_type(float(x[0, 0]), float)
assert_type(len(x), int)
assert_type(bool(x[0, 0] > 0), bool)
assert_type(fl.result_type(fl.int8, x, 1.0), fl.dtype)
assert_type(fl.can_cast(fl.int8, fl.int16), bool)
assert_type(fl.finfo(fl.float32).eps, float)
assert_type(fl.iinfo(x.astype(int)).max, int)
assert_type(fl.isdtype(fl.float32, ("real floating", fl.int8)), bool)
assert_type(fl.float32.itemsize, int)
assert_type(fl.dtype("float64"), fl.dtype)

assert_type(fl.share(x), fl.Array)
assert_type(fl.stats(), dict[str, Any])
assert_type(fl.trim(), int)
with fl.parallel(2) as scope:
    assert_type(scope, fl.parallel)
