"""Exceptions under their names in ``onnxruntime.capi.onnxruntime_pybind11_state``.

None is the base of another. Those that are raised here are also what :class:`freelane.Session` raises in their place, so that
``except ValueError`` holds for :class:`InvalidArgument`. The others exist for programs that name them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from ... import CancelledError


class Fail(Exception):
    """A terminated run."""


class NoSuchFile(FileNotFoundError):
    """There is no such file."""


class InvalidGraph(ValueError):
    """A model that contradicts itself."""


class InvalidProtobuf(ValueError):
    """The bytes are no model."""


class NotImplemented(NotImplementedError):
    """The model has an operator or a type that is not supported."""


class InvalidArgument(ValueError):
    """An input or output that the model has not, or values that an operator does not take."""


class RuntimeException(RuntimeError):
    """A run failed."""


class EngineError(Exception):
    """Never raised."""


class EPFail(Exception):
    """Never raised."""


class ModelLoadCanceled(Exception):
    """Never raised."""


class ModelLoaded(Exception):
    """Never raised."""


class ModelRequiresCompilation(Exception):
    """Never raised."""


class NoModel(Exception):
    """Never raised."""


class NotFound(Exception):
    """Never raised."""


def of_loading(error: Exception) -> Exception:
    """What loading a model raises for an error."""
    text = str(error)
    if isinstance(error, ValueError) and re.search(r" at byte \d+$", text):
        return InvalidProtobuf(text)
    if isinstance(error, OSError) and text.endswith("NUL byte"):
        return NoSuchFile(text)
    files = ((FileNotFoundError, NoSuchFile), (IsADirectoryError, InvalidProtobuf))
    return _named(error, (*files, (NotImplementedError, NotImplemented), (ValueError, InvalidGraph)))


def of_running(error: Exception) -> Exception:
    """What a run raises for an error."""
    wrong = (ValueError, IndexError, TypeError)
    kinds = ((NotImplementedError, NotImplemented), (wrong, InvalidArgument), (CancelledError, Fail), (RuntimeError, RuntimeException))
    return _named(error, kinds)


def _named(error: Exception, kinds: Iterable[tuple[Any, type[Exception]]]) -> Exception:
    for kind, name in kinds:
        if isinstance(error, kind):
            return name(str(error))
    return error
