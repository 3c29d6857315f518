"""Random calls with random and hostile arguments: the interpreter stays alive, errors are exceptions, memory stays flat.

    python fuzz_calls.py [--calls 100000] [--threads 4] [--seed 0]

Every function, method, attribute and operator that the package has is called, found by looking and not from a list. Arguments
are arrays of all dtypes and odd layouts, some of them shared by all threads, and things that no function expects. A run
with one seed makes the same calls on one thread. `test_fuzz_calls.py` makes a few of them.
"""

import argparse
import functools
import gc
import inspect
import math
import operator
import pickle
import random
import resource
import sys
import threading

import freelane as fl

DTYPES = [
    fl.bool, fl.int8, fl.uint8, fl.int16, fl.uint16, fl.int32, fl.uint32, fl.int64, fl.uint64,
    fl.float16, fl.bfloat16, fl.float32, fl.float64, fl.complex64, fl.complex128,
]  # fmt: skip
SHAPES = [(), (0,), (1,), (3,), (2, 3), (3, 2), (1, 3), (0, 2), (2, 1, 3), (4, 4), (100,), (1,) * 8]
NUMBERS = [0, 1, -1, 2, 3, -5, 255, 2**45, 2**63 - 1, 2**63, -(2**63), 2**64, 10**400]
FLOATS = [0.0, -0.0, 1.5, -2.5, math.inf, -math.inf, math.nan, 1e308, 5e-324]
# What would take files, threads or the process with it, or counts for the whole process.
LEFT_OUT = {"load", "load_all", "save", "save_all", "savez", "savez_compressed", "parallel", "trim", "stats", "share"}
UNARY = [operator.neg, operator.pos, operator.abs, operator.invert, bool, int, float, complex, len, str, repr, iter, list,
         hash, math.ceil, operator.index, bytes, memoryview, pickle.dumps]  # fmt: skip
BINARY = [operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod, operator.pow,
          operator.matmul, operator.and_, operator.or_, operator.xor, operator.lshift, operator.rshift, operator.lt,
          operator.le, operator.eq, operator.ne, operator.gt, operator.ge, divmod, operator.contains]  # fmt: skip
IN_PLACE = [operator.iadd, operator.isub, operator.imul, operator.itruediv, operator.ifloordiv, operator.imod, operator.ipow,
            operator.iand, operator.ior, operator.ixor, operator.ilshift, operator.irshift, operator.imatmul]  # fmt: skip
# Exceptions that a wrong call may raise. Anything else, a panic above all, is a fault of ours.
EXPECTED = (ValueError, TypeError, IndexError, AttributeError, OverflowError, MemoryError, BufferError, ZeroDivisionError,
            NotImplementedError, RuntimeError, KeyError)  # fmt: skip


class Hostile:
    """Answers every protocol with nonsense."""

    def __init__(self, rng):
        self.answer = rng.choice([None, -1, "x", (), 2**70, [1, [2]], object()])

    def _answer(self, *args, **kwargs):
        return self.answer

    __index__ = __len__ = __iter__ = __getitem__ = __float__ = __int__ = __dlpack__ = __dlpack_device__ = _answer
    __arrow_c_array__ = __array__ = __bool__ = __fspath__ = __radd__ = __lt__ = _answer


class Raises:
    """Has no attribute but its class."""

    def __getattribute__(self, name):
        if name == "__class__":
            return Raises
        raise RuntimeError(name)


