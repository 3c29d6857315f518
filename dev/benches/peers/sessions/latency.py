"""One run after another on one thread, for each model of a folder."""
import json
import statistics
import sys

import python_timing as timing


def manifest(folder, only):
    lines = (json.loads(line) for line in (folder / "manifest.jsonl").open())
    return [case for case in lines if not only or case["name"] in only]


def inputs(folder, case):
    import onnx
    from onnx import numpy_helper

    def value(i):
        tensor = onnx.TensorProto()
        tensor.ParseFromString((folder / "test_data_set_0" / f"input_{i}.pb").read_bytes())
        return numpy_helper.to_array(tensor)

    return {name: value(i) for i, name in enumerate(case["input_names"])}


def row(folder, case, seconds):
    from contestants import call, furthest, loaded, sessions

    place = folder / "model" / case["name"]
    feed = inputs(place, case)
    ready = {name: loaded(make) for name, make in sessions(next(place.glob("*.onnx"))).items()}
    calls = {name: call(name, session, feed) for name, (session, _, _) in ready.items()}
    difference = furthest(*(run() for run in calls.values()))
    turns = 9
    times = timing.in_turns(calls, turns, seconds * 1e9 / turns / 2)
    ours, theirs = times["freelane"], times["onnxruntime"]
    return {
        "model": case["name"],
        "freelane_ms": ours.median / 1e6,
        "onnxruntime_ms": theirs.median / 1e6,
        "ratio": ours.median / theirs.median,
        "ratio_of_least": ours.least / theirs.least,
        "load_ms": ready["freelane"][1] * 1e3,
        "onnxruntime_load_ms": ready["onnxruntime"][1] * 1e3,
        "difference": float(difference),
    }


def main(args):
    import onnxruntime

    timing.pin(timing.cpus()[-1])
    rows = []
    for case in manifest(args.folder, args.model):
        try:
            rows.append(row(args.folder, case, args.seconds))
        except Exception as error:  # one model must not hide the others
            print(f"left out: {case['name']}: {error}", file=sys.stderr)
    if not rows:
        sys.exit(f"no model of {args.folder} was timed")
    timing.show(rows, args.json, bench="sessions", onnxruntime=onnxruntime.__version__)
    mean = statistics.geometric_mean(row["ratio"] for row in rows)
    behind = [row["model"] for row in rows if row["ratio"] > 1.2]
    if not args.json:
        print(f"geometric mean of {len(rows)} ratios {mean:.3f}; above 1.2: {', '.join(behind) or 'none'}")
    if args.markdown:
        page(args.markdown, rows, mean, onnxruntime.__version__)


def page(path, rows, mean, version):
    with open(path, "w") as file:
        file.write(
            f"# Models beside ONNX Runtime {version}\n\n"
            f"One run on one thread, medians, both libraries in turns in one process; {cpu()}. `ratio` is freelane's time divided"
            f" by ONNX Runtime's. Made by `cargo xtask bench --against onnxruntime`.\n\n"
            f"Geometric mean of the ratios: **{mean:.2f}**.\n\n"
            "| model | freelane, ms | ONNX Runtime, ms | ratio | load, ms | its load, ms | largest difference |\n"
            "| --- | ---: | ---: | ---: | ---: | ---: | ---: |\n"
        )
        for row in rows:
            ms = [row[key] for key in ("freelane_ms", "onnxruntime_ms", "ratio", "load_ms", "onnxruntime_load_ms")]
            cells = [f"{ms[0]:.3f}", f"{ms[1]:.3f}", f"{ms[2]:.2f}", f"{ms[3]:.0f}", f"{ms[4]:.0f}"]
            file.write(f"| {row['model']} | {' | '.join(cells)} | {row['difference']:.1e} |\n")


def cpu():
    try:
        lines = open("/proc/cpuinfo").read().splitlines()
    except OSError:
        return "an unknown processor"
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), "an unknown processor")
