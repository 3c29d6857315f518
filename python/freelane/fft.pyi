# Written by python/tests/stubs.py from the module: UPDATE_EXPECT=1 with python/tests/test_stubs.py writes it anew.
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple, SupportsIndex

from . import Array, _ArrayLike, _DTypeLike, _str
import builtins

_bool = builtins.bool

def fft(x: _ArrayLike, /, n: SupportsIndex | None = None, axis: SupportsIndex = -1, norm: Literal['backward', 'ortho', 'forward'] = 'backward') -> Array:
    """The discrete Fourier transform along an axis, over its first n elements or over all and zeros up to n."""

def fft2(x: _ArrayLike, /, s: SupportsIndex | Sequence[SupportsIndex] | None = None, axes: SupportsIndex | Sequence[SupportsIndex] | None = None, norm: Literal['backward', 'ortho', 'forward'] = 'backward') -> Array:
    """The discrete Fourier transform over two axes, the last two unless others are given."""

def fftfreq(n: SupportsIndex, d: float = 1.0, *, dtype: _DTypeLike | None = None, device: Literal["cpu"] | None = None) -> Array:
    """The frequencies of the elements of a transform over n samples that are d apart."""

def fftn(x: _ArrayLike, /, s: SupportsIndex | Sequence[SupportsIndex] | None = None, axes: SupportsIndex | Sequence[SupportsIndex] | None = None, norm: Literal['backward', 'ortho', 'forward'] = 'backward') -> Array:
    """The discrete Fourier transform over several axes, or all, of lengths s."""

def fftshift(x: _ArrayLike, /, axes: SupportsIndex | Sequence[SupportsIndex] | None = None) -> Array:
    """The spectrum with the zero frequency in the middle of the given axes, or of all."""

def hfft(x: _ArrayLike, /, n: SupportsIndex | None = None, axis: SupportsIndex = -1, norm: Literal['backward', 'ortho', 'forward'] = 'backward') -> Array:
    """The transform, n real numbers, of numbers whose second half mirrors the first, of which n // 2 + 1 are given."""

def ifft(x: _ArrayLike, /, n: SupportsIndex | None = None, axis: SupportsIndex = -1, norm: Literal['backward', 'ortho', 'forward'] = 'backward') -> Array:
    """The inverse of fft."""

def ifft2(x: _ArrayLike, /, s: SupportsIndex | Sequence[SupportsIndex] | None = None, axes: SupportsIndex | Sequence[SupportsIndex] | None = None, norm: Literal['backward', 'ortho', 'forward'] = 'backward') -> Array:
    """The inverse of fft2."""

def ifftn(x: _ArrayLike, /, s: SupportsIndex | Sequence[SupportsIndex] | None = None, axes: SupportsIndex | Sequence[SupportsIndex] | None = None, norm: Literal['backward', 'ortho', 'forward'] = 'backward') -> Array:
    """The inverse of fftn."""

def ifftshift(x: _ArrayLike, /, axes: SupportsIndex | Sequence[SupportsIndex] | None = None) -> Array:
    """The inverse of fftshift."""

def ihfft(x: _ArrayLike, /, n: SupportsIndex | None = None, axis: SupportsIndex = -1, norm: Literal['backward', 'ortho', 'forward'] = 'backward') -> Array:
    """The inverse of hfft: the first half, n // 2 + 1 elements."""

def irfft(x: _ArrayLike, /, n: SupportsIndex | None = None, axis: SupportsIndex = -1, norm: Literal['backward', 'ortho', 'forward'] = 'backward') -> Array:
    """The inverse of rfft: n real numbers, 2 (m - 1) of them unless it is given, from m elements of the first half."""

def irfft2(x: _ArrayLike, /, s: SupportsIndex | Sequence[SupportsIndex] | None = None, axes: SupportsIndex | Sequence[SupportsIndex] | None = None, norm: Literal['backward', 'ortho', 'forward'] = 'backward') -> Array:
    """The inverse of rfft2; the last axis becomes 2 (m - 1) long unless its length is given."""

def irfftn(x: _ArrayLike, /, s: SupportsIndex | Sequence[SupportsIndex] | None = None, axes: SupportsIndex | Sequence[SupportsIndex] | None = None, norm: Literal['backward', 'ortho', 'forward'] = 'backward') -> Array:
    """The inverse of rfftn; the last axis becomes 2 (m - 1) long unless its length is given."""

def rfft(x: _ArrayLike, /, n: SupportsIndex | None = None, axis: SupportsIndex = -1, norm: Literal['backward', 'ortho', 'forward'] = 'backward') -> Array:
    """The first half, n // 2 + 1 elements, of the transform of real numbers."""

def rfft2(x: _ArrayLike, /, s: SupportsIndex | Sequence[SupportsIndex] | None = None, axes: SupportsIndex | Sequence[SupportsIndex] | None = None, norm: Literal['backward', 'ortho', 'forward'] = 'backward') -> Array:
    """The transform of real numbers over two axes; of the last one it has the first half."""

def rfftfreq(n: SupportsIndex, d: float = 1.0, *, dtype: _DTypeLike | None = None, device: Literal["cpu"] | None = None) -> Array:
    """The frequencies of the first half of a spectrum, as rfft gives it."""

def rfftn(x: _ArrayLike, /, s: SupportsIndex | Sequence[SupportsIndex] | None = None, axes: SupportsIndex | Sequence[SupportsIndex] | None = None, norm: Literal['backward', 'ortho', 'forward'] = 'backward') -> Array:
    """The transform of real numbers over several axes; of the last one it has the first half."""
