"""Models beside ONNX Runtime, both libraries in turns within one run.

    python dev/benches/peers/sessions models FOLDER [--model NAME ...] [--json] [--markdown docs/against-onnxruntime.md]
    python dev/benches/peers/sessions threads [--threads 1,2,16,32] [--json]

`models` times a run of every model that FOLDER/manifest.jsonl lists (`cargo xtask conformance onnx` exports them), on one
thread, and what it takes to load it. `threads` has all threads share one small model, one small network of convolutions,
or 24 models, and counts runs. ONNX Runtime gets one thread for a run, as freelane takes by itself. `ratio` is our time
divided by its: below 1 we are ahead."""
import os

os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")

import argparse  # noqa: E402
import sys  # noqa: E402
from pathlib import Path  # noqa: E402

sys.path.insert(0, str(Path(__file__).parents[1]))

import latency  # noqa: E402
import throughput  # noqa: E402


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    models = commands.add_parser("models", help="one thread, one model after another")
    models.add_argument("folder", type=Path)
    models.add_argument("--model", action="append", default=[], metavar="NAME", help="only this one")
    models.add_argument("--seconds", type=float, default=0.6, help="about how long a model is timed")
    models.add_argument("--markdown", metavar="FILE", help="write the table as a page")
    threads = commands.add_parser("threads", help="models that all threads share")
    threads.add_argument("--threads", default="1,2,16,32", metavar="N,N", type=lambda text: [int(n) for n in text.split(",")])
    threads.add_argument("--seconds", type=float, default=0.5, help="about how long each is timed at once")
    threads.add_argument("--turns", type=int, default=5)
    for command in (models, threads):
        command.add_argument("--json", action="store_true", help="print a JSON object a line")
    return parser.parse_args()


if __name__ == "__main__":
    args = arguments()
    {"models": latency.main, "threads": throughput.main}[args.command](args)
