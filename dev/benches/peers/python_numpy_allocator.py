"""What NumPy's operations cost with its own memory and with freelane's, in turns in one run.

    python dev/benches/peers/python_numpy_allocator.py [--json]

`own` and `ours` are nanoseconds an operation on each thread, medians over the turns; `in_context` is NumPy's own memory
in a thread whose context has a variable set, as it has with any handler. `ratio` is ours divided by own, `ratio_cpu`
the same of processor time, which says more on a busy machine. Small cases keep the loop's cost, about 10 ns."""
import contextvars
import statistics
from concurrent.futures import ThreadPoolExecutor

import python_timing as timing
import numpy as np

from freelane import numpy_allocator

MIB = 1 << 20


def empty(n):
    def make(_thread):
        make_empty = np.empty

        def run(operations):
            for _ in range(operations):
                make_empty(n)

        return run

    return make


def add(n):
    def make(_thread):
        a, b = np.ones(n), np.ones(n)

        def run(operations):
            for _ in range(operations):
                a + b

        return run

    return make


def temporaries(size):
    def make(_thread):
        x = np.ones(size // 8)

        def run(operations):
            for _ in range(operations):
                (x + 1) * 2 - x

        return run

    return make


def held(count, size):
    def make(_thread):
        def run(operations):
            for _ in range(operations):
                arrays = [np.empty(size, np.uint8) for _ in range(count)]
                for array in arrays:
                    array[::4096] = 1

        return run

    return make


CASES = {
    "empty(64)": (empty(64), 30_000),
    "a + b, 64": (add(64), 10_000),
    "a + b, 1,000": (add(1_000), 5_000),
    "(x + 1) * 2 - x, 1 MiB": (temporaries(MIB), 60),
    "(x + 1) * 2 - x, 16 MiB": (temporaries(16 * MIB), 4),
    "(x + 1) * 2 - x, 64 MiB": (temporaries(64 * MIB), 2),
    "four of 1 MiB held": (held(4, MIB), 60),
    "four of 16 MiB held": (held(4, 16 * MIB), 6),
}


def own(run):
    return run


def in_context(run):
    """NumPy's own memory, in a context with a variable: that alone makes NumPy's look-ups there slower."""

    def with_variable(operations):
        _variable.set(1)
        run(operations)

    return with_variable


def ours(run):
    def with_handler(operations):
        with numpy_allocator.using():
            run(operations)

    return with_handler


_variable = contextvars.ContextVar("variable")
MODES = [own, in_context, ours]


def once(threads, make, operations, turn, mode):
    def start(thread):
        made = []
        mode(lambda _operations: made.append(make(thread)))(1)
        return mode(made[0])

    with ThreadPoolExecutor(threads) as executor:
        return timing.on_threads(executor, threads, start, operations, turn)


def row(name, threads, turns):
    """Each turn is one of all modes, in an order that changes."""
    times = {mode.__name__: [] for mode in MODES}
    for turn in range(turns):
        for i in range(len(MODES)):
            mode = MODES[(turn + i) % len(MODES)]
            times[mode.__name__].append(once(threads, *CASES[name], turn, mode))
    passed = {mode: [t[0] for t in values] for mode, values in times.items()}
    cpu = {mode: [t[1] for t in values] for mode, values in times.items()}
    figures = {mode: statistics.median(values) for mode, values in passed.items()} | {
        "ratio": statistics.median(passed["ours"]) / statistics.median(passed["own"]),
        "ratio_least": min(passed["ours"]) / min(passed["own"]),
        "ratio_cpu": statistics.median(cpu["ours"]) / statistics.median(cpu["own"]),
        "ratio_cpu_in_context": statistics.median(cpu["ours"]) / statistics.median(cpu["in_context"]),
    }
    return {"case": name, "threads": threads} | {key: timing.rounded(value) for key, value in figures.items()}


def main():
    args = timing.arguments(__doc__, threads={"type": int, "nargs": "*", "default": [1, 2]})
    rows = [row(name, threads, args.turns) for name in CASES for threads in args.threads]
    timing.show(rows, args.json, bench="python_numpy_allocator", numpy=np.__version__)


if __name__ == "__main__":
    main()
