"""What NumPy's functions do with freelane arrays.

    numpy.f(x)  ->  freelane has f, and takes these arguments       freelane computes
                ->  else                                            NumPy computes, over the same memory

Either way the result is a freelane array, so a program written for NumPy stays with one type. NumPy sees the memory
read-only: `out=` may name an array of either kind, but functions that write into their arguments are refused. A function
or ufunc that freelane gains is used from then on; no list here names it, unless NumPy calls it or its arguments otherwise.

Imported when NumPy first asks.
"""

import functools
import inspect
import sys

import numpy as np

import freelane as fl

from ._names import RENAMED

Array = type(fl.zeros(()))
_HANDLED = (Array, np.ndarray, np.generic, bool, int, float, complex, list, tuple)

# What a ufunc's reduction is called.
REDUCTIONS = {
    "add": "sum",
    "logical_and": "all",
    "logical_or": "any",
    "maximum": "max",
    "minimum": "min",
    "multiply": "prod",
}
# Functions that write into their first argument.
WRITING = {"copyto", "fill_diagonal", "place", "put", "put_along_axis", "putmask"}
# Functions of one name and two meanings.
NUMPYS_OWN = {"arange", "can_cast", "eye", "full", "linspace", "meshgrid", "ones", "result_type", "save", "unique", "zeros"}


def _refusal(name, problem):
    return TypeError(f"numpy.{name} {problem}; take numpy.array(x), a copy that NumPy can write")


# NumPy's array of ours.


def array(x, dtype=None, copy=None):
    """`x.__array__`: over the elements, read-only, or a copy."""
    if x.dtype == fl.bfloat16:
        return _bfloat16(x, dtype, copy)
    view = np.asarray(memoryview(x))
    wanted = view.dtype if dtype is None else np.dtype(dtype)
    if copy is False and wanted != view.dtype:
        raise ValueError(f"a {view.dtype} array as {wanted} is a copy, which copy=False forbids")
    return np.array(view, dtype=wanted) if copy else view.astype(wanted, copy=False)


def _bfloat16(x, dtype, copy):
    known = sys.modules.get("ml_dtypes")
    if known is not None and (dtype is None or np.dtype(dtype) == known.bfloat16):
        view = np.frombuffer(x.__reduce_ex__(5)[1][0], dtype=known.bfloat16).reshape(x.shape)
        return view.copy() if copy else view
    if dtype is None or copy is False:
        raise TypeError("NumPy has no bfloat16; take x.astype(freelane.float32), or import ml_dtypes, which has it")
    return array(x.astype(fl.float32), dtype)


# Ours of NumPy's.


def _ours(value):
    """Arrays and scalars of NumPy's, and lists, as an array of ours; Python's numbers adapt to their neighbours."""
    if isinstance(value, (Array, bool, int, float, complex, str)) and not isinstance(value, np.generic):
        return value
    return fl.asarray(np.asarray(value))


def _theirs(value):
    """Arrays of ours as NumPy's, however deep they lie."""
    if isinstance(value, Array):
        return np.asarray(value)
    if isinstance(value, (list, tuple)) and any(isinstance(v, (Array, list, tuple)) for v in value):
        items = [_theirs(v) for v in value]
        return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)
    return value


def _wrap(value):
    """What NumPy computed, as ours where we have the dtype."""
    if isinstance(value, (np.ndarray, np.generic)):
        try:
            return fl.asarray(np.asarray(value))
        except TypeError:
            return value
    if isinstance(value, (list, tuple)):
        items = [_wrap(v) for v in value]
        return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)
    return value


def _by_numpy(function, args, kwargs):
    out = kwargs.pop("out", None)
    args = [_theirs(v) for v in args]
    kwargs = {k: _theirs(v) for k, v in kwargs.items()}
    if _is_numpys(out):
        return function(*args, out=out, **kwargs)
    if "where" in kwargs and isinstance(out, (Array, tuple)):
        # What `where` leaves out stays as it was.
        kwargs["out"] = tuple(np.array(o) for o in (out if isinstance(out, tuple) else (out,)))
    return _into(out, _wrap(function(*args, **kwargs)))


def _is_numpys(out):
    outs = out if isinstance(out, tuple) else (out,)
    return any(isinstance(o, np.ndarray) for o in outs)


