"""NumPy's side of the `gemm` bench: one matrix product per line of input, one time per line of output.

In: `f32 M K N`. Out: nanoseconds of one product on one thread, the least of three samples, without the cost of a call,
which is that of a 1 x 1 product. The bench starts this script and asks it in turns with the others.
"""
import sys
import time

import numpy as np

SAMPLE_NS = 3_000_000
TYPES = {"f32": np.float32, "f64": np.float64}
operands = {}


def least(a, b, c):
    """Nanoseconds of `a @ b` into `c`."""
    def sample(times):
        start = time.thread_time_ns()
        for _ in range(times):
            np.matmul(a, b, out=c)
        return (time.thread_time_ns() - start) / times

    times = 1
    while (took := sample(times) * times) < SAMPLE_NS / 4:
        times *= 4
    times = max(1, int(times * SAMPLE_NS / took))
    return min(sample(times) for _ in range(3))


def matrices(dtype, m, k, n):
    """Operands and result, the same at every call."""
    key = dtype, m, k, n
    if key not in operands:
        random = np.random.default_rng(1)
        a, b = random.uniform(-1, 1, (m, k)), random.uniform(-1, 1, (k, n))
        operands[key] = a.astype(dtype), b.astype(dtype), np.zeros((m, n), dtype)
    return operands[key]


for line in sys.stdin:
    name, *shape = line.split()
    dtype = TYPES[name]
    call = least(*matrices(dtype, 1, 1, 1))
    print(max(least(*matrices(dtype, *map(int, shape))) - call, 1.0), flush=True)
