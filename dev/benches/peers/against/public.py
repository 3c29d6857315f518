"""Whether the table has a case for every public function."""
import types

import freelane as fl

from table import CASES

NAMESPACES = ("", "linalg", "fft", "random")
# Functions that compute nothing, and those whose time is not their own.
LEFT_OUT = {
    "can_cast": "looks a rule up",
    "dtype": "makes a name",
    "random.default_rng": "makes a generator",
    "finfo": "looks facts up",
    "from_dlpack": "hands memory over",
    "iinfo": "looks facts up",
    "isdtype": "looks a rule up",
    "jit": "python_chain.py times what it makes",
    "load": "reads a file",
    "load_all": "reads a file",
    "parallel": "starts threads",
    "result_type": "looks a rule up",
    "save": "writes a file",
    "save_all": "writes a file",
    "savez": "writes a file",
    "savez_compressed": "writes a file",
    "share": "NumPy has nothing of the kind",
    "stats": "NumPy has nothing of the kind",
    "trim": "NumPy has nothing of the kind",
}


def resolve(name):
    """The function of a dotted name, or None."""
    found = fl
    for part in name.split("."):
        found = getattr(found, part, None)
    return found


def exists(name):
    return callable(resolve(name))


def functions():
    """All public functions by dotted name."""
    names = []
    for space in NAMESPACES:
        module = resolve(space) if space else fl
        if isinstance(module, types.ModuleType):
            names += [f"{space}.{n}".lstrip(".") for n in dir(module) if not n.startswith("_") and is_function(getattr(module, n))]
    return names


def is_function(found):
    return callable(found) and not isinstance(found, (type, types.ModuleType))


def missing():
    covered = {case.function for case in CASES} | set(LEFT_OUT)
    return sorted(set(functions()) - covered)


def main():
    """Prints the functions without a case; says whether there are any."""
    names = missing()
    for name in names:
        print(f"no case: {name}")
    print(f"{len(functions())} public functions, {len(names)} without a case")
    return 1 if names else 0