def _into(out, result):
    """Writes a result to the array, or tuple of arrays, asked for."""
    if isinstance(out, tuple) and len(out) == 1:
        out = out[0]
    if out is None or (isinstance(out, tuple) and all(o is None for o in out)):
        return result
    if isinstance(out, tuple):
        return tuple(_into(o, r) for o, r in zip(out, result, strict=True))
    if out.shape != result.shape:
        raise ValueError(f"out has shape {tuple(out.shape)}, the result {tuple(result.shape)}")
    out[...] = result
    return out


# Ufuncs.


def array_ufunc(_x, args, kwargs):
    """`x.__array_ufunc__`."""
    ufunc, method, *inputs = args
    if not _handled(inputs):
        return NotImplemented
    own = _own_ufunc(ufunc)
    if not kwargs and own is not None and method == "__call__":
        return own(*inputs)
    kwargs = dict(kwargs or {})
    outs = kwargs.get("out", ())
    if not all(o is None or isinstance(o, _HANDLED) for o in outs):
        return NotImplemented
    if method == "at":
        raise _refusal(f"{ufunc.__name__}.at", "writes into its first argument, and freelane arrays are values")
    plain = _plain_ufunc(ufunc, method, inputs, kwargs)
    if plain is None or _is_numpys(outs):
        return _by_numpy(getattr(ufunc, method), inputs, kwargs)
    return _into(outs, plain())


def _handled(inputs):
    for value in inputs:
        if type(value) is not Array and not isinstance(value, _HANDLED):
            return False
    return True


@functools.lru_cache(maxsize=None)
def _own_ufunc(ufunc):
    """Our function that does what a ufunc of NumPy's does."""
    name = ufunc.__name__
    return getattr(fl, RENAMED.get(name, name), None) if getattr(np, name, None) is ufunc else None


def _plain_ufunc(ufunc, method, inputs, kwargs):
    """The call of our own that does the same, if there is one."""
    if not set(kwargs) <= {"out", "axis", "keepdims", "dtype"} or getattr(np, ufunc.__name__, None) is not ufunc:
        return None
    reduction = REDUCTIONS.get(ufunc.__name__)
    if method == "reduce" and reduction is not None:
        return lambda: _reduce(getattr(fl, reduction), *inputs, **_without_out(kwargs))
    own = _own_ufunc(ufunc)
    if own is None or method not in ("__call__", "outer") or not set(kwargs) <= {"out", "dtype"}:
        return None
    inputs = [_ours(v) for v in inputs]
    if kwargs.get("dtype") is not None:
        inputs = [fl.asarray(v).astype(kwargs["dtype"]) for v in inputs]
    if method == "outer":
        a, b = (fl.asarray(v) for v in inputs)
        inputs = [a.reshape(tuple(a.shape) + (1,) * b.ndim), b]
    return lambda: own(*inputs)


def _without_out(kwargs):
    return {k: v for k, v in kwargs.items() if k != "out"}


def _reduce(reduction, a, axis=0, dtype=None, keepdims=False):
    x = _ours(a)
    if dtype is not None:
        x = x.astype(dtype)
    return reduction(x, axis=axis, keepdims=bool(keepdims))


# Functions.


def array_function(_x, func, types, args, kwargs):
    """`x.__array_function__`."""
    for kind in types:
        if kind is not Array and not issubclass(kind, np.ndarray):
            return NotImplemented
    own = _OWN.get(func)
    out = kwargs.get("out")
    if own is not None and out is None:
        result = _call_own(own, args, kwargs)
        return _by_numpy(func, args, dict(kwargs)) if result is NotImplemented else result
    if func.__name__ in WRITING:
        raise _refusal(func.__name__, "writes into its first argument, and freelane arrays are values")
    kwargs = dict(kwargs)
    if _is_numpys(out):
        return _by_numpy(func, args, kwargs)
    result = NotImplemented
    if own is not None:
        result = _call_own(own, args, _without_out(kwargs))
    elif func.__name__ not in NUMPYS_OWN:
        result = _call_counterpart(func, args, _without_out(kwargs))
    return _by_numpy(func, args, kwargs) if result is NotImplemented else _into(out, result)


@functools.lru_cache(maxsize=None)
def _signature(function):
    try:
        return inspect.signature(function)
    except (TypeError, ValueError):
        return None


