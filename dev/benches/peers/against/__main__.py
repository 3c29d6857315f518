"""Every function of freelane beside NumPy's, and Numba's and numexpr's where they have it: one thread, one run.

    python dev/benches/peers/against [--peers numpy,numba,numexpr] [--filter NAME] [--quick] [--json] [--csv FILE]
    python dev/benches/peers/against --read FILE.csv [--markdown docs/against-numpy.md] [--plot docs/against-numpy]
    python dev/benches/peers/against --missing

A row is a function, a length, a layout, a dtype and a peer; `ratio` is the peer's time divided by ours, so that below 1 we
are behind. Operands lie contiguous, strided (`x[::2]`) or broadcast ((n / 64, 64) with (64,)); reductions also go along either
axis of (n / 64, 64). What `table.py` compares each function with is written there; `--missing` says which it leaves out."""
import os

os.environ["OPENBLAS_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = os.environ["MKL_NUM_THREADS"] = "1"
for name in ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE", "FREELANE_ISA"):
    os.environ.pop(name, None)

import argparse  # noqa: E402
import csv  # noqa: E402
import datetime  # noqa: E402
import json  # noqa: E402
import sys  # noqa: E402

import public  # noqa: E402
import report  # noqa: E402
from operands import DTYPES  # noqa: E402
from table import CASES  # noqa: E402
import table_linalg  # noqa: E402, F401
import table_random  # noqa: E402, F401


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peers", default="numpy", help="names, with commas between")
    parser.add_argument("--filter", action="append", default=[], metavar="NAME", help="only functions or families of this name, or whose name has it as a part when it ends with *")
    parser.add_argument("--n", type=int, action="append", help="only this length")
    parser.add_argument("--quick", action="store_true", help="short turns")
    parser.add_argument("--json", action="store_true", help="print a JSON object a line")
    parser.add_argument("--threads", type=int, metavar="N", help="not against others: large arrays on one and on N threads")
    parser.add_argument("--csv", metavar="FILE", help="keep the rows")
    parser.add_argument("--read", metavar="FILE", help="report on kept rows")
    parser.add_argument("--markdown", metavar="FILE")
    parser.add_argument("--plot", metavar="STEM", help="write STEM.svg and STEM.png")
    parser.add_argument("--causes", metavar="FILE", help="why functions are behind: lines `function: cause`")
    parser.add_argument("--missing", action="store_true", help="name public functions without a case, and fail if there are any")
    return parser.parse_args()


def wanted(case, filters):
    def fits(text):
        return text[:-1] in case.name if text.endswith("*") else text in (case.function, case.family, case.name)

    return not filters or any(map(fits, filters))


def plan(args):
    """All comparisons, as (case, n, layout, dtype)."""
    return [
        (case, n, layout, dtype)
        for case in CASES
        if wanted(case, args.filter) and public.exists(case.function)
        for n in case.sizes
        if not args.n or n in args.n
        for layout in case.layouts
        for kind in case.dtypes
        for dtype in DTYPES[kind]
    ]


def run(args):
    """Times all; what could not be timed is said."""
    import measure

    measure.timing.pin(measure.timing.cpus()[-1])
    turns, turn_ns = (5, 300_000) if args.quick else (7, 2_000_000)
    peers, todo, rows = args.peers.split(","), plan(args), []
    for done, (case, n, layout, dtype) in enumerate(todo):
        progress(done, len(todo), case.name)
        try:
            rows += measure.rows(case, n, layout, dtype, peers, turns, turn_ns)
        except measure.Unable as error:
            print(f"left out: {case.name}, {n}, {layout}, {dtype}: {error}", file=sys.stderr)
    progress(len(todo), len(todo), "")
    return rows


def progress(done, total, name):
    if sys.stderr.isatty():
        width = 30 * done // max(total, 1)
        print(f"\r[{'=' * width:30}] {done}/{total} {name:40.40}", end="" if done < total else "\n", file=sys.stderr, flush=True)


def keep(path, rows):
    path = path.replace("{date}", datetime.date.today().isoformat())
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    with open(path, "w", newline="") as file:
        for fact in report.facts():
            file.write(f"# {fact}\n")
        writer = csv.DictWriter(file, rows[0], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def on_threads(args):
    """The other question: what a `Runtime` gains."""
    import threads

    wants = lambda case: wanted(case, args.filter) and public.exists(case.function)  # noqa: E731
    found = list(threads.rows(args.threads, wants, args.quick, lambda text: print(text, file=sys.stderr)))
    if args.json:
        for row in found:
            print(json.dumps(row))
    elif found:
        threads.show(args.threads, found)
    if args.csv and found:
        keep(args.csv, found)


def main():
    args = arguments()
    if args.missing:
        sys.exit(public.main())
    if args.threads:
        return on_threads(args)
    facts, rows = report.read(args.read) if args.read else (report.facts(), run(args))
    if not rows:
        sys.exit("nothing to compare")
    if args.csv:
        keep(args.csv, rows)
    if args.json:
        for row in rows:
            print(json.dumps(row))
    else:
        report.show(rows)
    if args.markdown:
        report.write(args.markdown, facts, rows, report.causes(args.causes), args.plot)
    if args.plot:
        report.plot(args.plot, facts, rows)


if __name__ == "__main__":
    main()
