"""`freelane.jit`: functions of arrays that run as plans."""

from . import _freelane
from ._errors import TraceError

__all__ = ["jit"]


def jit(function=None, /, *, static_argnames=()):
    """Makes a function of arrays run as a plan: elementwise functions in groups, one pass over memory for each.

    The function is called once, with arrays that have a type and a shape and no elements, for each set of types, shapes
    and Python numbers that it meets; the plan that this gives runs from then on, on any number of threads at once, with
    the bits that the function itself would give. Arguments and results are arrays in tuples, lists and dictionaries, and
    Python numbers and texts, for each of which the function is traced again. static_argnames are parameters of any other
    kind, which must be hashable and are kept; equal ones count as the same, so they should not change. Arrays that the function finds elsewhere are constants of the plan: later writes
    to them are not seen. `x += y` makes a new array, which other names of x do not see.

    >>> @freelane.jit
    ... def wave(x, y):
    ...     return 2 * freelane.sin(x) * freelane.cos(y) + x * y
    >>> wave(freelane.asarray([0.0, 1.0]), freelane.asarray([1.0, 0.0])).tolist()
    [0.0, 1.682941969615793]
    """
    # Few programs jit, and an import of the package should bring no modules that it does not need.
    import functools

    if function is None:
        return functools.partial(jit, static_argnames=static_argnames)
    names = [static_argnames] if isinstance(static_argnames, str) else list(static_argnames)
    compiled = _freelane._Jit(function, names, _positions(function, names))
    return functools.update_wrapper(compiled, function)


def _positions(function, names):
    """The positions of parameters that are static."""
    if not names:
        return []
    import inspect

    parameters = inspect.signature(function).parameters
    unknown = [name for name in names if name not in parameters]
    takes_all = any(p.kind is p.VAR_KEYWORD for p in parameters.values())
    if unknown and not takes_all:
        raise ValueError(f"jit: the function has no parameter {unknown[0]!r}")
    positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return [i for i, p in enumerate(parameters.values()) if p.name in names and p.kind in positional]


def _spread(arguments):
    """`x.reshape(2, 3)` means `x.reshape((2, 3))`."""
    if len(arguments) == 1 and isinstance(arguments[0], (tuple, list)):
        return tuple(arguments[0])
    return arguments


def _reshape(x, /, *shape):
    return _freelane.reshape(x, _spread(shape))


def _transpose(x, /, *axes):
    axes = _spread(axes)
    if not axes or axes == (None,):
        axes = tuple(reversed(range(x.ndim)))
    return _freelane.permute_dims(x, axes)


def _ravel(x, /):
    return _freelane.reshape(x, (-1,))


def _namespace(x, /, *, api_version=None):
    return _freelane.empty(0).__array_namespace__(api_version=api_version)


def _itself(x, /, *arguments, **named):
    return x


# Methods of a traced array that no function has the signature of.
METHODS = {
    "reshape": _reshape,
    "transpose": _transpose,
    "ravel": _ravel,
    "flatten": _ravel,
    "copy": _itself,
    "to_device": _itself,
    "__array_namespace__": _namespace,
}


def _operator(function, reflected=False):
    """An operator of traced arrays: NotImplemented for what has operators of its own."""

    def method(x, other):
        if not _Traced._takes(other):
            return NotImplemented
        return function(other, x) if reflected else function(x, other)

    return method


def _in_place(function, name):
    """`x += y` makes a new array; what the type or shape of x could not hold is refused, as for arrays."""

    def method(x, other):
        if not _Traced._takes(other):
            return NotImplemented
        made = function(x, other)
        if made.dtype != x.dtype or made.shape != x.shape:
            raise TraceError(
                f"jit: x {name}= y makes {made.dtype} of shape {made.shape}, which x, {x.dtype} of shape {x.shape}, cannot hold;"
                f" write x = x {name} y, or convert y"
            )
        return made

    return method


def _unary(function):
    def method(x):
        return function(x)

    return method


_Traced = _freelane._Tracer
_BINARY = {
    "add": _freelane.add,
    "sub": _freelane.subtract,
    "mul": _freelane.multiply,
    "truediv": _freelane.divide,
    "floordiv": _freelane.floor_divide,
    "mod": _freelane.remainder,
    "pow": _freelane.pow,
    "matmul": _freelane.matmul,
    "and": _freelane.bitwise_and,
    "or": _freelane.bitwise_or,
    "xor": _freelane.bitwise_xor,
    "lshift": _freelane.bitwise_left_shift,
    "rshift": _freelane.bitwise_right_shift,
}
_SYMBOLS = {
    "add": "+",
    "sub": "-",
    "mul": "*",
    "truediv": "/",
    "floordiv": "//",
    "mod": "%",
    "pow": "**",
    "matmul": "@",
    "and": "&",
    "or": "|",
    "xor": "^",
    "lshift": "<<",
    "rshift": ">>",
}
_COMPARISONS = {
    "eq": _freelane.equal,
    "ne": _freelane.not_equal,
    "lt": _freelane.less,
    "le": _freelane.less_equal,
    "gt": _freelane.greater,
    "ge": _freelane.greater_equal,
}
_UNARY = {
    "neg": _freelane.negative,
    "pos": _freelane.positive,
    "abs": _freelane.abs,
    "invert": _freelane.bitwise_invert,
}
for _name, _function in _BINARY.items():
    setattr(_Traced, f"__{_name}__", _operator(_function))
    setattr(_Traced, f"__r{_name}__", _operator(_function, reflected=True))
    setattr(_Traced, f"__i{_name}__", _in_place(_function, _SYMBOLS[_name]))
for _name, _function in _COMPARISONS.items():
    setattr(_Traced, f"__{_name}__", _operator(_function))
for _name, _function in _UNARY.items():
    setattr(_Traced, f"__{_name}__", _unary(_function))
_Traced.__hash__ = None
