"""Arrays and functions whose threads share nothing on the hot path."""

from ._freelane import *  # noqa: F403
from . import fft, linalg, random
from ._freelane import __version__
from ._errors import AxisError, CancelledError, TraceError
from ._io import savez, savez_compressed
from ._jit import jit
from ._info import __array_namespace_info__, finfo, iinfo, isdtype

__array_api_version__ = "2025.12"

e = 2.718281828459045
pi = 3.141592653589793
inf = float("inf")
nan = float("nan")
newaxis = None


def __getattr__(name):
    from ._names import hint

    raise AttributeError(f"module 'freelane' has no attribute '{name}'{hint(name)}")
