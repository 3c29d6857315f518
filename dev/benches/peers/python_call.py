"""What one call costs: freelane's functions on one element beside NumPy's, in one run.

    python dev/benches/peers/python_call.py [--json]

Each case is a `lambda` that is called in a loop; what the loop and an empty `lambda` cost is taken off. `median` and
`least` are nanoseconds a call, `of_numpy` is the ratio of the medians."""
import python_timing as timing
import numpy as np

import freelane as fl


def cases(n):
    """Pairs of functions by name."""
    a, b, o = fl.ones(n), fl.ones(n), fl.ones(n)
    x, y, z = np.ones(n), np.ones(n), np.ones(n)
    add, np_add, empty, np_empty = fl.add, np.add, fl.empty, np.empty
    sin, np_sin, total, np_total = fl.sin, np.sin, fl.sum, np.sum
    return {
        "add(a, b)": (lambda: add(a, b), lambda: np_add(x, y)),
        "fl.add(a, b)": (lambda: fl.add(a, b), lambda: np.add(x, y)),
        "add(a, b, out=o)": (lambda: add(a, b, out=o), lambda: np_add(x, y, out=z)),
        "a + b": (lambda: a + b, lambda: x + y),
        "a + 1.0": (lambda: a + 1.0, lambda: x + 1.0),
        "empty(n)": (lambda: empty(n), lambda: np_empty(n)),
        "sin(a)": (lambda: sin(a), lambda: np_sin(x)),
        "sin(a, out=o)": (lambda: sin(a, out=o), lambda: np_sin(x, out=z)),
        "sum(a)": (lambda: total(a), lambda: np_total(x)),
        "a.sum()": (lambda: a.sum(), lambda: x.sum()),
        "a[0]": (lambda: a[0], lambda: x[0]),
    }


def row(name, n, ours, numpys, turns):
    times = timing.in_turns({"ours": ours, "numpy": numpys, "nothing": lambda: None}, turns)
    ours, numpys = (times[name].minus(times["nothing"]) for name in ("ours", "numpy"))
    figures = {
        "median": ours.median,
        "least": ours.least,
        "numpy_median": numpys.median,
        "numpy_least": numpys.least,
        "of_numpy": ours.median / numpys.median,
        "of_numpy_least": ours.least / numpys.least,
    }
    return {"case": name, "n": n} | {key: timing.rounded(value) for key, value in figures.items()}


def main():
    args = timing.arguments(__doc__, n={"type": int, "nargs": "*", "default": [1, 64]})
    timing.pin(timing.cpus()[-1])
    rows = [row(name, n, *pair, args.turns) for n in args.n for name, pair in cases(n).items()]
    timing.show(rows, args.json, bench="python_call", freelane=fl.__version__, numpy=np.__version__)


if __name__ == "__main__":
    main()
