"""What Numba and NumPy take for the floor's cases, one JSON line each: compare with freelane's from the same run.

    pip install numpy numba
    python dev/benches/peers/floor.py

NumPy's bundled OpenBLAS starts threads at import: OPENBLAS_NUM_THREADS=1 is set here."""
import json
import os
import statistics
import time

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
import numpy as np


def median_ns(run, operations, repeats=9):
    """Median and least nanoseconds an operation over some repeats; `run` is called once before."""
    run()
    times = []
    for _ in range(repeats):
        start = time.perf_counter_ns()
        run()
        times.append((time.perf_counter_ns() - start) / operations)
    return statistics.median(times), min(times)


def emit(peer, case, n, times):
    print(json.dumps({"peer": peer, "case": case, "n": n, "ns_per_op": round(times[0], 3), "least": round(times[1], 3)}))


def numba_allocation():
    import numba

    @numba.njit(nogil=True)
    def zeros(count, n):
        total = 0.0
        for _ in range(count):
            x = np.zeros(n)
            x[0] += 1.0
            total += x[n - 1]
        return total

    @numba.njit(nogil=True)
    def add_zeros(x, count):
        for _ in range(count):
            x += np.zeros_like(x)
        return x

    count = 2_000_000
    emit(f"numba {numba.__version__}", "allocate, zero, free", 64, median_ns(lambda: zeros(count, 64), count))
    x = np.ones(64)
    emit(f"numba {numba.__version__}", "x += zeros_like(x)", 64, median_ns(lambda: add_zeros(x, count), count))


def numpy_functions():
    for n in (10_000, 1_000_000):
        x = np.linspace(-30.0, 30.0, n)
        out = np.empty_like(x)
        calls = max(1, 2_000_000 // n)

        def repeated(f):
            for _ in range(calls):
                f()

        for f in (np.sin, np.cos, np.exp, np.log, np.tanh, np.sqrt):
            y = np.abs(x) + 0.1 if f in (np.log, np.sqrt) else x
            emit(f"numpy {np.__version__}", f"{f.__name__} into out, ns an element", n,
                 median_ns(lambda: repeated(lambda: f(y, out=out)), calls * n))
        emit(f"numpy {np.__version__}", "add into out, ns an element", n,
             median_ns(lambda: repeated(lambda: np.add(x, x, out=out)), calls * n))
        emit(f"numpy {np.__version__}", "sum, ns an element", n, median_ns(lambda: repeated(lambda: x.sum()), calls * n))


if __name__ == "__main__":
    try:
        numba_allocation()
    except ImportError:
        print(json.dumps({"peer": "numba", "skipped": "not installed"}))
    numpy_functions()
