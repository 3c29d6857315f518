"""Exceptions under their names in ``onnxruntime.capi.onnxruntime_pybind11_state``.

Those that are raised here are also what :class:`freelane.Session` raises in their place, so that ``except ValueError`` holds for
:class:`InvalidArgument`. The others exist for programs that name them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ... import CancelledError


class Fail(Exception):
    """Anything that goes wrong with a model. Here it is the base of the others, and what a terminated run raises."""


class NoSuchFile(Fail, FileNotFoundError):
    """There is no such file."""


class InvalidGraph(Fail, ValueError):
    """The bytes are no model, or one that contradicts itself."""


#: Bytes that are no message are told apart by the text alone.
InvalidProtobuf = InvalidGraph


class NotImplemented(Fail, NotImplementedError):
    """The model has an operator or a type that is not supported."""


class InvalidArgument(Fail, ValueError):
    """An input or output that the model has not, or values that an operator does not take."""


class RuntimeException(Fail, RuntimeError):
    """A run failed."""


class EngineError(Fail):
    """Never raised."""


class EPFail(Fail):
    """Never raised."""


class ModelLoadCanceled(Fail):
    """Never raised."""


class ModelLoaded(Fail):
    """Never raised."""


class ModelRequiresCompilation(Fail):
    """Never raised."""


class NoModel(Fail):
    """Never raised."""


class NotFound(Fail):
    """Never raised."""


def of_loading(error: Exception) -> Exception:
    """What loading a model raises for an error."""
    return _named(error, ((FileNotFoundError, NoSuchFile), (NotImplementedError, NotImplemented), (ValueError, InvalidGraph)))


def of_running(error: Exception) -> Exception:
    """What a run raises for an error."""
    wrong = (ValueError, IndexError, TypeError)
    kinds = ((NotImplementedError, NotImplemented), (wrong, InvalidArgument), (CancelledError, Fail), (RuntimeError, RuntimeException))
    return _named(error, kinds)


def _named(error: Exception, kinds: Iterable[tuple[Any, type[Fail]]]) -> Exception:
    for kind, name in kinds:
        if isinstance(error, kind):
            return name(str(error))
    return error
