"""What the rows of a run say: a summary for the terminal, the page for `docs/`, a plot of the ratios."""
import csv
import datetime
import math
import os
import platform

BEHIND = 1.0
FAR_BEHIND = 1 / 1.3
SHOWN = 25


def facts():
    """Where and when the rows were measured."""
    from importlib.metadata import PackageNotFoundError, version

    def of(package):
        try:
            return f"{package} {version(package)}"
        except PackageNotFoundError:
            return None

    packages = [text for text in map(of, ("freelane", "numpy", "numba", "numexpr")) if text]
    return [processor(), datetime.date.today().isoformat(), f"Python {platform.python_version()}", *packages]


def processor():
    try:
        with open("/proc/cpuinfo") as file:
            names = [line.split(":", 1)[1].strip() for line in file if line.startswith("model name")]
    except OSError:
        names = []
    return names[0] if names else platform.processor() or platform.machine()


def read(path):
    with open(path, newline="") as file:
        lines = file.read().splitlines()
    head = [line[2:] for line in lines if line.startswith("# ")]
    rows = list(csv.DictReader(line for line in lines if not line.startswith("# ")))
    for row in rows:
        row["n"] = int(row["n"])
        row.update({key: float(row[key]) for key in row if key == "ratio" or key.endswith("ns")})
    return head, rows


def causes(path):
    """Why functions are behind, by name."""
    if not path or not os.path.exists(path):
        return {}
    with open(path) as file:
        pairs = (line.strip().split(": ", 1) for line in file if ": " in line and not line.startswith("#"))
        return {name: cause for name, cause in pairs}


