"""What the benches of the Python module have in common: calls timed in turns, pinned threads, tables and JSON lines.

All contestants of a case take turns within one run, so that whatever else the machine does meets them alike. Figures
are medians over the turns; the least shows what the noise was."""
import argparse
import json
import os
import platform
import statistics
import sys
import sysconfig
import threading
import time

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

TURNS = 9
FREE_THREADED = bool(sysconfig.get_config_var("Py_GIL_DISABLED"))
PYTHON = platform.python_version() + ("t" if FREE_THREADED else "")


def arguments(description, **more):
    """The options that all benches take, and `more` of this one's."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print a JSON object a line instead of a table")
    parser.add_argument("--turns", type=int, default=TURNS)
    for name, options in more.items():
        parser.add_argument("--" + name.replace("_", "-"), **options)
    return parser.parse_args()


class Times:
    """Nanoseconds of one thing over the turns."""

    def __init__(self, ns):
        self.median, self.least = statistics.median(ns), min(ns)

    def minus(self, other):
        """Without what `other` costs."""
        less = Times([0.0])
        less.median, less.least = self.median - other.median, self.least - other.least
        return less


def in_turns(functions, turns=TURNS, turn_ns=4_000_000):
    """Times calls of functions without arguments, by name: nanoseconds a call."""
    calls = {name: calls_for(f, turn_ns) for name, f in functions.items()}
    ns = {name: [] for name in functions}
    for _ in range(turns):
        for name, f in functions.items():
            ns[name].append(timed(f, calls[name]))
    return {name: Times(values) for name, values in ns.items()}


def calls_for(f, turn_ns):
    """How many calls take about that long."""
    calls = 1
    while (took := timed(f, calls) * calls) < turn_ns / 4:
        calls *= 4
    return max(1, int(calls * turn_ns / took))


def timed(f, calls):
    """Nanoseconds of this thread's own processor time a call: time that others take does not count."""
    repeats = range(calls)
    start = time.thread_time_ns()
    for _ in repeats:
        f()
    return (time.thread_time_ns() - start) / calls


def operations_for(make, turn_ns, least):
    """Operations that take about `turn_ns`, `least` or more; `make(thread)` gives what runs a number of them."""
    run = make(0)
    run(least)
    return max(least, int(turn_ns / timed(lambda: run(least), 1) * least))


def cpus():
    """The processors that may be used."""
    return sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else list(range(os.cpu_count()))


def pin(cpu):
    """Keeps the calling thread on one processor, where the system can."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {cpu})


def on_threads(executor, threads, make, operations, turn=0):
    """Has pinned workers of an executor start together; the mean of their own nanoseconds an operation: as time passed,
    and as processor time, which leaves out what others take, but also waiting.

    `make(thread)` gives a worker's function, which is called with the number of operations after one of warming up."""
    barrier, usable = threading.Barrier(threads), cpus()

    def work(thread):
        pin(usable[(thread + turn) % len(usable)])
        run = make(thread)
        run(1)
        barrier.wait()
        start, own_start = time.perf_counter_ns(), time.thread_time_ns()
        run(operations)
        own, passed = time.thread_time_ns() - own_start, time.perf_counter_ns() - start
        return passed / operations, own / operations

    return tuple(map(statistics.fmean, zip(*executor.map(work, range(threads)))))


def show(rows, as_json, **facts):
    """Prints rows (dicts with the same keys) as a table, or as JSON objects with the facts of the run in each."""
    if as_json:
        for row in rows:
            print(json.dumps({**facts, "python": PYTHON, **row}))
        return
    print(", ".join([f"Python {PYTHON}", *(f"{name} {value}" for name, value in facts.items())]))
    texts = [list(rows[0])] + [[shown(value) for value in row.values()] for row in rows]
    widths = [max(map(len, column)) for column in zip(*texts)]
    for text in texts:
        print("  ".join(cell.ljust(w) if i == 0 else cell.rjust(w) for i, (cell, w) in enumerate(zip(text, widths))))
    sys.stdout.flush()


def shown(value):
    if not isinstance(value, float):
        return "-" if value is None else str(value)
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.1f}" if abs(value) >= 10 else f"{value:.3f}"


def rounded(value):
    return None if value is None else round(value, 4)