class Fuzz:
    def __init__(self, seed, shared=()):
        self.rng = random.Random(seed)
        self.shared = list(shared)
        self.counts = {"returned": 0, "raised": 0}
        spaces = [fl, *(getattr(fl, space) for space in sorted({row[0] for row in fl._freelane._rows()} - {""}))]
        self.functions = [f for space in spaces for n, f in sorted(vars(space).items()) if usable(n) and is_function(f)]
        self.names = [n for n in sorted(dir(fl.Array)) if usable(n) or n in PROTOCOLS]

    def array(self):
        rng = self.rng
        if self.shared and rng.random() < 0.2:
            return rng.choice(self.shared)
        shape = rng.choice(SHAPES)
        x = fl.reshape(fl.arange(math.prod(shape)), shape).astype(rng.choice(DTYPES))
        if shape and rng.random() < 0.3:
            x = x[tuple(self.slice() for _ in range(rng.randrange(len(shape) + 1)))]
        return x.T if len(shape) == 2 and rng.random() < 0.3 else x

    def slice(self):
        part = lambda: self.rng.choice([None, None, 0, 1, -1, 2, -3, 100, -(2**63), 2**62])  # noqa: E731
        return slice(part(), part(), self.rng.choice([None, 1, -1, 2, -3, 2**63 - 1, -(2**62)]))

    def junk(self):
        rng = self.rng
        return rng.choice([
            None, True, False, "", "float64", "x" * 1000, "\ud800", b"", b"\0\1", (), [], {}, {1}, 1j, ..., fl.newaxis, object(),
            [1, [2, 3]], [[1.0, 2.0], [3.0, 4.0]], [[]], (2, 3), (-1,), (2**62, 2**62), (0, 2**62), [2**64], range(3), float,
            rng.choice(DTYPES), rng.choice(NUMBERS), rng.choice(FLOATS), self.slice(), bytearray(b"1234"),
            memoryview(b"12345678").cast("d"), Hostile(rng), Raises(), fl, fl.sin, type, NotImplemented, nested(70),
        ])  # fmt: skip

    def argument(self):
        kind = self.rng.random()
        if kind < 0.55:
            return self.array()
        if kind < 0.75:
            return self.rng.choice([0, 1, -1, 2, 0.5, (0,), (1, 0), (2, 3), -2.0, True, None])
        if kind < 0.8:
            return [self.array() for _ in range(self.rng.randrange(4))]
        return self.junk()

    def arguments(self, function):
        count = self.rng.choice([0, 1, 2, 3, 4, 9])
        if self.rng.random() < 0.8:
            count = required(function)
        return [self.argument() for _ in range(count)]

    def keywords(self):
        names = ["axis", "axes", "dtype", "keepdims", "out", "correction", "copy", "shape", "k", "device", "x", "n", "norm", "ord", "seed", "stable",
                 "descending", "offset", "nonsense"]
        if self.rng.random() < 0.8:
            return {}
        return {n: self.argument() for n in self.rng.sample(names, self.rng.randrange(1, 3))}

    def index(self):
        rng = self.rng
        one = lambda: rng.choice([0, -1, 1, 7, -9, None, ..., self.slice(), self.slice(), True, [0, 1], [[0], [1]],  # noqa: E731
                                  self.array(), self.junk()])  # fmt: skip
        return one() if rng.random() < 0.5 else tuple(one() for _ in range(rng.randrange(5)))

    def call(self):
        rng = self.rng
        kind = rng.random()
        if kind < 0.35:
            function = rng.choice(self.functions)
            return function(*self.arguments(function), **self.keywords())
        x = self.array()
        if kind < 0.55:
            attribute = getattr(x, rng.choice(self.names))
            return attribute(*self.arguments(attribute), **self.keywords()) if callable(attribute) else attribute
        if kind < 0.6:
            return rng.choice(UNARY)(x)
        if kind < 0.75:
            pair = [x, self.argument()]
            rng.shuffle(pair)
            return rng.choice(BINARY)(*pair)
        if kind < 0.85:
            return rng.choice(IN_PLACE)(x, self.argument())
        if kind < 0.93:
            return x[self.index()]
        if kind < 0.99:
            x[self.index()] = self.argument()
            return x
        return setattr(x, rng.choice([*self.names, "nonsense"]), self.argument())

    def step(self):
        try:
            result = self.call()
        except EXPECTED as error:
            str(error)
            self.counts["raised"] += 1
        else:
            look(result)
            self.counts["returned"] += 1

    def run(self, calls):
        for _ in range(calls):
            self.step()


PROTOCOLS = {"__array__", "__array_namespace__", "__dlpack__", "__dlpack_device__", "__reduce_ex__", "__copy__",
             "__deepcopy__", "__arrow_c_array__", "__array_interface__", "__array_function__", "__format__"}  # fmt: skip


@functools.lru_cache(maxsize=None)
def count_required(signature):
    parameters = inspect.signature(signature).parameters.values()
    return sum(p.default is p.empty and p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) for p in parameters)


def required(function):
    """How many arguments a function or bound method needs."""
    owner = getattr(function, "__self__", None)
    if isinstance(owner, fl.Array):
        return count_required(getattr(fl.Array, function.__name__)) - 1
    return count_required(function)


def is_function(found):
    return callable(found) and not isinstance(found, type)


def usable(name):
    return not name.startswith("_") and name not in LEFT_OUT


def nested(depth):
    value = []
    for _ in range(depth):
        value = [value]
    return value


def look(result):
    """Reads what came back, as a program would."""
    if isinstance(result, fl.Array):
        repr(result)
        assert math.prod(result.shape) == result.size
        if result.dtype == fl.bool and result.size:
            assert set(memoryview(result).tobytes()) <= {0, 1}, "a bool is neither 0 nor 1"
    elif isinstance(result, (tuple, list)) and len(result) < 100:
        for item in result:
            look(item)


def in_threads(fuzzes, calls):
    raised = []

    def work(fuzz):
        try:
            fuzz.run(calls // len(fuzzes))
        except BaseException as error:
            raised.append(error)

    threads = [threading.Thread(target=work, args=(fuzz,)) for fuzz in fuzzes]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if raised:
        raise raised[0]


def resident():
    """Bytes of memory that the process has now."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--calls", type=int, default=100_000)
    parser.add_argument("--threads", type=int, default=4)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_AS, (16 << 30, 16 << 30))
    shared = [fl.arange(6).astype(d) for d in DTYPES] + [fl.share(fl.ones((2, 3)))]
    fuzzes = [Fuzz(f"{args.seed}/{i}", shared) for i in range(args.threads)]
    parts, sizes = 5, []
    for _ in range(parts):
        in_threads(fuzzes, args.calls // parts)
        gc.collect()
        fl.trim()
        sizes.append(resident())
    counts = {k: sum(f.counts[k] for f in fuzzes) for k in fuzzes[0].counts}
    growth = sizes[-1] - sizes[0]
    mib = [f"{s / 2**20:.1f}" for s in sizes]
    print(f"{args.calls} calls on {args.threads} threads: {counts}; resident MiB after each fifth: {', '.join(mib)}")
    if growth > 16 << 20:
        sys.exit(f"memory grew by {growth / 2**20:.1f} MiB")


if __name__ == "__main__":
    main()
