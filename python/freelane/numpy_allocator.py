"""NumPy's own arrays from freelane's heaps.

NumPy asks the C library for the data of every array. Large temporaries then cost a system call and a page fault for
each page, each time. With this module they come from memory that the thread keeps and uses again:

>>> import numpy as np
>>> from freelane import numpy_allocator
>>> with numpy_allocator.using():
...     y = (np.ones(1_000_000) + 1) * 2
>>> float(y.sum())
4000000.0

Nothing else changes: every array frees its data the way it was made, whenever that happens and on whichever thread,
also long after :func:`uninstall`.

NumPy keeps its handler in the context (:mod:`contextvars`), so it holds for the thread or task that installs it and for
those started from there. Where the interpreter gives threads an empty context (before 3.14, and without ``-X
thread_inherit_context`` in builds with a global lock), :func:`install` changes ``threading.Thread.start`` so that a
thread started where the handler is installed has it too; :func:`uninstall` takes that back. Threads that run already,
workers of an executor among them, are not reached, nor are threads that do not start as a ``threading.Thread``.

Free memory is kept for reuse: 128 MiB a thread and 512 MiB in the process at most, in blocks of 64 KiB and more.
:func:`trim` gives it back, when a program has done its large work and goes on for long.
"""

from __future__ import annotations

import contextvars
import sys
import sysconfig
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from ._freelane import _numpy_allocator as _native

__all__ = ["install", "is_installed", "trim", "uninstall", "using"]

_DEFAULT = "default_allocator"
_FINDS_FASTER_WHAT_IS_SET = not sysconfig.get_config_var("Py_GIL_DISABLED")


class _Installation:
    """What :func:`install` has to take back."""

    def __init__(self, previous: Any, hooked: bool) -> None:
        self.previous = previous
        self.hooked = hooked


_installation: contextvars.ContextVar[_Installation | None] = contextvars.ContextVar("installation", default=None)
# Whether threads started from this context have the handler too, where that is our doing.
_hands_on: contextvars.ContextVar[bool] = contextvars.ContextVar("hands_on", default=False)


def install(*, threads: bool = True, replace: bool = False) -> None:
    """Has NumPy take the data of new arrays from freelane's heaps, in this context.

    With ``threads``, threads started from here on by a thread that has the handler have it too. Installing again does
    nothing.

    Raises ImportError if NumPy is missing or older than 1.22, and RuntimeError if another handler than NumPy's own is
    in place and ``replace`` is false.
    """
    if is_installed():
        return
    previous = _enter(replace)
    hooked = threads and _hook()
    _installation.set(_Installation(previous, hooked))
    _set_hands_on(hooked)


def uninstall() -> None:
    """Puts back the handler that :func:`install` found; nothing if there is nothing to take back.

    Raises RuntimeError if somebody has installed another handler since.
    """
    name, ours = _native.current()
    installation = _installation.get()
    if not ours:
        if installation is not None:
            raise RuntimeError(f"NumPy's memory handler is {name!r}, installed after freelane's: uninstall that first")
        return
    _native.swap(_default() if installation is None else installation.previous)
    _installation.set(None)
    _set_hands_on(False)
    if installation is not None and installation.hooked:
        installation.hooked = False
        _unhook()


@contextmanager
def using(*, threads: bool = True, replace: bool = False) -> Iterator[None]:
    """A block in which the handler is installed; afterwards the one before is back. Options as of :func:`install`."""
    previous = _enter(replace)
    hooked, handed_on = threads and _hook(), _hands_on.get()
    _set_hands_on(hooked)
    try:
        yield
    finally:
        _set_hands_on(handed_on)
        if hooked:
            _unhook()
        _native.swap(previous)


def is_installed() -> bool:
    """Whether NumPy's new arrays come from freelane's heaps in this context."""
    return _native.current()[1]


def trim() -> int:
    """Gives free memory that is kept for reuse back to the system; returns the bytes.

    That is what this thread and the process keep, and blocks of 64 KiB and more of all other threads.
    """
    return _native.trim()


def _enter(replace: bool) -> Any:
    """Sets the handler; returns the capsule of the one before."""
    name, ours = _native.current()
    if not (ours or replace or name == _DEFAULT):
        raise RuntimeError(f"NumPy's memory handler is {name!r}: take that back first, or pass replace=True")
    if _FINDS_FASTER_WHAT_IS_SET:
        _set_error_state()
    return _native.swap(_native.handler)


def _set_error_state() -> None:
    """Sets NumPy's error state to what it is.

    Every function of NumPy looks it up in the context, like the handler. An interpreter with a global lock remembers
    where it found a variable, but not that it is missing from a context with other variables in it: 15 ns a call."""
    import numpy

    numpy.seterr(**numpy.geterr())


def _default() -> Any:
    """NumPy's own handler, which an empty context has."""
    return contextvars.Context().run(_native.swap, _native.handler)


# Threads.


def _set_hands_on(value: bool) -> None:
    """A context is searched faster the fewer variables it has, so this one is set where it has to be."""
    if _hands_on.get() != value:
        _hands_on.set(value)


_lock = threading.Lock()
_hooks = 0
_unhooked: Callable[[threading.Thread], None] = threading.Thread.start
_hooked: Callable[[threading.Thread], None] | None = None


def _hook() -> bool:
    """Has threads take the handler from the thread that starts them; true if that has to be taken back."""
    global _hooks, _hooked, _unhooked
    if getattr(sys.flags, "thread_inherit_context", 0):
        return False
    with _lock:
        if _hooks == 0:
            _unhooked = threading.Thread.start
            _hooked = _handing_on(_unhooked)
            threading.Thread.start = _hooked  # type: ignore[assignment]
        _hooks += 1
    return True


def _unhook() -> None:
    """Takes :func:`_hook` back, unless somebody has changed ``threading.Thread.start`` once more."""
    global _hooks
    with _lock:
        _hooks -= 1
        if _hooks == 0 and threading.Thread.start is _hooked:
            threading.Thread.start = _unhooked  # type: ignore[assignment]


def _handing_on(start: Callable[[threading.Thread], None]) -> Callable[[threading.Thread], None]:
    def start_with_handler(self: threading.Thread) -> None:
        if _hands_on.get() and is_installed():
            _wrap_run(self)
        start(self)

    return start_with_handler


def _wrap_run(thread: threading.Thread) -> None:
    """Has the thread's ``run`` install the handler first."""
    own = thread.__dict__.get("run")
    run = thread.run

    def run_with_handler() -> None:
        if own is None:
            del thread.__dict__["run"]
        else:
            thread.run = own  # type: ignore[assignment]
        with using():
            run()

    thread.run = run_with_handler  # type: ignore[assignment]
