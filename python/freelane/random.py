"""Random numbers by position: the same ones on any number of threads and any processor.

The functions are pure: seed, stream and position say what they return, and value i of an array is that of position + i. A
Generator holds the three and moves on; its methods have the names and arguments of NumPy's. Its numbers are not NumPy's.
"""

import _thread
import math
import os

from . import _freelane

_rows = _freelane._random
__all__ = ["Generator", "default_rng", *_rows.__all__]
globals().update({name: getattr(_rows, name) for name in _rows.__all__})

_POSITIONS = 2**64
_NUMBERS = (float, int)
_random, _uniform, _normal, _exponential = _rows.random, _rows.uniform, _rows.normal, _rows.exponential
_integers = _rows.integers


class Generator:
    """A place in the sequence of a seed, which moves on with each array that is drawn.

    A call that is refused may use positions up. Threads may use one generator: no two get the same positions, but which get which is a matter of chance. For numbers
    that do not depend on it give each thread a generator of its own, from spawn() or with another stream.
    """

    __slots__ = ("_seed", "_stream", "_position", "_lock")

    def __init__(self, seed=None, *, stream=0, position=0):
        """Starts at a position of a stream of a seed, which the operating system gives if you do not."""
        self._seed = int.from_bytes(os.urandom(8), "little") if seed is None else _number(seed, 2**64, "seed")
        self._stream = _number(stream, 2**32, "stream")
        self._position = _number(position, _POSITIONS, "position")
        self._lock = _thread.allocate_lock()

    @property
    def seed(self):
        """The seed: give it again for the same numbers."""
        return self._seed

    @property
    def stream(self):
        """Which of the 2**32 sequences of the seed."""
        return self._stream

    @property
    def position(self):
        """The position of the next value."""
        return self._position

    def at(self, position):
        """A generator of the same stream at another position."""
        return Generator(self._seed, stream=self._stream, position=position)

    def __repr__(self):
        return f"Generator({self._seed}, stream={self._stream}, position={self._position})"

    def __reduce__(self):
        return _restored, (self._seed, self._stream, self._position)

    def _take(self, n):
        if n < 0:
            raise ValueError(f"size must not be negative: {n}")
        with self._lock:
            position = self._position
            end = position + n
            if end >= _POSITIONS:
                raise ValueError(f"{n} values from position {position} go beyond the last one, 2**64 - 1")
            self._position = end
        return position

    def _draw(self, row, size, dtype=None, *args):
        """The values of a row; a Python number if no size is given."""
        if type(size) is int and dtype is None:
            return row(size, *args, seed=self._seed, stream=self._stream, position=self._take(size))
        shape, n = _shape(size)
        options = {} if dtype is None else {"dtype": dtype}
        drawn = row(shape, *args, seed=self._seed, stream=self._stream, position=self._take(n), **options)
        return drawn.item() if size is None else drawn

    def random(self, size=None, dtype=None):
        """Uniform values in [0, 1)."""
        return self._draw(_random, size, dtype)

    def uniform(self, low=0.0, high=1.0, size=None, dtype=None):
        """Uniform values from low up to high; arrays of bounds broadcast."""
        if isinstance(low, _NUMBERS) and isinstance(high, _NUMBERS):
            return self._draw(_uniform, size, dtype, low, high)
        low, high = _as_floats(low, dtype), _as_floats(high, dtype)
        return low + (high - low) * self.random(_broadcast(size, low, high), dtype)

    def normal(self, loc=0.0, scale=1.0, size=None, dtype=None):
        """Normal values of mean loc and standard deviation scale; arrays of either broadcast."""
        if isinstance(loc, _NUMBERS) and isinstance(scale, _NUMBERS):
            return self._draw(_normal, size, dtype, loc, scale)
        loc, scale = _as_floats(loc, dtype), _not_negative(scale, dtype)
        return loc + scale * self.standard_normal(_broadcast(size, loc, scale), dtype)

    def standard_normal(self, size=None, dtype=None):
        """Normal values of mean 0 and standard deviation 1."""
        return self._draw(_normal, size, dtype)

    def exponential(self, scale=1.0, size=None, dtype=None):
        """Exponential values of mean scale, an array of which broadcasts."""
        if isinstance(scale, _NUMBERS):
            return self._draw(_exponential, size, dtype, scale)
        scale = _not_negative(scale, dtype)
        return scale * self.standard_exponential(_broadcast(size, scale), dtype)

    def standard_exponential(self, size=None, dtype=None):
        """Exponential values of mean 1."""
        return self._draw(_exponential, size, dtype)

    def integers(self, low, high=None, size=None, dtype=None, endpoint=False):
        """Whole numbers from low up to, not including, high; from 0 up to low if that is all; up to high with endpoint."""
        if high is None:
            low, high = 0, low
        return self._draw(_integers, size, dtype, low, high + 1 if endpoint else high)

    def poisson(self, lam=1.0, size=None):
        """Numbers of events of which lam are expected."""
        return self._draw(_rows.poisson, size, None, lam)

    def binomial(self, n, p, size=None):
        """Numbers of successes of n trials, each with probability p."""
        return self._draw(_rows.binomial, size, None, n, p)

    def bytes(self, length):
        """Random bytes."""
        n = _number(length, 2**62, "length")
        words = self._draw(_rows.bits, (n + 7) // 8)
        return memoryview(words).cast("B")[:n].tobytes()

    def permutation(self, x, axis=0):
        """The numbers below x, or the parts of an array along an axis, in an order of which each is as likely."""
        return self._ordered(_rows.permutation, x, axis)

    def shuffle(self, x, axis=0):
        """The parts of an array along an axis in another order, as a new array: unlike NumPy's, this does not change x."""
        if isinstance(x, int):
            raise TypeError("shuffle takes an array; permutation takes a number too")
        return self._ordered(_rows.permutation, x, axis)

    def _ordered(self, row, x, axis):
        x, n = _choices(x, axis)
        return row(x, axis=axis, seed=self._seed, stream=self._stream, position=self._take(n))

    def choice(self, a, size=None, replace=True, p=None, axis=0):
        """Numbers below a, or parts of an array along an axis, each as likely as p says; all different without replace."""
        a, n = _choices(a, axis)
        shape, count = _shape(size)
        position = self._take(count if replace else n)
        options = {"replace": replace, "p": p, "axis": axis, "seed": self._seed, "stream": self._stream}
        chosen = _rows.choice(a, shape, position=position, **options)
        return chosen.item() if size is None and chosen.ndim == 0 else chosen

    def spawn(self, n_children):
        """Generators with seeds of their own, which have nothing to do with each other, nor with this one's numbers."""
        n = _number(n_children, 2**32, "n_children")
        seeds = _rows.child_seeds(n, seed=self._seed, stream=self._stream, position=self._take(n))
        return [Generator(seed) for seed in seeds.tolist()]


def default_rng(seed=None):
    """A generator of a seed, or the generator itself if one is given."""
    return seed if isinstance(seed, Generator) else Generator(seed)


def _restored(seed, stream, position):
    return Generator(seed, stream=stream, position=position)


def _number(value, end, name):
    number = value.__index__() if hasattr(value, "__index__") else None
    if number is None:
        raise TypeError(f"{name} must be a whole number, not {type(value).__name__}")
    if not 0 <= number < end:
        raise ValueError(f"{name} must be from 0 to {end - 1}, not {number}")
    return number


def _shape(size):
    """The shape that a size stands for, and its elements."""
    if size is None:
        return (), 1
    lengths = (size,) if hasattr(size, "__index__") else size
    if isinstance(size, str) or not hasattr(lengths, "__iter__"):
        raise TypeError(f"size must be a whole number or a tuple of them, not {type(size).__name__}")
    lengths = tuple(lengths)
    if not all(hasattr(n, "__index__") for n in lengths):
        raise TypeError(f"size must be a whole number or a tuple of them, not {size!r}")
    shape = tuple(n.__index__() for n in lengths)
    if any(n < 0 for n in shape):
        raise ValueError(f"size must not be negative: {size}")
    return shape, math.prod(shape)


def _as_floats(x, dtype):
    return _freelane.asarray(x, dtype="float64" if dtype is None else dtype)


def _broadcast(size, *arrays):
    """The shape of values with these parameters, which the size must hold."""
    shape = _freelane.broadcast_arrays(*arrays)[0].shape
    if size is None:
        return shape
    size, _ = _shape(size)
    if _freelane.broadcast_shapes(size, shape) != size:
        raise ValueError(f"size {size} does not hold the values of parameters of shape {shape}")
    return size


def _not_negative(scale, dtype):
    scale = _as_floats(scale, dtype)
    if _freelane.any(scale < 0).item():
        raise ValueError("scale must be 0 or more")
    return scale


def _choices(x, axis):
    """What is chosen from, and how many there are."""
    if hasattr(x, "__index__") and not getattr(x, "shape", ()):
        n = x.__index__()
        if n < 0:
            raise ValueError(f"a number of choices must be 0 or more, not {n}")
        return n, n
    x = _freelane.asarray(x)
    if x.ndim == 0:
        raise ValueError(f"there is nothing to choose from in {x.item()}; give a whole number or an array with axes")
    if not -x.ndim <= axis < x.ndim:
        raise IndexError(f"axis {axis} is out of range for an array of {x.ndim} axes")
    return x, x.shape[axis]
