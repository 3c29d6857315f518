"""Discrete Fourier transforms, of any length, along any axis."""

from . import _freelane

__all__ = list(_freelane._fft.__all__)
globals().update({name: getattr(_freelane._fft, name) for name in __all__})
