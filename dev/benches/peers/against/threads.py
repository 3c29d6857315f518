"""How much faster large arrays are with a `Runtime`: one thread and several take turns within one run; time that passes.

`bytes_per_ns` is what a call reads and writes at least, over its time on several threads. Where that comes near what copies in
as many threads of NumPy's reach together, memory sets the pace."""
import statistics
import threading
import time

import numpy as np

import freelane as fl
import operands as made
import report
from measure import Unable, able, ours, timing
from table import CASES

LEAST = 100_000
LAYOUTS = ("contiguous", "axis 0", "axis 1", "broadcast")


def plan(wanted):
    """The largest arrays of each case, contiguous, in double precision or what comes nearest."""
    for case in CASES:
        n, kind = max(case.sizes), "f" if "f" in case.dtypes else case.dtypes[0]
        if wanted(case) and n >= LEAST:
            yield from ((case, n, layout, made.DTYPES[kind][-1]) for layout in case.layouts if layout in LAYOUTS)


def passed(call, calls):
    start = time.perf_counter_ns()
    for _ in range(calls):
        call()
    return (time.perf_counter_ns() - start) / calls


def row(case, n, layout, dtype, runtime, turns, turn_ns):
    """The least times of a call, on one thread and on several."""
    values = made.operands(case, n, layout, dtype)
    call = able(lambda: ours(case, layout, values))
    calls = timing.calls_for(call, turn_ns)
    one, several = [], []
    for _ in range(turns):
        one.append(passed(call, calls))
        with runtime:
            several.append(passed(call, calls))
    size = sum(v.nbytes for v, _ in values.values()) + nbytes(call())
    return {
        "function": case.name,
        "family": case.family,
        "n": n,
        "layout": layout,
        "dtype": dtype,
        "ns": round(min(one), 1),
        "parallel_ns": round(min(several), 1),
        "speed_up": round(min(one) / min(several), 3),
        "median_speed_up": round(statistics.median(one) / statistics.median(several), 3),
        "bytes_per_ns": round(size / min(several), 2),
    }


def nbytes(result):
    if isinstance(result, (tuple, list)):
        return sum(map(nbytes, result))
    return getattr(result, "nbytes", 0)


def copies(threads, n=1_000_000, turns=9):
    """Bytes a nanosecond that so many threads move together, each copying arrays of its own."""
    done = []

    def work(barrier):
        x = np.ones(n)
        y = x.copy()
        barrier.wait()
        for _ in range(turns):
            start = time.perf_counter_ns()
            for _ in range(8):
                np.copyto(y, x)
            done.append(2 * x.nbytes * 8 / (time.perf_counter_ns() - start))

    barrier = threading.Barrier(threads)
    workers = [threading.Thread(target=work, args=(barrier,)) for _ in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    return threads * statistics.median(done)


def rows(threads, wanted, quick, say):
    """All rows; what cannot run is said."""
    turns, turn_ns = (3, 2_000_000) if quick else (7, 20_000_000)
    runtime = fl.parallel(threads)
    for case, n, layout, dtype in plan(wanted):
        try:
            yield row(case, n, layout, dtype, runtime, turns, turn_ns)
        except Unable as error:
            say(f"left out: {case.name}: {error}")


def show(threads, found):
    """Families first, then what stays below 1.8 of 2 threads."""
    print(f"copies of NumPy arrays: {copies(1):.1f} bytes a ns on 1 thread, {copies(threads):.1f} on {threads}")
    for family in dict.fromkeys(r["family"] for r in found):
        ups = sorted(r["speed_up"] for r in found if r["family"] == family)
        mean = report.geometric_mean(ups)
        print(f"{family:12} {len(ups):4} rows, speed-up on {threads} threads: mean {mean:.2f}, least {ups[0]:.2f}, greatest {ups[-1]:.2f}")
    for r in sorted(found, key=lambda r: r["speed_up"]):
        if r["speed_up"] < 0.9 * threads:
            where = f"{r['function']}, {r['n']}, {r['layout']}, {r['dtype']}"
            print(f"  {r['speed_up']:.2f}  {where:<60} {r['ns']:>14,.0f} ns  {r['bytes_per_ns']:.1f} bytes a ns")
