"""What does a chain of elementwise functions cost: one fused plan, one call after another, NumPy and numexpr?

    python dev/benches/peers/python_chain.py [--json]

Doubles, one thread, new results; all take turns in one run. `jit` is freelane.jit, `calls` freelane's functions one by one;
the ratios are times of the others divided by jit's. numexpr is left out where it is not installed."""
import json

import numpy as np
import python_timing as timing

import freelane as fl

try:
    import numexpr
except ImportError:
    numexpr = None

SIZES = [100, 10_000, 10_000_000]
CHAINS = {
    "a*b+c-d": lambda m, a, b, c, d: a * b + c - d,
    "2*sin(a)*cos(b)+a*b": lambda m, a, b: 2 * m.sin(a) * m.cos(b) + a * b,
}


def contestants(text, chain, n):
    """The ways to compute a chain, by name."""
    names = sorted(name for name in set("abcd") if name in text.replace("sin", "").replace("cos", ""))
    rng = np.random.default_rng(0)
    arrays = {name: rng.uniform(0.0, 20.0, n) for name in names}
    ours = [fl.asarray(arrays[name]) for name in names]
    jitted = fl.jit(lambda *x: chain(fl, *x))
    theirs = list(arrays.values())
    ways = {
        "jit": lambda: jitted(*ours),
        "calls": lambda: chain(fl, *ours),
        "numpy": lambda: chain(np, *theirs),
    }
    np.testing.assert_allclose(np.asarray(ways["jit"]()), ways["numpy"](), rtol=1e-12, atol=1e-12)
    if numexpr is not None:
        numexpr.set_num_threads(1)
        ways["numexpr"] = lambda: numexpr.evaluate(text, local_dict=arrays)
    return ways


def main():
    options = timing.arguments(__doc__)
    for n in SIZES:
        for text, chain in CHAINS.items():
            times = timing.in_turns(contestants(text, chain, n), options.turns)
            least = {name: t.least for name, t in times.items()}
            row = {"chain": text, "n": n} | {f"{name}_ns": t for name, t in least.items()}
            row |= {f"{name}_ratio": t / least["jit"] for name, t in least.items() if name != "jit"}
            if options.json:
                print(json.dumps(row))
            else:
                shown = ", ".join(f"{name} {t:.0f} ns ({t / least['jit']:.2f}x)" for name, t in least.items())
                print(f"{text} at {n}: {shown}")


if __name__ == "__main__":
    main()
