"""A loop that makes a small array each time round, `x += zeros_like(x)`: freelane, NumPy, and Numba if it is installed.

    python dev/benches/peers/python_nrt.py [--json]

Nanoseconds a time round on each thread, medians of the turns, for 0-d arrays and for 64 elements. freelane and NumPy
run in the interpreter, whose loop (about 10 ns) is not taken off; Numba compiles the loop and lets go of the
interpreter. `efficiency` is the time on one thread divided by the time on several; `cpu` is processor time, which
leaves out what other programs take, but also waiting."""
import statistics
from concurrent.futures import ThreadPoolExecutor

import python_timing as timing
import numpy as np

import freelane as fl

TURN_NS = 40_000_000


def interpreted(library, shape):
    zeros_like = library.zeros_like

    def make(_thread):
        x = library.ones(shape)

        def run(operations):
            nonlocal x
            y = x
            for _ in range(operations):
                y += zeros_like(y)
            x = y

        return run

    return make


def compiled(shape):
    import numba

    if shape:

        @numba.njit(nogil=True)
        def loop(x, operations):
            for _ in range(operations):
                x += np.zeros_like(x)
    else:

        @numba.njit(nogil=True)
        def loop(x, operations):
            for _ in range(operations):
                x[()] += np.zeros_like(x)[()]

    loop(np.ones(shape), 1)

    def make(_thread):
        x = np.ones(shape)
        return lambda operations: loop(x, operations)

    return make


def contestants(shape):
    makes = {"freelane": interpreted(fl, shape), "numpy": interpreted(np, shape)}
    try:
        return makes | {"numba": compiled(shape)}
    except ImportError:
        return makes


def rows_of(shape, threads, turns):
    makes = contestants(shape)
    operations = {name: timing.operations_for(make, TURN_NS, 1000) for name, make in makes.items()}
    ns = {(name, t): [] for name in makes for t in threads}
    executors = {t: ThreadPoolExecutor(t) for t in threads}
    for turn in range(turns):
        for name, t in ns:
            ns[name, t].append(timing.on_threads(executors[t], t, makes[name], operations[name], turn))
    for executor in executors.values():
        executor.shutdown()

    def row(name, t):
        values, alone = ([turn[0] for turn in ns[name, n]] for n in (t, threads[0]))
        cpu, cpu_alone = (statistics.median(turn[1] for turn in ns[name, n]) for n in (t, threads[0]))
        return {
            "library": name,
            "shape": str(shape),
            "threads": t,
            "ns": timing.rounded(statistics.median(values)),
            "least": timing.rounded(min(values)),
            "efficiency": timing.rounded(statistics.median(alone) / statistics.median(values)),
            "efficiency_of_least": timing.rounded(min(alone) / min(values)),
            "cpu_ns": timing.rounded(cpu),
            "efficiency_cpu": timing.rounded(cpu_alone / cpu),
        }

    return [row(name, t) for name, t in ns]


def main():
    args = timing.arguments(__doc__, threads={"type": int, "nargs": "*", "default": [1, 2]})
    rows = [row for shape in ((), (64,)) for row in rows_of(shape, args.threads, args.turns)]
    timing.show(rows, args.json, bench="python_nrt", freelane=fl.__version__, numpy=np.__version__)


if __name__ == "__main__":
    main()
