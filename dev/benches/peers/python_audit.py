"""Counts what the threads of a Python program share in freelane's calls, and in NumPy's for comparison.

    dev/audit/build.sh /tmp/tool
    TOOL_DIR=/tmp/tool python3.14t dev/benches/peers/python_audit.py [--cases NAME ...] [--threads 2 8] [--json]

Each case runs under the sharing audit (dev/audit, which needs Valgrind) in an interpreter of its own, the one that runs
this: a few seconds at 2 threads, a minute at 8. freelane's cases have limits: at 2 threads less than 0.01 shared writes
an operation; at more threads no locked writes to shared lines and no misses, since plain stores on lines handed over at
the start of a thread make the count of all writes wander there. Exit status 1 when a limit is exceeded. The look-alike of
onnxruntime has no limit: its outputs are NumPy's arrays, and NumPy counts who uses a dtype.

`CASE {threads} {ops}` as arguments run the case itself."""
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
AUDIT = os.path.join(HERE, "..", "..", "audit")
sys.path[:0] = [HERE, AUDIT]

LIMITS = {"few": {"shared_writes": 0.01}, "many": {"shared_locked": 0.01, "misses": 0.05}}


# What each thread calls, made by that thread: a function object that several threads call would itself be counted.
CALLS = {
    "add(a, b)": lambda fl, n, a, b, o: bound(fl.add, lambda add: lambda: add(a, b)),
    "fl.add(a, b)": lambda fl, n, a, b, o: lambda: fl.add(a, b),
    "add(a, b, out=o)": lambda fl, n, a, b, o: bound(fl.add, lambda add: lambda: add(a, b, out=o)),
    "empty(n)": lambda fl, n, a, b, o: bound(fl.empty, lambda empty: lambda: empty(n)),
    "sin(a)": lambda fl, n, a, b, o: bound(fl.sin, lambda sin: lambda: sin(a)),
    "sin(a, out=o)": lambda fl, n, a, b, o: bound(fl.sin, lambda sin: lambda: sin(a, out=o)),
    "a + b": lambda fl, n, a, b, o: lambda: a + b,
    "sum(a)": lambda fl, n, a, b, o: bound(fl.sum, lambda total: lambda: total(a)),
    "a.sum()": lambda fl, n, a, b, o: lambda: a.sum(),
    "a[0]": lambda fl, n, a, b, o: lambda: a[0],
    "x += zeros_like(x)": lambda fl, n, a, b, o: bound(fl.zeros_like, lambda zeros_like: lambda: add_to(a, zeros_like)),
}

MODEL = os.path.join(HERE, "..", "..", "..", "crates", "freelane-cli", "models", "mlp.onnx")

# What all threads call, made once, and what each thread calls with it.
SHARED = {
    "session.run": (
        lambda fl: fl.Session(MODEL),
        lambda session, fl, n: bound(fl.ones((n, 64), dtype="float32"), lambda x: lambda: session.run([x])),
    ),
    "onnxruntime.InferenceSession.run": (
        lambda fl: __import__("freelane.onnxruntime").onnxruntime.InferenceSession(MODEL),
        lambda session, fl, n: bound({"x": numpy_ones(n, 64)}, lambda feed: lambda: session.run(None, feed)),
    ),
    "jit of a*b+c": (
        lambda fl: fl.jit(lambda a, b, c: a * b + c),
        lambda jitted, fl, n: bound([fl.ones(n) for _ in range(3)], lambda given: lambda: jitted(*given)),
    ),
}


def numpy_ones(*shape):
    import numpy

    return numpy.ones(shape, "float32")


def bound(function, make):
    return make(function)


def add_to(x, zeros_like):
    x += zeros_like(x)


def cases():
    """Names of all cases; NumPy's begin with "numpy", those with freelane's allocator with "numpy on freelane"."""
    ours = [f"{name}, {n}" for n in (1, 64) for name in [*CALLS, *SHARED]]
    numpys = ["a + b, 64", "empty(n), 16", "sum(a), 64", "add(a, b, out=o), 64"]
    return ours + [f"numpy {case}" for case in numpys] + [f"numpy on freelane {case}" for case in numpys]


def run(case, threads, operations):
    import mark

    name, n = case.rsplit(", ", 1)
    if not name.startswith("numpy "):
        import freelane as library
    else:
        import numpy as library

        name = name.removeprefix("numpy ")
    if name.startswith("on freelane "):
        from freelane import numpy_allocator

        numpy_allocator.install()
        name = name.removeprefix("on freelane ")

    shared = SHARED[name][0](library) if name in SHARED else None

    def make(_thread):
        if name in SHARED:
            return SHARED[name][1](shared, library, int(n))
        return CALLS[name](library, int(n), *(library.ones(int(n)) for _ in range(3)))

    mark.run(threads, operations, make)


def audited(case, threads, operations):
    """The audit's report on a case."""
    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "report.json")
        program = [sys.executable, os.path.abspath(__file__), case, "{threads}", "{ops}"]
        subprocess.run([*program[:3], str(threads), "1"], check=True)
        options = ["--threads", str(threads), "--ops", operations, "--native-ops", "", "--json", report]
        command = [sys.executable, os.path.join(AUDIT, "audit.py"), *options, "--", *program]
        done = subprocess.run(command, capture_output=True, text=True)
        if not os.path.exists(report):
            sys.exit(done.stdout + done.stderr)
        with open(report) as file:
            return json.load(file)


def row(case, threads, operations):
    report = audited(case, threads, operations)
    per_op = report["per_op"]
    limits = {} if case.startswith(("numpy", "onnxruntime")) else LIMITS["few" if threads <= 2 else "many"]
    over = [key for key, limit in limits.items() if per_op[key] > limit]
    kinds = ("shared_writes", "shared_locked", "misses", "locked", "syscalls", "instructions")
    figures = {key: round(per_op[key], 3) for key in kinds}
    # Many threads make the count of all writes negative at times, which the limits there do not look at.
    unsure = [doubt for doubt in report["inconclusive"] if threads <= 2 or not doubt.startswith("negative counts")]
    verdict = "over: " + ", ".join(over) if over else "unsure" if unsure else "ok" if limits else "-"
    return {"case": case, "threads": threads, **figures, "verdict": verdict}


def main():
    import python_timing as timing

    args = timing.arguments(
        __doc__,
        threads={"type": int, "nargs": "*", "default": [2]},
        cases={"nargs": "*", "default": cases(), "choices": cases(), "metavar": "CASE"},
        ops={"default": "400,2400"},
    )
    rows = [row(case, threads, args.ops) for threads in args.threads for case in args.cases]
    timing.show(rows, args.json, bench="python_audit")
    sys.exit(any(row["verdict"].startswith("over") for row in rows))


if __name__ == "__main__":
    if len(sys.argv) == 4 and sys.argv[1] in cases():
        run(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
    else:
        main()
