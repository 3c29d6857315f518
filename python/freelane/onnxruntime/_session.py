"""Sessions."""

from __future__ import annotations

import json
import os
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from threading import Thread
from typing import Any

import numpy as np

from .. import Session as _Session
from .._freelane import _deferred
from ._options import GraphOptimizationLevel, RunOptions, SessionOptions
from ._values import IOBinding, OrtValue, given, to_numpy, type_name
from .capi.onnxruntime_pybind11_state import InvalidArgument, of_loading, of_running

PROVIDER = "CPUExecutionProvider"
#: The names that the original knows.
PROVIDERS = [
    f"{name}ExecutionProvider"
    for name in (
        *("NvTensorRTRTX", "Tensorrt", "CUDA", "MIGraphX", "OpenVINO", "Dnnl", "VitisAI", "QNN", "Nnapi", "VSINPU", "Js"),
        *("CoreML", "ACL", "Dml", "Rknpu", "WebNN", "WebGpu", "Xnnpack", "CANN", "Azure", "CPU"),
    )
]
_MOST_THREADS = 1024


def _without_axes(value: Any) -> Any:
    """One element as a scalar, whatever axes it has: programs feed a model's scalars so."""
    array = np.asarray(value)
    if array.size != 1 or array.ndim == 0:
        return value
    return array.reshape(()) if isinstance(value, np.ndarray) else array.item()


