"""Cases of indexing with arrays, as NumPy answers them: `python indexing.py 320 > indexing.txt`."""

import random
import sys

import numpy as np


def written(kind, shape, values):
    return f"{kind}({','.join(map(str, shape))})=" + ",".join(map(str, values))


def ints(n, points):
    shape = [1 if random.random() < 0.25 else d for d in points]
    if random.random() < 0.2:
        shape = shape[random.randint(0, len(shape)):]
    if random.random() < 0.06:
        shape = shape[:-1] + [random.choice([0, 2])]
    past = n + 1 if random.random() < 0.04 else 0
    values = [random.randint(-n, max(n - 1, 0)) + past for _ in range(int(np.prod(shape)))]
    return np.array(values, dtype=np.int64).reshape(shape), written("i", shape, values)


def bools(lengths, points):
    shape = list(lengths)
    if shape and random.random() < 0.05:
        shape[-1] += 1
    n, odds = int(np.prod(shape)), random.choice([0.3, 0.6, 0.9, 1.0])
    values = [int(random.random() < odds) for _ in range(n)]
    if points and random.random() < 0.5:
        chosen = random.sample(range(n), min(points[-1], n))
        values = [int(i in chosen) for i in range(n)]
    return np.array(values, dtype=bool).reshape(shape), written("b", shape, values)


def part(n):
    ends = [random.choice([None, None, random.randint(-n - 1, n + 1)]) for _ in range(2)]
    ends.append(random.choice([None, 1, 2, -1, -2]))
    return slice(*ends), ":".join("" if end is None else str(end) for end in ends)


def index(shape):
    points = [random.choice([1, 2, 3]) for _ in range(random.choice([0, 1, 1, 2]))]
    items, axis, ellipsis = [], 0, False
    while random.random() > (0.12 if axis < len(shape) else 0.8):
        n = shape[axis] if axis < len(shape) else 2
        match random.choice(["at", "part", "part", "new", "ellipsis", "ints", "ints", "ints", "bools", "bool"]):
            case "at":
                at = random.randint(-n - (random.random() < 0.05), max(n - 1, 0))
                items.append((at, str(at)))
                axis += 1
            case "part":
                items.append(part(n))
                axis += 1
            case "new":
                items.append((None, "new"))
            case "ellipsis" if not ellipsis:
                ellipsis = True
                items.append((..., "..."))
                axis = max(axis, random.randint(axis, max(len(shape) - 1, axis)))
            case "ints":
                items.append(ints(n, points))
                axis += 1
            case "bools" if axis < len(shape):
                lengths = shape[axis:axis + random.choice([1, 1, 2, 3])]
                items.append(bools(lengths, points))
                axis += len(lengths)
            case "bool" if random.random() < 0.4:
                items.append(bools([], []))
    return items


def case():
    shape = [0 if random.random() < 0.02 else random.randint(1, 4) for _ in range(random.choice([1, 2, 2, 3, 3, 4]))]
    x = np.arange(int(np.prod(shape))).reshape(shape)
    items = index(shape)
    if not any(isinstance(item, np.ndarray) for item, _ in items):
        return None
    line = f"{','.join(map(str, shape))} | {' '.join(text for _, text in items)} | "
    try:
        result = x[tuple(item for item, _ in items)]
    except IndexError:
        return line + "error" if random.random() < 0.2 else None
    if result.ndim > 8 or result.size > 60:
        return None
    return line + f"{','.join(map(str, result.shape))} | {','.join(map(str, result.ravel()))}"


random.seed(7)
lines = {}
while len(lines) < int(sys.argv[1]):
    if line := case():
        lines[line] = None
print("# shape | index | shape and elements of the result, or error; the array is arange of the shape (indexing.py)")
print("\n".join(lines))
