"""Values of models, and what stays bound from run to run."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Mapping, Sequence
from enum import IntEnum
from typing import TYPE_CHECKING, Any

import numpy as np

import freelane

from .. import _freelane
from .._freelane import _deferred
from .capi.onnxruntime_pybind11_state import Fail, InvalidArgument

if TYPE_CHECKING:
    from ._options import RunOptions
    from ._session import InferenceSession

#: Types of elements: NumPy's name, the original's, and the number in the ONNX format.
_ELEMENTS = [
    ("float32", "float", 1),
    ("uint8", "uint8", 2),
    ("int8", "int8", 3),
    ("uint16", "uint16", 4),
    ("int16", "int16", 5),
    ("int32", "int32", 6),
    ("int64", "int64", 7),
    ("str", "string", 8),
    ("bool", "bool", 9),
    ("float16", "float16", 10),
    ("float64", "double", 11),
    ("uint32", "uint32", 12),
    ("uint64", "uint64", 13),
    ("complex64", "complex64", 14),
    ("complex128", "complex128", 15),
    ("bfloat16", "bfloat16", 16),
]
_NAMES = {numpy: name for numpy, name, _ in _ELEMENTS}
_NUMBERS = {numpy: number for numpy, _, number in _ELEMENTS}
_BY_NUMBER = {number: numpy for numpy, _, number in _ELEMENTS}
#: What an array is whose memory a value shares.
_SHARED: Any = ["C_CONTIGUOUS", "ALIGNED", "WRITEABLE", "ENSUREARRAY"]


def type_name(dtype: str | None) -> str:
    """A type of elements as the original prints it."""
    return f"tensor({_NAMES.get(dtype, 'unknown')})" if dtype else "tensor(unknown)"


def element_dtype(element: Any) -> Any:
    """The NumPy type for a type of elements, which may be a number of the ONNX format."""
    if isinstance(element, int) and element not in _BY_NUMBER:
        raise RuntimeError(f"{element} is no type of elements")
    dtype = np.dtype(_BY_NUMBER[element] if isinstance(element, int) else element).newbyteorder("=")
    if dtype.kind == "U" or dtype.name not in _NAMES:
        raise RuntimeError(f"memory of tensors cannot have elements of {dtype}")
    return dtype


def on_cpu(device: Any) -> None:
    """Raises unless a device is the processor."""
    name = device.device_type() if isinstance(device, OrtDevice) else device
    if str(name).lower() != "cpu":
        raise RuntimeError(f"there is no device {name!r}, only 'cpu'")


class OrtMemType(IntEnum):
    """Accepted and without effect."""

    DEFAULT = 0
    CPU_INPUT = -2
    CPU_OUTPUT = -1


class OrtAllocatorType(IntEnum):
    """Accepted and without effect."""

    INVALID = -1
    ORT_DEVICE_ALLOCATOR = 0
    ORT_ARENA_ALLOCATOR = 1


class OrtMemoryInfo:
    """Where memory lies: on the processor."""

    def __init__(self, name: str, allocator: OrtAllocatorType, device_id: int, mem_type: OrtMemType) -> None:
        on_cpu(name)
        self.name, self.allocator, self.device_id, self.mem_type = name, allocator, device_id, mem_type


class OrtDevice:
    """A device, of which there is one."""

    def __init__(self, device_type: str = "cpu", device_id: int = 0) -> None:
        on_cpu(device_type)
        self._device_id = device_id

    @staticmethod
    def make(ort_device_name: str, device_id: int, vendor_id: int = -1) -> OrtDevice:
        """The processor."""
        return OrtDevice(ort_device_name, device_id)

    def device_id(self) -> int:
        """Its number."""
        return self._device_id

    def device_type(self) -> str:
        """Its kind."""
        return "cpu"

    def device_mem_type(self) -> int:
        """The kind of its memory."""
        return 0

    def device_vendor_id(self) -> int:
        """Nobody's."""
        return 0


