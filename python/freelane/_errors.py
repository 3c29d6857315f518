"""Exceptions of the package's own."""


class AxisError(ValueError, IndexError):
    """An axis that the array does not have. NumPy has one of the same name and kind."""

    __module__ = "freelane"


class LinAlgError(ValueError):
    """A matrix without a result: not square, or singular. NumPy has one of the same name and kind."""

    __module__ = "freelane.linalg"


class CancelledError(RuntimeError):
    """A run that another thread ended."""

    __module__ = "freelane"


class TraceError(TypeError):
    """Something that needs elements was asked of an array while freelane.jit traces its function."""

    __module__ = "freelane"
