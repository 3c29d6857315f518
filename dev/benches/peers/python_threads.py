"""Do array functions scale with threads? Workers of a ThreadPoolExecutor loop sin, sum, cos, sum, each over its array.

    python dev/benches/peers/python_threads.py [--json] [--plot docs/python-threads]
    python dev/benches/peers/python_threads.py --read FILE.json --plot docs/python-threads

freelane and NumPy take turns in one run. `ns_per_element` is the nanoseconds of a sweep, which is all four, divided by
n. `efficiency` is the time on one thread divided by the time on several, medians of the turns; `limit_efficiency` the
same of plain C loops with the same memory traffic (two passes that write an array, and a sum of each), which says what
the machine's memory allows. `..._of_least` and `..._cpu` are those of the least times and of processor time, which say
more where other programs run; processor time leaves out waiting, for an interpreter's lock for one. The loops need a C
compiler (`CC`, else `cc`) and are left out without one. `--plot` writes an .svg and a .png, with Matplotlib."""
import ctypes
import json
import mmap
import os
import statistics
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor

import python_timing as timing

SIZES = [100, 10_000, 1_000_000]
TURN_NS = 15_000_000

PLAIN = r"""
#include <stddef.h>
/* Called through pointers, so that no loop is left out. */
double sweep(const double *x, double *y, size_t n, size_t times) {
    double total = 0;
    for (size_t t = 0; t < 2 * times; t++) {
        for (size_t i = 0; i < n; i++) y[i] = 1.5 * x[i] + 2.0;
        __asm__ volatile("" ::: "memory");
        double s[32] = {0};
        for (size_t i = 0; i + 32 <= n; i += 32)
            for (size_t j = 0; j < 32; j++) s[j] += y[i + j];
        for (size_t j = 0; j < 32; j++) total += s[j];
    }
    return total;
}
"""


def sweep(library, n):
    sin, cos, total = library.sin, library.cos, library.sum

    def make(_thread):
        x = library.linspace(0.0, 100.0, n)

        def run(operations):
            for _ in range(operations):
                total(sin(x))
                total(cos(x))

        return run

    return make


def plain_sweep(library, n):
    def make(_thread):
        x, y = memory(n), memory(n)
        (ctypes.c_double * n).from_buffer(x)[:] = [0.0] * n
        addresses = [ctypes.addressof(ctypes.c_char.from_buffer(block)) for block in (x, y)]
        return lambda operations, keep=(x, y): library.sweep(*addresses, n, operations)

    return make


def memory(n):
    """Room for n doubles, in huge pages where the system gives them, as freelane's own large arrays."""
    block = mmap.mmap(-1, n * 8)
    if hasattr(mmap, "MADV_HUGEPAGE"):
        block.madvise(mmap.MADV_HUGEPAGE)
    return block


def compiled():
    """The plain loops, or None where they cannot be compiled."""
    with tempfile.TemporaryDirectory() as folder:
        source, library = os.path.join(folder, "plain.c"), os.path.join(folder, "plain.so")
        with open(source, "w") as file:
            file.write(PLAIN)
        options = ["-O3", "-ffast-math", "-march=native", "-shared", "-fPIC", "-o", library]
        command = [os.environ.get("CC", "cc"), *options, source]
        try:
            subprocess.run(command, check=True, capture_output=True)
            loaded = ctypes.CDLL(library)
        except (OSError, subprocess.CalledProcessError):
            return None
    loaded.sweep.restype = ctypes.c_double
    loaded.sweep.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t]
    return loaded


def contestants(n):
    library = compiled() if n == SIZES[-1] else None
    import freelane as fl
    import numpy as np

    return {"freelane": sweep(fl, n), "numpy": sweep(np, n)} | (
        {"plain loops": plain_sweep(library, n)} if library else {}
    )


def measured(n, threads, turns):
    """Nanoseconds a sweep, by contestant and number of threads, for each turn: time that passed, and processor time."""
    makes = contestants(n)
    operations = {name: timing.operations_for(make, TURN_NS, 3) for name, make in makes.items()}
    ns = {(name, t): [] for name in makes for t in threads}
    executors = {t: ThreadPoolExecutor(t) for t in threads}
    for turn in range(turns):
        for name, t in ns:
            ns[name, t].append(timing.on_threads(executors[t], t, makes[name], operations[name], turn))
    for executor in executors.values():
        executor.shutdown()
    return ns


