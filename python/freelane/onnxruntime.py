"""The common surface of the ``onnxruntime`` package over :class:`freelane.Session`.

One import line changes::

    import freelane.onnxruntime as onnxruntime

Sessions may be shared by any number of threads, which do not slow each other down. There is one provider, the processor.
Outputs are NumPy arrays, as they are there; ``freelane.Session`` gives freelane's own.
"""

from __future__ import annotations

import ctypes
import math
import os
import time
from collections.abc import Mapping, Sequence
from enum import IntEnum
from typing import Any

import numpy as np

from . import Session as _Session
from . import __version__ as _version

__version__ = "1.28.0+freelane." + _version

__all__ = [
    "ExecutionMode",
    "GraphOptimizationLevel",
    "IOBinding",
    "InferenceSession",
    "ModelMetadata",
    "NodeArg",
    "OrtValue",
    "RunOptions",
    "SessionOptions",
    "get_available_providers",
    "get_all_providers",
    "get_device",
    "set_default_logger_severity",
    "set_default_logger_verbosity",
    "set_seed",
]

_PROVIDER = "CPUExecutionProvider"

_TYPES = {
    "float32": "float",
    "float64": "double",
    "float16": "float16",
    "bfloat16": "bfloat16",
    **{t: t for t in ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")},
}


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


class SessionOptions:
    """How a session is made. What has no meaning here is kept and read by nobody."""

    def __init__(self) -> None:
        self.intra_op_num_threads = 1
        self.inter_op_num_threads = 1
        self.graph_optimization_level = GraphOptimizationLevel.ORT_ENABLE_ALL
        self.execution_mode = ExecutionMode.ORT_SEQUENTIAL
        self.enable_profiling = False
        self.enable_mem_pattern = True
        self.enable_cpu_mem_arena = True
        self.enable_mem_reuse = True
        self.log_severity_level = 2
        self.log_verbosity_level = 0
        self.logid = ""
        self.optimized_model_filepath = ""
        self.profile_file_prefix = ""
        self.use_deterministic_compute = True
        self._entries: dict[str, str] = {}

    def add_session_config_entry(self, key: str, value: str) -> None:
        """Keeps an entry."""
        self._entries[key] = value

    def get_session_config_entry(self, key: str) -> str:
        """An entry that was kept."""
        if key not in self._entries:
            raise RuntimeError(f"there is no entry {key!r}")
        return self._entries[key]

    def add_free_dimension_override_by_name(self, name: str, value: int) -> None:
        """Accepted: shapes are planned at the first run of each."""

    def add_free_dimension_override_by_denotation(self, name: str, value: int) -> None:
        """Accepted: shapes are planned at the first run of each."""

    def register_custom_ops_library(self, path: str) -> None:
        """Libraries of other runtimes' operators cannot be loaded."""
        raise NotImplementedError(f"{path}: libraries of custom operators cannot be loaded")


class RunOptions:
    """How one run goes."""

    def __init__(self) -> None:
        self.log_severity_level = 2
        self.log_verbosity_level = 0
        self.logid = ""
        self.tag = ""
        self.terminate = False
        self.only_execute_path_to_fetches = False
        #: Seconds after which the run ends with TimeoutError; not in the original.
        self.timeout: float | None = None

    def add_run_config_entry(self, key: str, value: str) -> None:
        """Accepted."""


class NodeArg:
    """An input or output of a model."""

    def __init__(self, name: str, dtype: str | None, shape: tuple[Any, ...] | None) -> None:
        self.name = name
        self.type = f"tensor({_TYPES[dtype]})" if dtype in _TYPES else "tensor(unknown)"
        self.shape = [] if shape is None else list(shape)

    def __repr__(self) -> str:
        return f"NodeArg(name={self.name!r}, type={self.type!r}, shape={self.shape!r})"


class ModelMetadata:
    """What a model says of itself."""

    def __init__(self, told: Mapping[str, Any]) -> None:
        self.producer_name: str = told["producer"]
        self.graph_name: str = told["graph"]
        self.graph_description = ""
        self.description: str = told["description"]
        self.domain = ""
        self.version: int = told["version"]
        self.custom_metadata_map: dict[str, str] = told["properties"]


class OrtValue:
    """A value of a model, held in memory that the processor reads."""

    def __init__(self, value: Any) -> None:
        self._value = value

    @staticmethod
    def ortvalue_from_numpy(array: Any, device_type: str = "cpu", device_id: int = 0) -> OrtValue:
        """A copy of an array."""
        _on_cpu(device_type)
        return OrtValue(np.array(array))

    @staticmethod
    def ortvalue_from_shape_and_type(
        shape: Sequence[int], element_type: Any, device_type: str = "cpu", device_id: int = 0
    ) -> OrtValue:
        """An array of zeros."""
        _on_cpu(device_type)
        return OrtValue(np.zeros(tuple(shape), element_type))

    def numpy(self) -> Any:
        """The value as a NumPy array."""
        return self._value

    def shape(self) -> list[int]:
        """Lengths of the axes."""
        return list(self._value.shape)

    def data_type(self) -> str:
        """The type, as the original names it."""
        return f"tensor({_TYPES.get(str(self._value.dtype), str(self._value.dtype))})"

    def device_name(self) -> str:
        """Where it lies."""
        return "cpu"

    def is_tensor(self) -> bool:
        """Whether it is an array."""
        return hasattr(self._value, "shape")

    def has_value(self) -> bool:
        """Whether there is a value."""
        return self._value is not None

    def data_ptr(self) -> int:
        """The address of the first element."""
        return int(self._value.ctypes.data)

    def update_inplace(self, array: Any) -> None:
        """Writes an array of the same shape and type into this one."""
        found = np.asarray(array)
        wanted = (self._value.shape, self._value.dtype)
        if (found.shape, found.dtype) != wanted:
            raise RuntimeError(
                f"the value has shape {list(wanted[0])} and type {wanted[1]}; "
                f"what is written has shape {list(found.shape)} and type {found.dtype}"
            )
        self._value[...] = found


def _memory(element_type: Any, shape: Sequence[int] | None, address: int) -> Any:
    """Memory of the program as an array."""
    dtype, lengths = np.dtype(element_type), tuple(shape or ())
    count = math.prod(lengths)
    if count == 0:
        return np.empty(lengths, dtype)
    block = (ctypes.c_byte * (count * dtype.itemsize)).from_address(address)
    return np.frombuffer(block, dtype).reshape(lengths)


class IOBinding:
    """Inputs and outputs that stay from run to run."""

    def __init__(self, session: InferenceSession) -> None:
        self._session = session
        self._inputs: dict[str, Any] = {}
        self._outputs: dict[str, Any] = {}
        self._results: list[OrtValue] = []

    def bind_cpu_input(self, name: str, array: Any) -> None:
        """An array as an input."""
        self._inputs[name] = array

    def bind_input(
        self, name: str, device_type: str, device_id: int, element_type: Any, shape: Sequence[int], buffer_ptr: int
    ) -> None:
        """Memory as an input; it must stay until it is bound no more."""
        _on_cpu(device_type)
        self._inputs[name] = _memory(element_type, shape, buffer_ptr)

    def bind_ortvalue_input(self, name: str, value: OrtValue) -> None:
        """A value as an input."""
        self._inputs[name] = value.numpy()

    def bind_output(
        self,
        name: str,
        device_type: str = "cpu",
        device_id: int = 0,
        element_type: Any = None,
        shape: Sequence[int] | None = None,
        buffer_ptr: int | None = None,
    ) -> None:
        """An output that is wanted, in memory of its own, or in the memory that is given with its type and shape."""
        _on_cpu(device_type)
        given = (element_type, shape, buffer_ptr)
        if buffer_ptr is None:
            self._outputs[name] = None
        elif None in (element_type, shape):
            raise ValueError(f"bind_output({name!r}): memory needs element_type and shape, not {given}")
        else:
            self._outputs[name] = OrtValue(_memory(element_type, shape, buffer_ptr))

    def bind_ortvalue_output(self, name: str, value: OrtValue) -> None:
        """An output that is written into a value."""
        self._outputs[name] = value

    def synchronize_inputs(self) -> None:
        """Nothing to wait for."""

    def synchronize_outputs(self) -> None:
        """Nothing to wait for."""

    def clear_binding_inputs(self) -> None:
        """Forgets the inputs."""
        self._inputs.clear()

    def clear_binding_outputs(self) -> None:
        """Forgets the outputs."""
        self._outputs.clear()

    def get_outputs(self) -> list[OrtValue]:
        """The outputs of the last run."""
        return self._results

    def copy_outputs_to_cpu(self) -> list[Any]:
        """The outputs of the last run, as NumPy arrays."""
        return [value.numpy() for value in self._results]

    def _run(self, options: RunOptions | None) -> None:
        names = list(self._outputs) or [arg.name for arg in self._session.get_outputs()]
        self._results = []
        for name, found in zip(names, self._session.run(names, self._inputs, options)):
            value = self._outputs.get(name)
            if value is None:
                value = OrtValue(found)
            else:
                value.update_inplace(found)
            self._results.append(value)


class InferenceSession:
    """A model that is ready to run, from any number of threads at once."""

    def __init__(
        self,
        path_or_bytes: str | bytes | os.PathLike[str],
        sess_options: SessionOptions | None = None,
        providers: Sequence[Any] | None = None,
        provider_options: Sequence[Any] | None = None,
        **kwargs: Any,
    ) -> None:
        options = sess_options or SessionOptions()
        plain = options.graph_optimization_level == GraphOptimizationLevel.ORT_DISABLE_ALL
        self._options = options
        self._began = time.time_ns()
        self._session = _Session(
            path_or_bytes,
            threads=max(1, options.intra_op_num_threads),
            profile=bool(options.enable_profiling),
            optimize=not plain,
        )
        self._inputs = [NodeArg(*told) for told in self._session.inputs]
        self._outputs = [NodeArg(*told) for told in self._session.outputs]
        self._places = {arg.name: i for i, arg in enumerate(self._outputs)}

    def run(
        self,
        output_names: Sequence[str] | None,
        input_feed: Mapping[str, Any],
        run_options: RunOptions | None = None,
    ) -> list[Any]:
        """Runs the model; returns the outputs of these names, or all, as NumPy arrays."""
        if run_options is not None and run_options.terminate:
            raise RuntimeError("the run was terminated")
        timeout = None if run_options is None else run_options.timeout
        found = self._session.run({name: _given(value) for name, value in input_feed.items()}, timeout=timeout)
        if not output_names:
            return [_numpy(value) for value in found]
        missing = [name for name in output_names if name not in self._places]
        if missing:
            raise ValueError(f"the model has no output {missing[0]!r}; it has {', '.join(self._places)}")
        return [_numpy(found[self._places[name]]) for name in output_names]

    def run_with_ort_values(
        self,
        output_names: Sequence[str] | None,
        input_dict_ort_values: Mapping[str, OrtValue],
        run_options: RunOptions | None = None,
    ) -> list[OrtValue]:
        """As run, with values."""
        feed = {name: value.numpy() for name, value in input_dict_ort_values.items()}
        return [OrtValue(value) for value in self.run(output_names, feed, run_options)]

    def run_with_iobinding(self, iobinding: IOBinding, run_options: RunOptions | None = None) -> None:
        """Runs the model on what is bound."""
        iobinding._run(run_options)

    def io_binding(self) -> IOBinding:
        """Inputs and outputs to be bound."""
        return IOBinding(self)

    def get_inputs(self) -> list[NodeArg]:
        """What the model takes."""
        return self._inputs

    def get_outputs(self) -> list[NodeArg]:
        """What the model makes."""
        return self._outputs

    def get_overridable_initializers(self) -> list[NodeArg]:
        """None: weights are part of the model."""
        return []

    def get_modelmeta(self) -> ModelMetadata:
        """What the model says of itself."""
        return ModelMetadata(self._session.metadata)

    def get_providers(self) -> list[str]:
        """The one that there is."""
        return [_PROVIDER]

    def set_providers(self, providers: Sequence[Any] | None = None, provider_options: Any = None) -> None:
        """Accepted: there is one provider."""

    def get_provider_options(self) -> dict[str, dict[str, str]]:
        """None."""
        return {_PROVIDER: {}}

    def get_session_options(self) -> SessionOptions:
        """The options it was made with."""
        return self._options

    def end_profiling(self) -> str:
        """Writes the time of each node to a file and returns its name, which is empty unless profiling was enabled."""
        import json

        if not self._options.enable_profiling:
            return ""

        name = f"{self._options.profile_file_prefix or 'freelane_profile'}_{self._began}.json"
        events = [
            {"cat": "Node", "ph": "X", "pid": os.getpid(), "tid": 0, "ts": 0, "name": node or op, "dur": seconds * 1e6, "args": {"op_name": op, "runs": runs}}
            for node, op, runs, seconds in self._session.profile()
        ]
        with open(name, "w", encoding="utf-8") as file:
            json.dump(events, file)
        return name


def _given(value: Any) -> Any:
    return value.numpy() if isinstance(value, OrtValue) else value


def _numpy(value: Any) -> Any:
    if isinstance(value, list):
        return [_numpy(item) for item in value]
    return value if value is None else np.array(value)


def _on_cpu(device: str) -> None:
    if device.lower() != "cpu":
        raise ValueError(f"there is no device {device!r}, only 'cpu'")


def get_available_providers() -> list[str]:
    """The providers that there are."""
    return [_PROVIDER]


def get_all_providers() -> list[str]:
    """The providers that there are."""
    return [_PROVIDER]


def get_device() -> str:
    """What models run on."""
    return "CPU"


def set_default_logger_severity(severity: int) -> None:
    """Accepted: nothing is logged."""


def set_default_logger_verbosity(verbosity: int) -> None:
    """Accepted: nothing is logged."""


def set_seed(seed: int) -> None:
    """Accepted: operators that draw numbers have seeds of their own."""