@functools.lru_cache(maxsize=None)
def _takes(own):
    """How many arguments a function of `_OWN` takes by position, and all names."""
    parameters = _signature(own).parameters.values()
    return sum(p.kind is not p.KEYWORD_ONLY for p in parameters), {p.name for p in parameters}


def _call_own(own, args, kwargs):
    """Calls a function of `_OWN` if it takes these arguments. Like a function of its own, it may say `NotImplemented`."""
    places, names = _takes(own)
    if "out" in kwargs:
        kwargs = _without_out(kwargs)
    if len(args) > places or not kwargs.keys() <= names:
        return NotImplemented
    return own(*args, **kwargs)


def _counterpart(func):
    """Our function of the same name, in the same submodule."""
    space = fl
    for part in func.__module__.split(".")[1:]:
        space = getattr(space, part, None)
    return getattr(space, RENAMED.get(func.__name__, func.__name__), None)


def _call_counterpart(func, args, kwargs):
    """Calls our function of the same name, if its parameters after the arrays have the names that NumPy's have."""
    own, theirs = _counterpart(func), _signature(func)
    mine = own and _signature(own)
    if mine is None or theirs is None:
        return NotImplemented
    arrays = sum(p.kind is p.POSITIONAL_ONLY for p in mine.parameters.values())
    positional, named = [], {}
    for name, value in theirs.bind(*args, **kwargs).arguments.items():
        if theirs.parameters[name].kind is inspect.Parameter.VAR_POSITIONAL:
            positional += [_ours(v) for v in value]
        elif not named and len(positional) < arrays and isinstance(value, (Array, np.ndarray)):
            positional.append(_ours(value))
        elif name not in mine.parameters:
            return NotImplemented
        elif mine.parameters[name].kind is inspect.Parameter.POSITIONAL_ONLY and not named:
            positional.append(_ours(value))
        elif value is None and mine.parameters[name].default is not None:
            return NotImplemented
        elif mine.parameters[name].kind is not inspect.Parameter.POSITIONAL_ONLY:
            named[name] = value
        else:
            return NotImplemented
    try:
        return own(*positional, **named)
    except ValueError:
        # NumPy may know a way, told by its name, that we do not.
        if any(isinstance(value, str) for value in named.values()):
            return NotImplemented
        raise


def _reduction(name):
    def run(a, axis=None, dtype=None, *, keepdims=False):
        return _reduce(getattr(fl, name), a, axis, dtype, keepdims)

    return run


def _unpromoted(name):
    def run(a, axis=None, *, keepdims=False):
        return _reduce(getattr(fl, name), a, axis, None, keepdims)

    return run


def _spread(name):
    def run(a, axis=None, dtype=None, *, ddof=0, keepdims=False):
        return _reduce(functools.partial(getattr(fl, name), correction=ddof), a, axis, dtype, keepdims)

    return run


def _concatenate(arrays, axis=0, *, dtype=None):
    arrays = [fl.asarray(_ours(a)) for a in arrays]
    if dtype is not None:
        arrays = [a.astype(dtype) for a in arrays]
    if axis is None:
        arrays, axis = [a.reshape((-1,)) for a in arrays], 0
    return fl.concat(arrays, axis=axis)


def _stack(arrays, axis=0):
    return fl.stack([fl.asarray(_ours(a)) for a in arrays], axis=axis)


def _where(condition, x=None, y=None):
    if x is None or y is None:
        return NotImplemented
    return fl.where(_ours(condition), _ours(x), _ours(y))


def _transpose(a, axes=None):
    x = _ours(a)
    return fl.permute_dims(x, tuple(range(x.ndim))[::-1] if axes is None else tuple(axes))


def _reshape(a, /, shape):
    return _ours(a).reshape(shape)


def _ravel(a):
    return _ours(a).reshape((-1,))


def _squeeze(a, axis=None):
    x = _ours(a)
    return fl.squeeze(x, tuple(i for i, n in enumerate(x.shape) if n == 1) if axis is None else axis)


def _expand_dims(a, axis):
    x = _ours(a)
    if not isinstance(axis, (tuple, list)):
        return fl.expand_dims(x, axis=axis)
    rank = x.ndim + len(axis)
    for at in sorted(i + rank if i < 0 else i for i in axis):
        x = fl.expand_dims(x, axis=at)
    return x


def _broadcast_to(array, shape):
    return fl.broadcast_to(_ours(array), (shape,) if isinstance(shape, int) else tuple(shape))