def rows_of(n, threads, turns):
    ns = measured(n, threads, turns)
    passed = {key: [turn[0] for turn in turns] for key, turns in ns.items()}
    median = {key: statistics.median(values) for key, values in passed.items()}
    least = {key: min(values) for key, values in passed.items()}
    cpu = {key: statistics.median(turn[1] for turn in turns) for key, turns in ns.items()}

    def efficiency(times, name, t):
        return times[name, threads[0]] / times[name, t] if (name, t) in times else None

    def row(name, t):
        return {
            "library": name,
            "n": n,
            "threads": t,
            "ns_per_element": timing.rounded(median[name, t] / n),
            "least": timing.rounded(least[name, t] / n),
            "cpu_ns_per_element": timing.rounded(cpu[name, t] / n),
            "efficiency": timing.rounded(efficiency(median, name, t)),
            "efficiency_of_least": timing.rounded(efficiency(least, name, t)),
            "efficiency_cpu": timing.rounded(efficiency(cpu, name, t)),
            "limit_efficiency": timing.rounded(efficiency(median, "plain loops", t) or 1.0),
            "limit_efficiency_cpu": timing.rounded(efficiency(cpu, "plain loops", t) or 1.0),
            "times_numpy": timing.rounded(median["numpy", t] / median[name, t]),
        }

    return [row(name, t) for name, t in ns]


def plot(rows, path):
    """Speed against threads for each size, both libraries, with the ideal lines.

    On free-threaded interpreters, where no thread waits for another, speed is that of processor time."""
    free = rows[0]["python"].endswith("t")
    kind, time_kind = ("efficiency_cpu", "cpu_ns_per_element") if free else ("efficiency", "ns_per_element")
    import matplotlib

    matplotlib.use("svg")
    import matplotlib.pyplot as plt

    sizes = sorted({row["n"] for row in rows})
    figure, axes = plt.subplots(1, len(sizes), figsize=(4 * len(sizes), 4.5), sharey=True, layout="constrained")
    colours = {"freelane": "#1663c7", "numpy": "#d1660d"}
    for axis, n in zip(axes, sizes):
        for name, colour in colours.items():
            of_size = sorted((r for r in rows if r["n"] == n and r["library"] == name), key=lambda r: r["threads"])
            threads = [r["threads"] for r in of_size]
            speed = [1e3 * r["threads"] / r[time_kind] for r in of_size]
            axis.plot(threads, [speed[0] * t for t in threads], "--", color=colour, alpha=0.5, linewidth=1)
            axis.plot(threads, speed, "o-", color=colour, label={"numpy": "NumPy"}.get(name, name))
            axis.annotate(
                f"efficiency {of_size[-1][kind]:.2f}",
                (threads[-1], speed[-1]),
                (-6, -14),
                textcoords="offset points",
                ha="right",
                fontsize=9,
                color=colour,
            )
        axis.set(title=f"{n:,} elements", xlabel="threads", yscale="log", xticks=threads)
        axis.grid(True, axis="y", which="both", alpha=0.2)
    axes[0].set_ylabel("elements a µs" + (" of processor time" if free else "") + ", all threads")
    axes[0].legend(loc="upper left")
    python, own = rows[0]["python"], "solid: measured, dashed: one thread times the number of threads"
    figure.suptitle(f"sum(sin(x)), sum(cos(x)): each thread its own array, Python {python}\n{own}", fontsize=11)
    with plt.rc_context({"svg.hashsalt": "freelane"}):
        figure.savefig(path + ".svg", metadata={"Date": None})
    figure.savefig(path + ".png", dpi=120)


def main():
    args = timing.arguments(
        __doc__,
        threads={"type": int, "nargs": "*", "default": [1, 2]},
        n={"type": int, "nargs": "*", "default": SIZES},
        plot={"metavar": "PATH"},
        read={"metavar": "FILE.json"},
    )
    if args.read:
        with open(args.read) as file:
            rows = [json.loads(line) for line in file if line.strip()]
    else:
        import freelane
        import numpy

        rows = [row for n in args.n for row in rows_of(n, args.threads, args.turns)]
        timing.show(rows, args.json, bench="python_threads", freelane=freelane.__version__, numpy=numpy.__version__)
        rows = [{"python": timing.PYTHON, **row} for row in rows]
    if args.plot:
        plot(rows, args.plot)


if __name__ == "__main__":
    main()
