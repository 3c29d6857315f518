"""Models that all threads share: runs a second by number of threads."""
import statistics
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

import python_timing as timing

ROOT = Path(__file__).parents[4]
MODELS = {"mlp": ROOT / "crates/freelane-cli/models/mlp.onnx", "cnn": ROOT / "dev/models/cnn.onnx"}
SHAPES = {"mlp": [1, 64], "cnn": [1, 1, 16, 16]}
MANY = 24


def groups(folder):
    """Paths of the models of each case; the many differ in a letter, so that they are different models."""
    mlp, cnn = MODELS["mlp"], MODELS["cnn"]
    many = []
    for i in range(MANY):
        path = Path(folder) / f"{'mlp' if i % 2 else 'cnn'}-{i}.onnx"
        source = mlp if i % 2 else cnn
        path.write_bytes(source.read_bytes().replace(b"freelane", b"freelan" + bytes([97 + i])))
        many.append(path)
    return {"one mlp": [mlp], "one cnn": [cnn], f"{MANY} models": many}


def feed(path):
    shape = next(shape for name, shape in SHAPES.items() if path.name.startswith(name))
    return {"x": np.random.default_rng(1).standard_normal(shape).astype("float32")}


def sweep(library, sessions, paths):
    """What a thread does: each of the models in turn, with inputs of its own."""
    from contestants import call

    def make(thread):
        calls = [call(library, session, feed(path)) for session, path in zip(sessions, paths, strict=True)]
        calls = calls[thread % len(calls) :] + calls[: thread % len(calls)]

        def run(operations):
            for i in range(operations):
                calls[i % len(calls)]()

        return run

    return make


def rows(case, paths, args):
    from contestants import loaded, sessions

    makes, facts = {}, {}
    for library in ("onnxruntime", "freelane"):
        ready = [loaded(sessions(path)[library]) for path in paths]
        makes[library] = sweep(library, [session for session, _, _ in ready], paths)
        facts[library] = {
            "load_ms": statistics.fmean(took for _, took, _ in ready) * 1e3,
            "load_mib": sum(grown for _, _, grown in ready) / 2**20,
        }
    operations = {library: timing.operations_for(make, args.seconds * 1e9 / 3, 2 * len(paths)) for library, make in makes.items()}
    executors = {threads: ThreadPoolExecutor(threads) for threads in args.threads}
    ns = {(library, threads): [] for library in makes for threads in args.threads}
    for turn in range(args.turns):
        for library, threads in ns:
            share = max(len(paths), operations[library] * min(threads, len(timing.cpus())) // threads)
            ns[library, threads].append(timing.on_threads(executors[threads], threads, makes[library], share, turn))
    return [row(case, library, threads, ns, facts) for library, threads in ns]


def row(case, library, threads, ns, facts):
    """`us` is a run's time on a core; `efficiency` is against the same library's on one thread."""
    cores = min(threads, len(timing.cpus()))
    per_run = lambda t: statistics.median(passed for passed, _ in ns[library, t]) * min(t, len(timing.cpus())) / t / 1e3  # noqa: E731
    first = min(t for name, t in ns if name == library)
    return {
        "case": case,
        "library": library,
        "threads": threads,
        "us": per_run(threads),
        "runs_per_second": 1e6 / per_run(threads) * cores,
        "efficiency": per_run(first) / per_run(threads),
        "cpu_us": statistics.median(own for _, own in ns[library, threads]) / 1e3,
        **facts[library],
    }


def main(args):
    import onnxruntime

    with tempfile.TemporaryDirectory() as folder:
        found = [row for case, paths in groups(folder).items() for row in rows(case, paths, args)]
    timing.show(found, args.json, bench="sessions", onnxruntime=onnxruntime.__version__)
