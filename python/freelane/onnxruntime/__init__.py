"""The common surface of the ``onnxruntime`` package over :class:`freelane.Session`.

One import line changes::

    import freelane.onnxruntime as onnxruntime

Sessions may be shared by any number of threads, which do not slow each other down. There is one provider, the processor.
Outputs are NumPy arrays, as they are there; ``freelane.Session`` gives freelane's own.
"""

from .. import __version__ as _version
from . import capi
from ._options import ExecutionMode, ExecutionOrder, GraphOptimizationLevel, RunOptions, SessionOptions
from ._session import PROVIDER as _PROVIDER
from ._session import PROVIDERS as _PROVIDERS
from ._session import InferenceSession, ModelMetadata, NodeArg
from ._values import IOBinding, OrtAllocatorType, OrtDevice, OrtMemoryInfo, OrtMemType, OrtValue, copy_tensors
from .capi import onnxruntime_pybind11_state as _state  # noqa: F401

#: The version whose surface this is.
__version__ = "1.28.0"

__all__ = [
    "ExecutionMode",
    "ExecutionOrder",
    "GraphOptimizationLevel",
    "IOBinding",
    "InferenceSession",
    "ModelMetadata",
    "NodeArg",
    "OrtAllocatorType",
    "OrtDevice",
    "OrtMemType",
    "OrtMemoryInfo",
    "OrtValue",
    "RunOptions",
    "SessionIOBinding",
    "SessionOptions",
    "capi",
    "copy_tensors",
    "disable_telemetry_events",
    "enable_telemetry_events",
    "get_all_providers",
    "get_available_providers",
    "get_build_info",
    "get_device",
    "get_version_string",
    "set_default_logger_severity",
    "set_default_logger_verbosity",
    "set_seed",
]

SessionIOBinding = IOBinding


def get_available_providers() -> list[str]:
    """The providers that there are."""
    return [_PROVIDER]


def get_all_providers() -> list[str]:
    """The names of providers, with those that are not available."""
    return list(_PROVIDERS)


def get_device() -> str:
    """What models run on."""
    return "CPU"


def get_version_string() -> str:
    """The version whose surface this is."""
    return __version__


def get_build_info() -> str:
    """What stands behind this surface."""
    return f"freelane {_version}"


def set_default_logger_severity(severity: int) -> None:
    """Accepted: nothing is logged."""


def set_default_logger_verbosity(verbosity: int) -> None:
    """Accepted: nothing is logged."""


def set_seed(seed: int) -> None:
    """Accepted: operators that draw numbers have seeds of their own."""


def enable_telemetry_events() -> None:
    """Accepted: nothing is sent."""


def disable_telemetry_events() -> None:
    """Accepted: nothing is sent."""