def _take(a, indices, axis=None):
    x = _ours(a)
    if axis is None:
        x, axis = x.reshape((-1,)), 0
    axis = axis + x.ndim if axis < 0 else axis
    return x[(slice(None),) * axis + (_ours(indices),)]


def _round(a, decimals=0):
    x = _ours(a)
    return fl.round(x) if decimals == 0 else NotImplemented


def _clip(a, a_min=None, a_max=None, *, min=None, max=None):
    x = _ours(a)
    low, high = (min if a_min is None else a_min), (max if a_max is None else a_max)
    if low is not None:
        x = fl.maximum(x, _ours(low))
    return x if high is None else fl.minimum(x, _ours(high))


def _dot(a, b):
    a, b = fl.asarray(_ours(a)), fl.asarray(_ours(b))
    if a.ndim == 0 or b.ndim == 0:
        return fl.multiply(a, b)
    return fl.matmul(a, b) if b.ndim <= 2 else NotImplemented


def _allclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    return bool(fl.allclose(_ours(a), _ours(b), rtol, atol, equal_nan))


def _array_equal(a1, a2, equal_nan=False):
    return bool(fl.array_equal(_ours(a1), _ours(a2), equal_nan=equal_nan))


def _copy(a):
    return fl.asarray(_ours(a), copy=True)


def _astype(x, dtype, /):
    return _ours(x).astype(dtype)


def _like(make):
    def run(prototype, dtype=None, *, shape=None):
        shape = prototype.shape if shape is None else shape
        dtype = _ours(prototype).dtype if dtype is None else dtype
        return make(tuple(shape) if not isinstance(shape, int) else (shape,), dtype)

    return run


def _full_like(a, fill_value, dtype=None, *, shape=None):
    return _like(lambda shape, dtype: fl.full(shape, _number(fill_value, dtype), dtype=dtype))(a, dtype, shape=shape)


def _nan_to_num(x, copy=True, nan=0.0, posinf=None, neginf=None):
    if not isinstance(x, Array) or not all(isinstance(v, (int, float, type(None))) for v in (nan, posinf, neginf)):
        return NotImplemented
    result = fl.nan_to_num(x, nan, posinf, neginf)
    return result if copy else _into(x, result)


def _number(value, dtype):
    """A fill value as Python's number, converted as NumPy does."""
    return np.asarray(value).astype(np.dtype(dtype)).item()


def _size(a, axis=None):
    x = _ours(a)
    return x.size if axis is None else x.shape[axis]


# Functions whose arguments or meaning differ from those of ours. What one does not take goes to NumPy.
_BY_NAME = {
    "all": _unpromoted("all"),
    "allclose": _allclose,
    "amax": _unpromoted("max"),
    "amin": _unpromoted("min"),
    "any": _unpromoted("any"),
    "argmax": _unpromoted("argmax"),
    "argmin": _unpromoted("argmin"),
    "array_equal": _array_equal,
    "astype": _astype,
    "broadcast_to": _broadcast_to,
    "clip": _clip,
    "concat": _concatenate,
    "concatenate": _concatenate,
    "copy": _copy,
    "count_nonzero": _unpromoted("count_nonzero"),
    "dot": _dot,
    "empty_like": _like(lambda shape, dtype: fl.empty(shape, dtype=dtype)),
    "expand_dims": _expand_dims,
    "full_like": _full_like,
    "max": _unpromoted("max"),
    "mean": _reduction("mean"),
    "min": _unpromoted("min"),
    "nan_to_num": _nan_to_num,
    "ndim": lambda a: _ours(a).ndim,
    "ones_like": _like(lambda shape, dtype: fl.ones(shape, dtype=dtype)),
    "permute_dims": _transpose,
    "prod": _reduction("prod"),
    "ravel": _ravel,
    "reshape": _reshape,
    "round": _round,
    "shape": lambda a: tuple(_ours(a).shape),
    "size": _size,
    "squeeze": _squeeze,
    "stack": _stack,
    "std": _spread("std"),
    "sum": _reduction("sum"),
    "take": _take,
    "transpose": _transpose,
    "var": _spread("var"),
    "where": _where,
    "zeros_like": _like(lambda shape, dtype: fl.zeros(shape, dtype=dtype)),
}
# By NumPy's function, which is what it asks with.
_OWN = {getattr(np, name): own for name, own in _BY_NAME.items() if hasattr(np, name)}
