# Written by python/tests/stubs.py from the module: UPDATE_EXPECT=1 with python/tests/test_stubs.py writes it anew.
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple, SupportsIndex

from . import Array, _ArrayLike, _DTypeLike, _str
import builtins

_bool = builtins.bool

_Size = SupportsIndex | Sequence[SupportsIndex] | None
_Real = builtins.float | _ArrayLike

class Generator:
    """A place in the sequence of a seed, which moves on with each array that is drawn."""
    def __init__(
        self, seed: SupportsIndex | None = None, *, stream: SupportsIndex = 0, position: SupportsIndex = 0
    ) -> None: ...
    @property
    def seed(self) -> builtins.int: ...
    @property
    def stream(self) -> builtins.int: ...
    @property
    def position(self) -> builtins.int: ...
    def at(self, position: SupportsIndex) -> Generator: ...
    def random(self, size: _Size = None, dtype: _DTypeLike | None = None) -> Any: ...
    def uniform(
        self, low: _Real = 0.0, high: _Real = 1.0, size: _Size = None, dtype: _DTypeLike | None = None
    ) -> Any: ...
    def normal(
        self, loc: _Real = 0.0, scale: _Real = 1.0, size: _Size = None, dtype: _DTypeLike | None = None
    ) -> Any: ...
    def standard_normal(self, size: _Size = None, dtype: _DTypeLike | None = None) -> Any: ...
    def exponential(self, scale: _Real = 1.0, size: _Size = None, dtype: _DTypeLike | None = None) -> Any: ...
    def standard_exponential(self, size: _Size = None, dtype: _DTypeLike | None = None) -> Any: ...
    def integers(
        self,
        low: SupportsIndex,
        high: SupportsIndex | None = None,
        size: _Size = None,
        dtype: _DTypeLike | None = None,
        endpoint: _bool = False,
    ) -> Any: ...
    def poisson(self, lam: builtins.float = 1.0, size: _Size = None) -> Any: ...
    def binomial(self, n: SupportsIndex, p: builtins.float, size: _Size = None) -> Any: ...
    def bytes(self, length: SupportsIndex) -> builtins.bytes: ...
    def permutation(self, x: SupportsIndex | _ArrayLike, axis: builtins.int = 0) -> Array: ...
    def shuffle(self, x: _ArrayLike, axis: builtins.int = 0) -> Array: ...
    def choice(
        self,
        a: SupportsIndex | _ArrayLike,
        size: _Size = None,
        replace: _bool = True,
        p: _ArrayLike | None = None,
        axis: builtins.int = 0,
    ) -> Any: ...
    def spawn(self, n_children: SupportsIndex) -> list[Generator]: ...

def default_rng(seed: SupportsIndex | Generator | None = None) -> Generator: ...

def binomial(shape: SupportsIndex | Sequence[SupportsIndex], n: SupportsIndex, p: float, *, seed: SupportsIndex, stream: SupportsIndex = 0, position: SupportsIndex = 0) -> Array:
    """Numbers of successes, int64, of n trials, each with probability p."""

def bits(shape: SupportsIndex | Sequence[SupportsIndex], *, seed: SupportsIndex, stream: SupportsIndex = 0, position: SupportsIndex = 0, dtype: _DTypeLike | None = None, device: Literal["cpu"] | None = None) -> Array:
    """Random bits: whole numbers of an unsigned dtype, of uint64 unless one is given."""

def child_seeds(n: SupportsIndex, *, seed: SupportsIndex, stream: SupportsIndex = 0, position: SupportsIndex = 0) -> Array:
    """Seeds for generators that have nothing to do with each other, nor with the sequence they come from."""

def choice(x: _ArrayLike, /, shape: SupportsIndex | Sequence[SupportsIndex], *, replace: _bool = True, p: _ArrayLike | None = None, axis: SupportsIndex = 0, seed: SupportsIndex, stream: SupportsIndex = 0, position: SupportsIndex = 0) -> Array:
    """Numbers below x, or parts of an array along an axis: independent, or all different without replace.

    Each is as likely as p says, which need not add up to 1, or as all others.
    """

def exponential(shape: SupportsIndex | Sequence[SupportsIndex], scale: float = 1.0, *, seed: SupportsIndex, stream: SupportsIndex = 0, position: SupportsIndex = 0, dtype: _DTypeLike | None = None, device: Literal["cpu"] | None = None) -> Array:
    """Exponential values of mean scale, of float64 unless a dtype is given."""

def integers(shape: SupportsIndex | Sequence[SupportsIndex], low: SupportsIndex, high: SupportsIndex, *, seed: SupportsIndex, stream: SupportsIndex = 0, position: SupportsIndex = 0, dtype: _DTypeLike | None = None, device: Literal["cpu"] | None = None) -> Array:
    """Whole numbers from low up to, not including, high, all as likely, of int64 unless a dtype is given."""

def normal(shape: SupportsIndex | Sequence[SupportsIndex], loc: float = 0.0, scale: float = 1.0, *, seed: SupportsIndex, stream: SupportsIndex = 0, position: SupportsIndex = 0, dtype: _DTypeLike | None = None, device: Literal["cpu"] | None = None) -> Array:
    """Normal values of mean loc and standard deviation scale, of float64 unless a dtype is given."""

def permutation(x: _ArrayLike, /, *, axis: SupportsIndex = 0, seed: SupportsIndex, stream: SupportsIndex = 0, position: SupportsIndex = 0) -> Array:
    """The numbers below x, or the parts of an array along an axis, in an order of which each is as likely."""

def poisson(shape: SupportsIndex | Sequence[SupportsIndex], lam: float = 1.0, *, seed: SupportsIndex, stream: SupportsIndex = 0, position: SupportsIndex = 0) -> Array:
    """Numbers of events, int64, of which lam, at most 1e9, are expected."""

def random(shape: SupportsIndex | Sequence[SupportsIndex], *, seed: SupportsIndex, stream: SupportsIndex = 0, position: SupportsIndex = 0, dtype: _DTypeLike | None = None, device: Literal["cpu"] | None = None) -> Array:
    """Uniform values in [0, 1), of float64 unless a dtype is given."""

def uniform(shape: SupportsIndex | Sequence[SupportsIndex], low: float = 0.0, high: float = 1.0, *, seed: SupportsIndex, stream: SupportsIndex = 0, position: SupportsIndex = 0, dtype: _DTypeLike | None = None, device: Literal["cpu"] | None = None) -> Array:
    """Uniform values from low up to high, of float64 unless a dtype is given."""