class NodeArg:
    """An input or output of a model."""

    def __init__(self, name: str, dtype: str | None, shape: tuple[Any, ...] | None) -> None:
        self.name = name
        self.type = type_name(dtype)
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
        if not isinstance(options, SessionOptions):
            raise TypeError(f"sess_options is a SessionOptions, not {options!r}")
        plain = options.graph_optimization_level == GraphOptimizationLevel.ORT_DISABLE_ALL
        try:
            _check_providers(providers)
        except (RuntimeError, ValueError) as error:
            if not kwargs.get("enable_fallback", True):
                raise
            warnings.warn(f"{error}; models run with {PROVIDER!r}", stacklevel=2)
        self._options = options
        self._began = time.time_ns()
        threads, profile = max(1, options.intra_op_num_threads), bool(options.enable_profiling)
        if threads > _MOST_THREADS:
            raise InvalidArgument(f"intra_op_num_threads is at most {_MOST_THREADS}, not {threads}")
        try:
            self._session = _Session(path_or_bytes, threads=threads, profile=profile, optimize=not plain)
        except Exception as error:
            raise of_loading(error) from None
        named = self._session.inputs
        self._inputs = [NodeArg(name, dtype, _with(shape, options._dims)) for name, dtype, shape in named]
        self._outputs = [NodeArg(name, dtype, _with(shape, options._dims)) for name, dtype, shape in self._session.outputs]
        # All threads read these at each run, and should not count that.
        self._places = _deferred({arg.name: i for i, arg in enumerate(self._outputs)})
        self._scalars = _deferred([name for name, _, shape in named if shape == ()])
        self._fixed = _deferred(
            [
                (name, axis, dim, options._dims[dim])
                for name, _, shape in named
                for axis, dim in enumerate(shape or ())
                if dim in options._dims
            ]
        )
        _deferred(self)

    def run(
        self,
        output_names: Sequence[str | bytes] | None,
        input_feed: Mapping[str, Any],
        run_options: RunOptions | None = None,
    ) -> list[Any]:
        """Runs the model; returns the outputs of these names, or all, as NumPy arrays."""
        places = self._chosen(output_names) if output_names else None
        if not (run_options is None or isinstance(run_options, RunOptions)):
            raise TypeError(f"run_options is a RunOptions, not {run_options!r}")
        feed = {name: given(value) for name, value in input_feed.items()}
        for name in self._scalars:
            if name in feed:
                feed[name] = _without_axes(feed[name])
        if self._fixed:
            self._check(feed)
        try:
            if run_options is None:
                found = self._session.run(feed)
            else:
                found = self._session.run(feed, timeout=run_options.timeout, cancel=run_options._cancel)
        except Exception as error:
            raise of_running(error) from None
        return [to_numpy(value) for value in (found if places is None else [found[place] for place in places])]

    def _chosen(self, names: Sequence[str | bytes]) -> list[int]:
        """The places of outputs."""
        if isinstance(names, (str, bytes)):
            raise TypeError(f"output_names is a list of names: [{names!r}]")
        places = []
        for name in names:
            text = name.decode() if isinstance(name, bytes) else name
            if not isinstance(text, str):
                raise TypeError(f"output_names is a list of names; {name!r} is none")
            if text not in self._places:
                raise InvalidArgument(f"the model has no output {name!r}; it has {', '.join(self._places)}")
            places.append(self._places[text])
        return places

    def _check(self, feed: Mapping[str, Any]) -> None:
        """Raises where an axis has another length than the options say."""
        for name, axis, dim, length in self._fixed:
            shape = getattr(feed.get(name), "shape", None)
            if shape is not None and axis < len(shape) and shape[axis] != length:
                raise InvalidArgument(f"input {name}: axis {axis} ({dim}) is {shape[axis]} long; the options say {length}")

    def run_async(
        self,
        output_names: Sequence[str | bytes] | None,
        input_feed: Mapping[str, Any],
        callback: Callable[[list[Any], Any, str], None],
        user_data: Any,
        run_options: RunOptions | None = None,
    ) -> None:
        """Runs the model on a thread of its own, which then calls callback(outputs, user_data, error). error is empty
        unless the run failed."""

        def work() -> None:
            found: list[Any] = []
            error = ""
            try:
                found = self.run(output_names, input_feed, run_options)
            except Exception as raised:
                error = str(raised) or type(raised).__name__
            callback(found, user_data, error)

        Thread(target=work, name="run_async").start()

    def run_with_ort_values(
        self,
        output_names: Sequence[str | bytes] | None,
        input_dict_ort_values: Mapping[str, OrtValue],
        run_options: RunOptions | None = None,
    ) -> list[OrtValue]:
        """As run, with values."""
        return [OrtValue(value) for value in self.run(output_names, input_dict_ort_values, run_options)]

    def run_with_iobinding(self, iobinding: IOBinding, run_options: RunOptions | None = None) -> None:
        """Runs the model on what is bound."""
        iobinding.run(run_options)

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
        return [PROVIDER]

    def set_providers(self, providers: Sequence[Any] | None = None, provider_options: Any = None) -> None:
        """Accepted, with a warning for providers that are not available; what names no provider is refused."""
        _check_providers(providers)

    def get_provider_options(self) -> dict[str, dict[str, str]]:
        """None."""
        return {PROVIDER: {}}

    def enable_fallback(self) -> None:
        """Accepted: there is nothing to fall back to."""

    def disable_fallback(self) -> None:
        """Accepted: there is nothing to fall back to."""

    def get_session_options(self) -> SessionOptions:
        """The options it was made with."""
        return self._options

    def get_profiling_start_time_ns(self) -> int:
        """When it was made."""
        return self._began

    def end_profiling(self) -> str:
        """Writes the time of each node to a file and returns its name, which is empty unless profiling was enabled."""
        if not self._options.enable_profiling:
            return ""
        name = f"{self._options.profile_file_prefix}{self._began}.json"
        shared = {"cat": "Node", "ph": "X", "pid": os.getpid(), "tid": 0, "ts": 0}
        events = [
            {**shared, "name": node or op, "dur": seconds * 1e6, "args": {"op_name": op, "runs": runs}}
            for node, op, runs, seconds in self._session.profile()
        ]
        with open(name, "w", encoding="utf-8") as file:
            json.dump(events, file)
        return name


def _with(shape: tuple[Any, ...] | None, dims: Mapping[str, int]) -> tuple[Any, ...] | None:
    """A shape with the lengths that options give to named axes."""
    return None if shape is None else tuple(dims.get(dim, dim) if isinstance(dim, str) else dim for dim in shape)


def _check_providers(providers: Sequence[Any] | None) -> None:
    """Warns of providers that are not available, and raises for what names none."""
    for provider in [providers] if isinstance(providers, str) else providers or ():
        match provider:
            case str(name) | (str(name), dict()):
                pass
            case _:
                raise ValueError(f"a provider is a name, or a tuple of a name and a dictionary, not {provider!r}")
        if name not in PROVIDERS:
            raise RuntimeError(f"there is no provider {name!r}")
        if name != PROVIDER:
            warnings.warn(f"the provider {name!r} is not available; models run with {PROVIDER!r}", stacklevel=3)
