"""Linear algebra: decompositions, systems of equations, norms."""

from . import _freelane
from ._errors import LinAlgError

__all__ = ["LinAlgError", *_freelane._linalg.__all__]
globals().update({name: getattr(_freelane._linalg, name) for name in _freelane._linalg.__all__})
