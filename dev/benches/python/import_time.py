"""Prints what `import freelane` costs: the time of an interpreter that imports it less that of one that does not.

    python dev/benches/python/import_time.py [ROUNDS]

Both are started in turn, so that what else the machine does weighs on both; the medians are compared.
"""

import statistics
import subprocess
import sys
import time


def milliseconds(code):
    start = time.perf_counter()
    subprocess.run([sys.executable, "-I", "-c", code], check=True)
    return (time.perf_counter() - start) * 1e3


def main():
    rounds = int(sys.argv[1]) if sys.argv[1:] else 31
    codes = {"nothing": "pass", "freelane": "import freelane", "numpy": "import numpy"}
    times = {name: [] for name in codes}
    for _ in range(rounds):
        for name, code in codes.items():
            times[name].append(milliseconds(code))
    base = statistics.median(times["nothing"])
    for name, values in times.items():
        middle = statistics.median(values)
        print(f"{name:<10} {middle:8.1f} ms, {middle - base:8.1f} ms more than nothing")


if __name__ == "__main__":
    main()
