"""Options of sessions and runs."""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum
from operator import index
from typing import Any

from .. import Cancel


class GraphOptimizationLevel(IntEnum):
    """How far a graph is changed before it runs: not at all, or as far as possible."""

    ORT_DISABLE_ALL = 0
    ORT_ENABLE_BASIC = 1
    ORT_ENABLE_EXTENDED = 2
    ORT_ENABLE_LAYOUT = 3
    ORT_ENABLE_ALL = 99


class ExecutionMode(IntEnum):
    """Accepted and without effect: nodes run one after another."""

    ORT_SEQUENTIAL = 0
    ORT_PARALLEL = 1


class ExecutionOrder(IntEnum):
    """Accepted and without effect."""

    DEFAULT = 0
    PRIORITY_BASED = 1
    MEMORY_EFFICIENT = 2


def _flag(value: Any) -> bool:
    if value is not None and not hasattr(value, "__bool__"):
        raise TypeError(f"{value!r} is not True or False")
    return bool(value)


def _number(value: Any) -> int:
    number = index(value)
    if not -(2**31) <= number < 2**31:
        raise TypeError(f"{number} has more than 32 bits")
    return number


def _text(value: Any) -> str:
    if isinstance(value, bytes):
        return value.decode()
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is not a text")
    return value


def _member(kind: type[IntEnum]) -> Callable[[Any], IntEnum]:
    def of(value: Any) -> IntEnum:
        if not isinstance(value, kind):
            raise TypeError(f"{value!r} is not one of {kind.__name__}")
        return value

    return of


class _Option:
    """An attribute that takes what its kind takes, and raises TypeError for anything else."""

    def __init__(self, kind: Callable[[Any], Any], default: Any) -> None:
        self._kind, self._default = kind, default

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, options: Any, owner: type) -> Any:
        return self if options is None else options._values.get(self._name, self._default)

    def __set__(self, options: Any, value: Any) -> None:
        try:
            options._values[self._name] = self._kind(value)
        except TypeError as error:
            raise TypeError(f"{self._name}: {error}") from None


class _Options:
    """Options that have been set, and texts by name, which nothing here reads. There are no other attributes."""

    __slots__ = ("_entries", "_values")

    def __init__(self) -> None:
        self._entries: dict[str, str] = {}
        self._values: dict[str, Any] = {}

    def _add(self, key: str, value: str) -> None:
        self._entries[_text(key)] = _text(value)

    def _get(self, key: str) -> str:
        if key not in self._entries:
            raise RuntimeError(f"there is no entry {key!r}")
        return self._entries[key]


class SessionOptions(_Options):
    """How a session is made. What has no meaning here is kept and read by nobody."""

    __slots__ = ("_dims",)

    #: Threads that split large operations of one run. 0 is one thread: runs from many threads do not need more.
    intra_op_num_threads = _Option(_number, 0)
    inter_op_num_threads = _Option(_number, 0)
    graph_optimization_level = _Option(_member(GraphOptimizationLevel), GraphOptimizationLevel.ORT_ENABLE_ALL)
    execution_mode = _Option(_member(ExecutionMode), ExecutionMode.ORT_SEQUENTIAL)
    execution_order = _Option(_member(ExecutionOrder), ExecutionOrder.DEFAULT)
    enable_profiling = _Option(_flag, False)
    enable_mem_pattern = _Option(_flag, True)
    enable_cpu_mem_arena = _Option(_flag, True)
    enable_mem_reuse = _Option(_flag, True)
    log_severity_level = _Option(_number, -1)
    log_verbosity_level = _Option(_number, 0)
    logid = _Option(_text, "")
    optimized_model_filepath = _Option(_text, "")
    profile_file_prefix = _Option(_text, "onnxruntime_profile_")
    use_deterministic_compute = _Option(_flag, False)
    use_per_session_threads = _Option(_flag, True)

    def __init__(self) -> None:
        super().__init__()
        self._dims: dict[str, int] = {}

    def add_session_config_entry(self, key: str, value: str) -> None:
        """Keeps an entry."""
        self._add(key, value)

    def get_session_config_entry(self, key: str) -> str:
        """An entry that was kept."""
        return self._get(key)

    def add_free_dimension_override_by_name(self, name: str, value: int) -> None:
        """The length of an axis that the model names: inputs of another length are refused."""
        if value < 0:
            raise ValueError(f"{name}: an axis cannot be {value} long")
        self._dims[_text(name)] = _number(value)

    def add_free_dimension_override_by_denotation(self, denotation: str, value: int) -> None:
        """Accepted: shapes are planned at the first run of each."""

    def add_provider(self, provider: str, options: Any = None) -> None:
        """Accepted: there is one provider."""

    def has_providers(self) -> bool:
        """False: there is nothing to choose from."""
        return False

    def add_initializer(self, name: str, value: Any) -> None:
        """Weights are those of the model."""
        raise NotImplementedError(f"add_initializer({name!r}): weights are those of the model")

    def add_external_initializers(self, names: Any, values: Any) -> None:
        """Weights are those of the model."""
        raise NotImplementedError("add_external_initializers: weights are those of the model, or of files beside it")

    def register_custom_ops_library(self, path: str) -> None:
        """Libraries of other runtimes' operators cannot be loaded."""
        raise NotImplementedError(f"{path}: libraries of custom operators cannot be loaded")


class RunOptions(_Options):
    """How one run goes. Setting ``terminate``, from any thread, ends the runs that were given these options."""

    __slots__ = ("_cancel", "timeout")

    log_severity_level = _Option(_number, -1)
    log_verbosity_level = _Option(_number, 0)
    logid = _Option(_text, "")
    only_execute_path_to_fetches = _Option(_flag, False)

    def __init__(self) -> None:
        super().__init__()
        #: Seconds after which the run ends with TimeoutError; not in the original.
        self.timeout: float | None = None
        self._cancel = Cancel()

    @property
    def terminate(self) -> bool:
        """Whether runs that have these options end."""
        return self._cancel.cancelled

    @terminate.setter
    def terminate(self, ends: bool) -> None:
        if _flag(ends):
            self._cancel.cancel()
        else:
            self._cancel.reset()

    def add_run_config_entry(self, key: str, value: str) -> None:
        """Keeps an entry."""
        self._add(key, value)

    def get_run_config_entry(self, key: str) -> str:
        """An entry that was kept."""
        return self._get(key)
