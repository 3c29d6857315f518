"""One comparison timed: whole calls from Python, both libraries in turns within one run."""
import functools
import sys
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np  # noqa: E402
import python_timing as timing  # noqa: E402

import freelane as fl  # noqa: E402
import operands as made  # noqa: E402

AXIS = {"axis 0": ", axis=0", "axis 1": ", axis=1"}


class Unable(Exception):
    """A library has no such function, or not for these operands."""


def expression(text, layout):
    return text.replace("{axis}", AXIS.get(layout, ""))


def ours(case, layout, values):
    """The call of freelane, with operands of its own making."""
    names = {name: lay(fl.asarray(v, copy=True)) for name, (v, lay) in values.items()}
    return eval(f"lambda: {expression(case.ours, layout)}", {"fl": fl, "xp": fl, **names})


def numpys(case, layout, values):
    names = {name: lay(v) for name, (v, lay) in values.items()}
    ready = {name: eval(text, {"np": np}) for name, text in case.setup.items()}
    return eval(f"lambda: {expression(case.peer, layout)}", {"np": np, "xp": np, **ready, **names})


def numexprs(case, layout, values):
    import numexpr

    numexpr.set_num_threads(1)
    names = {name: lay(v) for name, (v, lay) in values.items()}
    text = expression(case.numexpr, layout)
    return lambda: numexpr.evaluate(text, local_dict=names, global_dict={})


def numbas(case, layout, values):
    """NumPy's expression compiled, once for all lengths."""
    names = {name: lay(v) for name, (v, lay) in values.items()}
    text = f"lambda {', '.join(names)}: {expression(case.peer, layout).replace('xp.', 'np.')}"
    dtypes = tuple(v.dtype.str for v in names.values())
    if (text, dtypes) in REFUSED:
        raise Unable("does not compile")
    function, arguments = compiled(text), tuple(names.values())
    try:
        function(*arguments)
    except Exception:
        REFUSED.add((text, dtypes))
        raise
    return lambda: function(*arguments)


REFUSED = set()


@functools.lru_cache(maxsize=None)
def compiled(text):
    import numba

    return numba.njit(eval(text, {"np": np}))


def contestants(case, layout, values, peers):
    """Functions by library; freelane and NumPy must be able, the others may."""
    found = {"freelane": able(lambda: ours(case, layout, values))}
    if case.peer and "numpy" in peers:
        found["numpy"] = able(lambda: numpys(case, layout, values))
    if case.numexpr and "numexpr" in peers:
        found |= maybe("numexpr", lambda: numexprs(case, layout, values))
    if case.peer and "numba" in peers and layout == "contiguous":
        found |= maybe("numba", lambda: numbas(case, layout, values))
    return found


def able(make):
    try:
        call = make()
        call()
    except Exception as error:
        raise Unable(f"{type(error).__name__}: {error}".splitlines()[0]) from error
    return call


def maybe(name, make):
    try:
        return {name: able(make)}
    except Unable:
        return {}


def agree(left, right):
    """Whether two results are the same but for rounding."""
    if isinstance(left, (tuple, list)):
        return len(left) == len(right) and all(map(agree, left, right))
    left, right = np.asarray(left), np.asarray(right)
    if left.shape != right.shape:
        return False
    return bool(np.allclose(left, right, rtol=1e-3, atol=1e-3 * (abs(right[np.isfinite(right)]).max(initial=0)), equal_nan=True))


def rows(case, n, layout, dtype, peers, turns, turn_ns):
    """One row a peer: nanoseconds a call of both, medians and least."""
    values = made.operands(case, n, layout, dtype)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        calls = contestants(case, layout, values, peers)
        if case.exact and "numpy" in calls and not agree(calls["freelane"](), calls["numpy"]()):
            raise Unable("the results differ from NumPy's")
        times = timing.in_turns(calls, turns, turn_ns)
    mine = times.pop("freelane")
    return [row(case, n, layout, dtype, mine, peer, theirs) for peer, theirs in times.items()]


def row(case, n, layout, dtype, mine, peer, theirs):
    return {
        "function": case.function,
        "case": case.label,
        "family": case.family,
        "n": n,
        "layout": layout,
        "dtype": dtype,
        "peer": peer,
        "ns": round(mine.median, 1),
        "least_ns": round(mine.least, 1),
        "peer_ns": round(theirs.median, 1),
        "peer_least_ns": round(theirs.least, 1),
        "ratio": round(theirs.median / mine.median, 4),
    }