class OrtValue:
    """A value of a model, held in memory that the processor reads."""

    def __init__(self, value: Any) -> None:
        self._value = value

    @staticmethod
    def ortvalue_from_numpy(array: Any, device_type: Any = "cpu", device_id: int = 0, vendor_id: int = -1) -> OrtValue:
        """The memory of an array if that is contiguous and can be written, or else a copy."""
        on_cpu(device_type)
        if not isinstance(array, np.ndarray):
            raise RuntimeError(f"a value is made of a NumPy array, not of {type(array)}")
        return OrtValue(np.require(array, element_dtype(array.dtype), _SHARED).view())

    @staticmethod
    def ortvalue_from_numpy_with_onnx_type(data: Any, /, onnx_element_type: int) -> OrtValue:
        """The bytes of an array as elements of a type, by its number in the ONNX format."""
        data, dtype = np.asarray(data), element_dtype(onnx_element_type)
        if data.dtype.itemsize != dtype.itemsize:
            raise ValueError(f"elements of {data.dtype} are {data.dtype.itemsize} bytes, those of {dtype} {dtype.itemsize}")
        return OrtValue(data.view(dtype))

    @staticmethod
    def ortvalue_from_shape_and_type(
        shape: Sequence[int], element_type: Any, device_type: Any = "cpu", device_id: int = 0, vendor_id: int = -1
    ) -> OrtValue:
        """An array of zeros."""
        on_cpu(device_type)
        try:
            return OrtValue(np.zeros(tuple(shape), element_dtype(element_type)))
        except ValueError as error:
            raise RuntimeError(f"shape {list(shape)}: {error}") from None

    @classmethod
    def from_dlpack(cls, data: Any, /) -> OrtValue:
        """The memory of another library's tensor."""
        return cls(np.from_dlpack(data))

    def numpy(self) -> Any:
        """The value as a NumPy array."""
        return self._value

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return np.array(self._value, dtype, copy=copy)

    def __dlpack__(self, **asked: Any) -> Any:
        return self._value.__dlpack__(**asked)

    def __dlpack_device__(self) -> Any:
        return self._value.__dlpack_device__()

    def shape(self) -> list[int]:
        """Lengths of the axes."""
        return list(self._value.shape)

    def data_type(self) -> str:
        """The type, as the original names it."""
        if self.is_tensor_sequence():
            inner = type_name(str(self._value[0].dtype)) if self._value else "tensor(unknown)"
            return f"seq({inner})"
        return type_name(str(self._value.dtype))

    def element_type(self) -> int:
        """The type of elements, by its number in the ONNX format."""
        return _NUMBERS.get(str(self._value.dtype), 0)

    def tensor_size_in_bytes(self) -> int:
        """Bytes of the elements."""
        return int(self._value.nbytes)

    def device_name(self) -> str:
        """Where it lies."""
        return "cpu"

    def is_tensor(self) -> bool:
        """Whether it is an array."""
        return hasattr(self._value, "shape")

    def is_tensor_sequence(self) -> bool:
        """Whether it is a list of arrays."""
        return isinstance(self._value, list)

    def is_sparse_tensor(self) -> bool:
        """No value is."""
        return False

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


def given(value: Any) -> Any:
    """What a session is given for a value."""
    return value.numpy() if isinstance(value, OrtValue) else value


#: NumPy's types for freelane's, where NumPy has one.
_DTYPES = _deferred(
    {getattr(freelane, name): np.dtype(name) for name, _, _ in _ELEMENTS if name not in ("str", "bfloat16")}
)
# All threads call these, and should not count that.
_empty, _fill = _deferred(np.empty), _deferred(_freelane._fill)


def to_numpy(value: Any) -> Any:
    """What a session makes, as NumPy's arrays."""
    if isinstance(value, list):
        return [to_numpy(item) for item in value]
    if value is None:
        return None
    dtype = _DTYPES.get(value.dtype)
    return np.array(value) if dtype is None else _fill(_empty(value.shape, dtype), value)


def _memory(element_type: Any, shape: Sequence[int] | None, address: int) -> Any:
    """Memory of the program as an array."""
    dtype, lengths = element_dtype(element_type), tuple(shape or ())
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
        self._outputs: dict[str, OrtValue | None] = {}
        self._results: list[OrtValue] = []

    def _check_input(self, name: str) -> None:
        names = [arg.name for arg in self._session.get_inputs()]
        if name not in names:
            raise RuntimeError(f"input {name}: the model has no such input; it takes {', '.join(names)}")

    def bind_cpu_input(self, name: str, arr_on_cpu: Any) -> None:
        """An array as an input."""
        self._check_input(name)
        self._inputs[name] = arr_on_cpu

    def bind_input(
        self, name: str, device_type: Any, device_id: int, element_type: Any, shape: Sequence[int], buffer_ptr: int
    ) -> None:
        """Memory as an input; it must stay until it is bound no more."""
        on_cpu(device_type)
        self._check_input(name)
        self._inputs[name] = _memory(element_type, shape, buffer_ptr)

    def bind_ortvalue_input(self, name: str, ortvalue: OrtValue) -> None:
        """A value as an input."""
        self._check_input(name)
        self._inputs[name] = ortvalue.numpy()

    def bind_output(
        self,
        name: str,
        device_type: Any = "cpu",
        device_id: int = 0,
        element_type: Any = None,
        shape: Sequence[int] | None = None,
        buffer_ptr: int | None = None,
    ) -> None:
        """An output that is wanted, in memory of its own, or in the memory that is given with its type and shape."""
        on_cpu(device_type)
        if buffer_ptr is None:
            self._outputs[name] = None
        elif element_type is None or shape is None:
            told = (element_type, shape, buffer_ptr)
            raise ValueError(f"bind_output({name!r}): memory needs element_type and shape, not {told}")
        else:
            self._outputs[name] = OrtValue(_memory(element_type, shape, buffer_ptr))

    def bind_ortvalue_output(self, name: str, ortvalue: OrtValue) -> None:
        """An output that is written into a value."""
        self._outputs[name] = ortvalue

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

    def run(self, options: RunOptions | None) -> None:
        """Runs the session on what is bound. What is wrong with that is a RuntimeError."""
        self._results = []
        if not self._outputs:
            raise RuntimeError("no output is bound")
        try:
            made = self._session.run(list(self._outputs), self._inputs, options)
        except (Fail, InvalidArgument) as error:
            raise RuntimeError(str(error)) from None
        for found, value in zip(made, self._outputs.values()):
            if value is None:
                value = OrtValue(found)
            else:
                value.update_inplace(found)
            self._results.append(value)


def copy_tensors(src: Sequence[OrtValue], dst: Sequence[OrtValue], stream: Any = None) -> None:
    """Writes values into others of the same shapes and types."""
    if len(src) != len(dst):
        raise ValueError(f"copy_tensors: {len(src)} values cannot be written into {len(dst)}")
    for one, other in zip(src, dst):
        other.update_inplace(one.numpy())
