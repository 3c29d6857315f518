"""Options of sessions and runs."""

from __future__ import annotations

from enum import IntEnum
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


class _Entries:
    """Texts by name, which nothing here reads."""

    def __init__(self) -> None:
        self._entries: dict[str, str] = {}

    def _add(self, key: str, value: str) -> None:
        self._entries[str(key)] = str(value)

    def _get(self, key: str) -> str:
        if key not in self._entries:
            raise RuntimeError(f"there is no entry {key!r}")
        return self._entries[key]


class SessionOptions(_Entries):
    """How a session is made. What has no meaning here is kept and read by nobody."""

    def __init__(self) -> None:
        super().__init__()
        #: Threads that split large operations of one run. 0 is one thread: runs from many threads do not need more.
        self.intra_op_num_threads = 0
        self.inter_op_num_threads = 0
        self.graph_optimization_level = GraphOptimizationLevel.ORT_ENABLE_ALL
        self.execution_mode = ExecutionMode.ORT_SEQUENTIAL
        self.execution_order = ExecutionOrder.DEFAULT
        self.enable_profiling = False
        self.enable_mem_pattern = True
        self.enable_cpu_mem_arena = True
        self.enable_mem_reuse = True
        self.log_severity_level = -1
        self.log_verbosity_level = 0
        self.logid = ""
        self.optimized_model_filepath = ""
        self.profile_file_prefix = "onnxruntime_profile_"
        self.use_deterministic_compute = False
        self.use_per_session_threads = True
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
        self._dims[name] = int(value)

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


class RunOptions(_Entries):
    """How one run goes. Setting ``terminate``, from any thread, ends the runs that were given these options."""

    def __init__(self) -> None:
        super().__init__()
        self.log_severity_level = -1
        self.log_verbosity_level = 0
        self.logid = ""
        self.only_execute_path_to_fetches = False
        #: Seconds after which the run ends with TimeoutError; not in the original.
        self.timeout: float | None = None
        self._cancel = Cancel()

    @property
    def terminate(self) -> bool:
        """Whether runs that have these options end."""
        return self._cancel.cancelled

    @terminate.setter
    def terminate(self, ends: bool) -> None:
        if ends:
            self._cancel.cancel()
        else:
            self._cancel.reset()

    def add_run_config_entry(self, key: str, value: str) -> None:
        """Keeps an entry."""
        self._add(key, value)

    def get_run_config_entry(self, key: str) -> str:
        """An entry that was kept."""
        return self._get(key)