def geometric_mean(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else float("nan")


def title(row):
    return f"{row['function']} {row['case']}".strip()


def of_peer(rows, peer):
    return [row for row in rows if row["peer"] == peer]


def peers(rows):
    return list(dict.fromkeys(row["peer"] for row in rows))


def summary(rows, peer):
    ratios = [row["ratio"] for row in of_peer(rows, peer)]
    behind = sum(ratio < BEHIND for ratio in ratios)
    far = sum(ratio < FAR_BEHIND for ratio in ratios)
    return len(ratios), geometric_mean(ratios), behind, far


def show(rows):
    for peer in peers(rows):
        count, mean, behind, far = summary(rows, peer)
        print(f"{peer}: {count} rows, geometric mean {mean:.2f}x, behind in {behind} ({behind / count:.1%}), by more than 1.3 in {far}")
        worst = sorted(of_peer(rows, peer), key=lambda row: row["ratio"])[:SHOWN]
        for row in (row for row in worst if row["ratio"] < BEHIND):
            where = f"{title(row)}, {row['n']}, {row['layout']}, {row['dtype']}"
            print(f"  {row['ratio']:.2f}x  {where:<60} {row['ns']:>14,.0f} ns, {peer} {row['peer_ns']:>14,.0f} ns")


def cell(ratio):
    if ratio is None:
        return ""
    text = f"{ratio:.2f}" if ratio < 9.95 else f"{ratio:.0f}"
    return f"**{text}**" if ratio < BEHIND else text


SHORT = {"float32": "f32", "float64": "f64", "int32": "i32", "int64": "i64", "complex64": "c64", "complex128": "c128"}


def table(rows):
    """A line a function, layout and dtype; a column a length."""
    grid = {}
    for row in rows:
        grid.setdefault((title(row), row["layout"], SHORT.get(row["dtype"], row["dtype"])), []).append(row)
    ends = ("1e2", "1e4", "1e6")
    lines = ["| function | layout | dtype | " + " | ".join(ends) + " |", "| --- | --- | --- | ---: | ---: | ---: |"]
    for (name, layout, dtype), found in grid.items():
        cells = {place(row["n"]): row["ratio"] for row in found}
        lines.append(f"| {name} | {layout} | {dtype} | " + " | ".join(cell(cells.get(i)) for i in range(3)) + " |")
    return lines


def place(n):
    """The column of a length: up to a thousand, up to a hundred thousand, beyond."""
    return 0 if n <= 1000 else 1 if n < 60_000 else 2


def behind_table(rows, why):
    worst = sorted((row for row in rows if row["ratio"] < BEHIND), key=lambda row: row["ratio"])
    if not worst:
        return ["No row is behind."]
    lines = ["| ratio | function | n | layout | dtype | ours | NumPy | cause |", "| ---: | --- | ---: | --- | --- | ---: | ---: | --- |"]
    for row in worst:
        cause = why.get(title(row)) or why.get(row["function"]) or why.get(row["family"]) or ""
        lines.append(
            f"| {row['ratio']:.2f} | {title(row)} | {row['n']:,} | {row['layout']} | {SHORT.get(row['dtype'], row['dtype'])} "
            f"| {nanoseconds(row['ns'])} | {nanoseconds(row['peer_ns'])} | {cause} |"
        )
    return lines


def nanoseconds(ns):
    for unit, size in (("s", 1e9), ("ms", 1e6), ("us", 1e3)):
        if ns >= size:
            return f"{ns / size:.3g} {unit}"
    return f"{ns:.0f} ns"


def write(path, head, rows, why, stem):
    """The page."""
    numpy = of_peer(rows, "numpy")
    count, mean, behind, far = summary(rows, "numpy")
    lines = [
        "# freelane beside NumPy",
        "",
        f"{', '.join(head)}. Made by `cargo xtask bench --against {','.join(peers(rows))}`; do not edit.",
        "",
        "One thread, whole calls from Python, medians, all libraries in turns within one run. A ratio is the other's time",
        "divided by ours: above 1 freelane is faster, **bold** it is behind. Layouts: contiguous; strided is `x[::2]`; broadcast is",
        "(n / 64, 64) with (64,); axis 0 and 1 are those of (n / 64, 64).",
        "",
        f"{count} rows: geometric mean {mean:.2f}, behind in {behind} ({behind / count:.1%}), by more than 1.3 in {far}.",
        "",
    ]
    if stem:
        lines += [f"![Ratios to NumPy by family](./{os.path.basename(stem)}.png)", ""]
    lines += ["## Where NumPy is ahead", "", *behind_table(numpy, why), ""]
    for family in dict.fromkeys(row["family"] for row in numpy):
        of_family = [row for row in numpy if row["family"] == family]
        mean = geometric_mean([row["ratio"] for row in of_family])
        lines += [f"## {family.capitalize()}", "", f"Geometric mean {mean:.2f}.", "", *table(of_family), ""]
    for peer in peers(rows):
        if peer != "numpy":
            count, mean, behind, far = summary(rows, peer)
            lines += [f"## {peer}", "", f"{count} rows: geometric mean {mean:.2f}, behind in {behind}, by more than 1.3 in {far}."]
            lines += ["", *table(of_peer(rows, peer)), ""]
    with open(path, "w") as file:
        file.write("\n".join(lines).rstrip() + "\n")


def plot(stem, head, rows):
    """A dot a row, families side by side, on a scale of factors."""
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "freelane"
    import matplotlib.pyplot as plt

    rows = of_peer(rows, "numpy")
    families = list(dict.fromkeys(row["family"] for row in rows))
    colours = ["#86b6ef", "#2a78d0", "#104281"]
    figure, axis = plt.subplots(figsize=(11, 5.5), layout="constrained")
    for at, family in enumerate(families):
        for size, label in enumerate(("1e2", "1e4", "1e6")):
            ratios = sorted(row["ratio"] for row in rows if row["family"] == family and place(row["n"]) == size)
            if not ratios:
                continue
            left = at + (size - 1) * 0.27
            spread = [left - 0.11 + 0.22 * i / max(len(ratios) - 1, 1) for i in range(len(ratios))]
            name = label if family == families[0] else None
            axis.scatter(spread, ratios, s=7, color=colours[size], alpha=0.75, linewidths=0, label=name)
            axis.hlines(geometric_mean(ratios), left - 0.12, left + 0.12, color="#d1660d", linewidth=1.8, zorder=3)
    axis.axhline(1.0, color="#444444", linewidth=1)
    axis.axhline(FAR_BEHIND, color="#444444", linewidth=1, linestyle=":")
    axis.set_yscale("log")
    ticks = [0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200]
    shown = [t for t in ticks if min(r["ratio"] for r in rows) / 1.5 <= t <= max(r["ratio"] for r in rows) * 1.2]
    axis.set_yticks(shown, [f"{t:g}" for t in shown])
    axis.minorticks_off()
    axis.set_xticks(range(len(families)), families)
    axis.grid(True, axis="y", alpha=0.25)
    axis.set_ylabel("NumPy's time / ours (above 1: faster)")
    axis.legend(loc="upper left", title="n", markerscale=2.5, frameon=True)
    axis.set_title(f"freelane beside NumPy, one thread, {len(rows)} rows; bars: geometric means, dotted: 1.3 behind\n{', '.join(head)}", fontsize=10)
    figure.savefig(f"{stem}.svg", metadata={"Date": None})
    figure.savefig(f"{stem}.png", dpi=110)
