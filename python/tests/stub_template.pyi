# Written by python/tests/stubs.py from the module: UPDATE_EXPECT=1 with python/tests/test_stubs.py writes it anew.
import builtins
from collections.abc import Callable, Iterator, Mapping, Sequence
from os import PathLike
from types import EllipsisType, ModuleType
from typing import Any, ClassVar, Final, Literal, NamedTuple, Protocol, SupportsIndex, TypeAlias, final, overload
from typing_extensions import Buffer, Self

class _SupportsDLPack(Protocol):
    def __dlpack__(self, *, stream: None = None) -> Any: ...
    def __dlpack_device__(self) -> tuple[Any, int]: ...

class _SupportsArrow(Protocol):
    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]: ...

class _HasName(Protocol):
    @property
    def name(self) -> str: ...

# The module and its classes have these names too.
_bool: TypeAlias = builtins.bool
_dtype: TypeAlias = dtype
_str: TypeAlias = builtins.str
_Scalar: TypeAlias = int | float | complex
_Nested: TypeAlias = Sequence[_Scalar | Array | _Nested]
_ArrayLike: TypeAlias = Array | _Scalar | _Nested | Buffer | _SupportsDLPack | _SupportsArrow
_DTypeLike: TypeAlias = dtype | str | type[_Scalar] | _HasName
_Kind: TypeAlias = dtype | str
_One: TypeAlias = SupportsIndex | slice | EllipsisType | Array | Sequence[Any] | None
_Index: TypeAlias = _One | tuple[_One, ...]
_Path: TypeAlias = str | PathLike[str]

__version__: Final[str]
__array_api_version__: Final[str]
e: Final[float]
inf: Final[float]
nan: Final[float]
newaxis: Final[None]
pi: Final[float]

@final
class dtype:
    """The type of an array's elements: dtype('float32') is freelane.float32."""
    def __new__(cls, name: _DTypeLike, /) -> Self: ...
    def __eq__(self, other: object, /) -> _bool: ...
    def __hash__(self) -> int: ...
    def __reduce__(self) -> tuple[Any, ...]: ...
    # members of dtype

# dtypes

@final
class Array:
    """An n-dimensional array with value semantics; freelane.asarray makes one."""
    # members of Array
    def __bool__(self) -> _bool: ...
    def __buffer__(self, flags: int, /) -> memoryview: ...
    def __contains__(self, value: _ArrayLike, /) -> _bool: ...
    def __delitem__(self, index: Any, /) -> None: ...
    def __float__(self) -> float: ...
    def __getitem__(self, index: _Index, /) -> Array: ...
    __hash__: ClassVar[None]  # type: ignore[assignment]  # pyright: ignore[reportIncompatibleMethodOverride]
    def __index__(self) -> int: ...
    def __int__(self) -> int: ...
    def __iter__(self) -> Iterator[Array]: ...
    def __len__(self) -> int: ...
    def __setitem__(self, index: _Index, value: _ArrayLike, /) -> None: ...
    # operators

class AxisError(ValueError, IndexError):
    """An axis that the array does not have. NumPy has one of the same name and kind."""

class CancelledError(RuntimeError):
    """A run that another thread ended."""

class TraceError(TypeError):
    """Something that needs elements was asked of an array while freelane.jit traces its function."""

@final
class _Jitted:
    def __call__(self, *arguments: Any, **named: Any) -> Any: ...
    def __get__(self, object: Any, kind: Any = None, /) -> Any: ...
    def clear(self) -> None: ...
    def graph(self, *arguments: Any, **named: Any) -> _str: ...
    def plans(self) -> int: ...

@overload
def jit(function: Callable[..., Any], /, *, static_argnames: _str | Sequence[_str] = ()) -> _Jitted: ...
@overload
def jit(
    function: None = None, /, *, static_argnames: _str | Sequence[_str] = ()
) -> Callable[[Callable[..., Any]], _Jitted]:
    """Makes a function of arrays run as a plan: elementwise functions in groups, one pass over memory for each."""

class finfo:
    """Limits of a floating-point dtype, or of an array's; those of the parts for complex ones."""
    bits: int
    dtype: _dtype
    eps: float
    max: float
    min: float
    smallest_normal: float
    @property
    def tiny(self) -> float: ...
    def __init__(self, type: _DTypeLike | Array, /) -> None: ...

class iinfo:
    """Limits of an integer dtype, or of an array's."""
    bits: int
    dtype: _dtype
    max: int
    min: int
    def __init__(self, type: _DTypeLike | Array, /) -> None: ...

class _Info:
    def capabilities(self) -> dict[str, Any]: ...
    def default_device(self) -> str: ...
    def default_dtypes(self, *, device: Literal["cpu"] | None = None) -> dict[str, _dtype]: ...
    def devices(self) -> Sequence[str]: ...
    def dtypes(
        self, *, device: Literal["cpu"] | None = None, kind: str | tuple[str, ...] | None = None
    ) -> dict[str, _dtype]: ...

def __array_namespace_info__() -> _Info: ...
def isdtype(dtype: _DTypeLike, kind: _Kind | tuple[_Kind, ...]) -> _bool:
    """Whether a dtype is of a kind: a dtype, one of the standard's names of kinds, or a tuple of those."""

@final
class parallel:
    """Spreads the work of large calls in a with block over this many threads; all that there are if none are given."""
    def __new__(cls, threads: int | None = None, /) -> Self: ...
    @property
    def threads(self) -> int: ...
    def __enter__(self) -> Self: ...
    def __exit__(self, *_reason: object) -> None: ...

@final
class Cancel:
    """Ends the runs it was given to, from another thread."""
    def __new__(cls) -> Self: ...
    def cancel(self) -> None:
        """Ends the runs that were given this, before their next node."""
    def reset(self) -> None:
        """Lets runs go on again."""
    @property
    def cancelled(self) -> _bool: ...

@final
class Session:
    """An ONNX model, loaded once and run from any number of threads at once."""
    def __new__(
        cls,
        model: _Path | bytes | bytearray | memoryview,
        /,
        *,
        threads: int = 1,
        profile: _bool = False,
        optimize: _bool = True,
    ) -> Self: ...
    def run(
        self,
        inputs: Mapping[_str, Any] | Sequence[Any] | None = None,
        /,
        *,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        **named: Any,
    ) -> list[Any]:
        """Runs the model on inputs by name, in order, or as named arguments; returns its outputs as a list."""
    @property
    def inputs(self) -> list[tuple[_str, _str | None, tuple[int | _str | None, ...] | None]]: ...
    @property
    def outputs(self) -> list[tuple[_str, _str | None, tuple[int | _str | None, ...] | None]]: ...
    @property
    def metadata(self) -> dict[_str, Any]: ...
    def profile(self) -> list[tuple[_str, _str, int, float]]:
        """Time of each node, the slowest first: node, operator, runs, seconds."""
    def memory(self) -> dict[_str, int]:
        """Bytes of weights, lanes that keep tables, bytes that values of a run need."""
    def trim(self) -> int:
        """Frees what threads keep for their next run."""

def savez(path: _Path, /, *arrays: _ArrayLike, **named: _ArrayLike) -> None:
    """Writes arrays to a .npz or .safetensors file: keywords by their names, others as arr_0, arr_1 and so on."""

def savez_compressed(path: _Path, /, *arrays: _ArrayLike, **named: _ArrayLike) -> None:
    """As savez, deflated."""

# results
# functions
