"""Writes the stub of the package out of what the module says of itself.

Functions and methods come with their signatures and docstrings; a row says what its parameters take, the parameters of
functions written by hand get their types here, by name. Operators and classes are in `stub_template.pyi`. A parameter
that nobody knows is an error, so the stub cannot lag behind.

    python python/tests/stubs.py        prints the stub
"""

import inspect
import re
from pathlib import Path

import freelane
from freelane import _freelane

TEMPLATE = Path(__file__).with_name("stub_template.pyi")
PACKAGE = Path(__file__).parents[1] / "freelane"
STUB = PACKAGE / "__init__.pyi"
#: The rows: (namespace, name) to the kinds of parameters, and to the names of several results.
ROWS = {(space, name): (dict(kinds), results) for space, name, kinds, results in _freelane._rows()}
#: Modules of functions beside the package's own.
NAMESPACES = sorted({space for space, _ in ROWS} - {""})

INT = "SupportsIndex"
INTS = f"{INT} | Sequence[{INT}]"
#: What the parameters of a row take.
KINDS = {
    "Operand": "_ArrayLike",
    "Operands": "Sequence[_ArrayLike]",
    "Int": INT,
    "Float": "float",
    "Bool": "_bool",
    "Axes": f"{INTS} | None",
    "Shape": INTS,
    "DType": "_DTypeLike | None",
    "Text": "_str",
    "Any": "Any",
}
#: What parameters take that every function by hand means the same by.
NAMES = {
    "device": 'Literal["cpu"] | None',
    "dtype": "_DTypeLike | None",
    "obj": "_ArrayLike",
    "out": "Array | None",
    "shape": INTS,
    "x": "_ArrayLike",
    "x1": "_ArrayLike",
    "x2": "_ArrayLike",
}
#: Parameters of single functions, `name.parameter`, and what is returned if it is no array, `name`.
SINGLE = {
    "Array.T": "Array",
    "Array.__array__": "Any",
    "Array.__array__.copy": "_bool | None",
    "Array.__array__.dtype": "Any",
    "Array.__array_function__": "Any",
    "Array.__array_function__.args": "tuple[Any, ...]",
    "Array.__array_function__.func": "Callable[..., Any]",
    "Array.__array_function__.kwargs": "Mapping[_str, Any]",
    "Array.__array_function__.types": "Sequence[type]",
    "Array.__array_interface__": "dict[_str, Any]",
    "Array.__array_namespace__": "ModuleType",
    "Array.__array_namespace__.api_version": "_str | None",
    "Array.__array_priority__": "float",
    "Array.__array_ufunc__": "Any",
    "Array.__array_ufunc__.inputs": "Any",
    "Array.__array_ufunc__.kwargs": "Any",
    "Array.__array_ufunc__.method": "_str",
    "Array.__array_ufunc__.ufunc": "Callable[..., Any]",
    "Array.__arrow_c_array__": "tuple[object, object]",
    "Array.__arrow_c_array__.requested_schema": "object | None",
    "Array.__complex__": "complex",
    "Array.__deepcopy__.memo": "dict[int, Any] | None",
    "Array.__dlpack__": "Any",
    "Array.__dlpack__.copy": "_bool | None",
    "Array.__dlpack__.dl_device": "tuple[Any, int] | None",
    "Array.__dlpack__.max_version": "tuple[int, int] | None",
    "Array.__dlpack__.stream": "None",
    "Array.__dlpack_device__": "tuple[int, int]",
    "Array.__format__": "_str",
    "Array.__format__.spec": "_str",
    "Array.__reduce_ex__": "_str | tuple[Any, ...]",
    "Array.__reduce_ex__.protocol": "SupportsIndex",
    "Array.astype.copy": "_bool",
    "Array.astype.dtype": "_DTypeLike",
    "Array.device": 'Literal["cpu"]',
    "Array.dtype": "_dtype",
    "Array.is_shared": "_bool",
    "Array.item": "Any",
    "Array.item.index": "SupportsIndex",
    "Array.itemsize": "int",
    "Array.mT": "Array",
    "Array.nbytes": "int",
    "Array.ndim": "int",
    "Array.partition": "None",
    "Array.partition.axis": INT,
    "Array.partition.kth": INTS,
    "Array.put": "None",
    "Array.put.indices": "_ArrayLike",
    "Array.put.values": "_ArrayLike",
    "Array.reshape.shape": INTS,
    "Array.shape": "tuple[int, ...]",
    "Array.size": "int",
    "Array.sort": "None",
    "Array.sort.axis": INT,
    "Array.sort.descending": "_bool",
    "Array.sort.stable": "_bool",
    "Array.strides": "tuple[int, ...]",
    "Array.to_device.device": 'Literal["cpu"]',
    "Array.to_device.stream": "None",
    "Array.tolist": "Any",
    "Array.transpose.axes": f"{INTS} | None",
    "array.copy": "_bool | None",
    "asarray.copy": "_bool | None",
    "astype.copy": "_bool",
    "astype.dtype": "_DTypeLike",
    "broadcast_shapes": "tuple[int, ...]",
    "broadcast_shapes.shapes": "Sequence[SupportsIndex]",
    "can_cast": "_bool",
    "can_cast.from_": "_ArrayLike | _DTypeLike",
    "can_cast.to": "_DTypeLike",
    "dtype.__numpy_dtype__": "Any",
    "dtype.dtype": "Any",
    "dtype.char": "_str",
    "dtype.fields": "None",
    "dtype.hasobject": "_bool",
    "dtype.itemsize": "int",
    "dtype.kind": 'Literal["b", "u", "i", "f", "c"]',
    "dtype.name": "_str",
    "dtype.names": "None",
    "dtype.str": "_str",
    "dtype.type": "Any",
    "from_dlpack.copy": "_bool | None",
    "from_dlpack.x": "_SupportsDLPack",
    "load.key": "_str | None",
    "load.mmap": "_bool | None",
    "load.path": "_Path",
    "load_all": "dict[_str, Array]",
    "load_all.mmap": "_bool | None",
    "load_all.path": "_Path",
    "parallel.threads": "int",
    "result_type": "_dtype",
    "result_type.arrays_and_dtypes": "_ArrayLike | _DTypeLike",
    "save": "None",
    "save.path": "_Path",
    "save_all": "None",
    "save_all.arrays": "Mapping[_str, _ArrayLike]",
    "save_all.compress": "_bool",
    "save_all.path": "_Path",
    "share.x": "Array",
    "stats": "dict[_str, Any]",
    "stats.enable": "_bool | None",
    "stats.reset": "_bool",
    "trim": "int",
}


def kind_of(kind):
    """What a kind of parameter takes; words are listed in it."""
    words = re.findall(r'"([^"]*)"', kind)
    return f"Literal[{', '.join(map(repr, words))}]" if words else KINDS[kind]


def types_of(name, space):
    kinds, _ = ROWS.get((space, name), ({}, None))
    return {parameter: kind_of(kind) for parameter, kind in kinds.items()}


def result_of(full, name, space):
    """The type of what a function gives."""
    _, results = ROWS.get((space, name), ({}, None))
    if results is None:
        return SINGLE.get(full, "Array")
    return result_name(name) if results else "tuple[Array, ...]"


def result_name(name):
    return "_" + "".join(word.capitalize() for word in name.split("_")) + "Result"


def result_classes(space):
    """The named tuples that functions of a namespace give."""
    classes = []
    for (of, name), (_, results) in sorted(ROWS.items()):
        if of == space and results:
            fields = "".join(f"    {field}: Array\n" for field in results)
            classes.append(f"class {result_name(name)}(NamedTuple):\n{fields}")
    return "\n".join(classes)


def annotated(name, parameter, row):
    """The parameter as the stub writes it."""
    single = f"{name}.{parameter.name}"
    kind = SINGLE.get(single) or row.get(parameter.name) or NAMES.get(parameter.name)
    if kind is None:
        raise LookupError(f"stubs.py: no type for parameter {parameter.name} of {name}")
    star = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}.get(parameter.kind, "")
    if star:
        kind = kind.removeprefix("Sequence[").removesuffix("]") if kind == KINDS["Operands"] else kind
    if parameter.default is parameter.empty:
        return f"{star}{parameter.name}: {kind}"
    if parameter.default is None and "None" not in kind:
        kind += " | None"
    return f"{parameter.name}: {kind} = {parameter.default!r}"


def parameters(name, signature, row):
    """All parameters with the marks between them."""
    parts, positional, named = [], False, False
    for parameter in signature.parameters.values():
        if positional and parameter.kind is not parameter.POSITIONAL_ONLY:
            parts.append("/")
        positional = parameter.kind is parameter.POSITIONAL_ONLY
        if parameter.kind is parameter.KEYWORD_ONLY and not named:
            parts.append("*")
        named = named or parameter.kind in (parameter.KEYWORD_ONLY, parameter.VAR_POSITIONAL)
        parts.append(annotated(name, parameter, row))
    return parts + ["/"] if positional else parts


def docstring(text, indent):
    text = inspect.cleandoc(text or "")
    if not text:
        return " ..."
    lines = [line.rstrip() for line in text.replace("\\", "\\\\").split("\n")]
    body = ("\n" + indent).join(lines)
    body = "\n".join(line.rstrip() for line in body.split("\n"))
    end = f"\n{indent}" if len(lines) > 1 else ""
    return f'\n{indent}"""{body}{end}"""'


def function(name, thing, owner="", space=""):
    """One function or method."""
    full = f"{owner}.{name}" if owner else name
    signature = inspect.signature(thing)
    if owner:
        _, *others = signature.parameters.values()
        signature = signature.replace(parameters=others)
    parts = parameters(full, signature, types_of(name, space))
    if owner:
        parts = ["self", *parts]
    result = result_of(full, name, space)
    indent = "    " if owner else ""
    head = f"{indent}def {name}({', '.join(parts)}) -> {result}:"
    return head + docstring(thing.__doc__, indent + "    ")


def attribute(name, thing, owner):
    result = SINGLE.get(f"{owner}.{name}")
    if result is None:
        raise LookupError(f"stubs.py: no type for attribute {name} of {owner}")
    return f"    @property\n    def {name}(self) -> {result}:" + docstring(thing.__doc__, "        ")


#: Operators with a form for the right operand and one that writes to the left.
BINARY = "add sub mul truediv floordiv mod pow matmul and or xor lshift rshift".split()
COMPARE = "lt le gt ge".split()
UNARY = "neg pos abs invert".split()


def operators():
    """The operators of an array; the module has them as slots, without signatures."""
    names = [f"__{form}{name}__" for name in BINARY for form in ("", "r", "i") if (name, form) != ("matmul", "i")]
    names += [f"__{form}divmod__" for form in ("", "r")]
    lines = []
    for name in names:
        result = "tuple[Array, Array]" if "divmod" in name else "Array"
        modulus = ", mod: None = None" if name in ("__pow__", "__rpow__") else ""
        ignore = "  # type: ignore[misc]" if name == "__ipow__" else ""
        lines.append(f"def {name}(self, other: _ArrayLike{modulus}, /) -> {result}: ...{ignore}")
    lines += [f"def __{name}__(self, other: _ArrayLike, /) -> Array: ..." for name in COMPARE]
    ignore = "# type: ignore[override]  # pyright: ignore[reportIncompatibleMethodOverride]"
    lines += [f"def __{name}__(self, other: object, /) -> Array: ...  {ignore}" for name in ("eq", "ne")]
    lines += [f"def __{name}__(self) -> Array: ..." for name in UNARY]
    return "\n".join("    " + line for line in lines)


def dtypes():
    return "\n".join(f"{name}: Final[dtype]" for name, thing in vars(freelane).items() if type(thing) is freelane.dtype)


def is_function(thing):
    return inspect.isbuiltin(thing) or inspect.isfunction(thing)


def functions(done):
    things = sorted((name, thing) for name, thing in vars(freelane).items() if is_function(thing) and name[0] != "_")
    return "\n\n".join(function(name, thing) for name, thing in things if name not in done)


def members(kind, done):
    """Attributes and methods of a class that the template does not have."""
    owner, parts = kind.__name__, []
    for name, thing in sorted(vars(kind).items()):
        if name in done:
            continue
        if inspect.isgetsetdescriptor(thing):
            parts.append(attribute(name, thing, owner))
        elif inspect.ismethoddescriptor(thing) and not isinstance(thing, type(object.__init__)):
            parts.append(function(name, thing, owner))
    return "\n\n".join(parts)


def defined(template, indent):
    """Names that the template defines, at the left margin or inside of classes."""
    found = re.findall(rf"^{indent}(?:def|class) (\w+)|^{indent}(\w+): ", template, re.MULTILINE)
    return {name for pair in found for name in pair}


def class_text(template, name):
    """The part of the template that is a class."""
    return template[template.index(f"class {name}:") :].split("\n\n")[0]


def generate():
    """The text of the stub."""
    template = TEMPLATE.read_text()
    text, at = [], 0
    parts = {
        "functions": lambda: functions(defined(template, "")),
        "operators": operators,
        "results": lambda: result_classes(""),
        "dtypes": dtypes,
    }
    for marker in re.finditer(r"^ *# (functions|operators|results|dtypes|members of (\w+))\n", template, re.MULTILINE):
        text.append(template[at : marker.start()])
        name = marker[2]
        made = members(getattr(freelane, name), defined(class_text(template, name), "    ")) if name else parts[marker[1]]()
        text.append(made + "\n")
        at = marker.end()
    text.append(template[at:])
    return "".join(text)


def generate_namespace(space):
    """The text of a namespace's stub."""
    module = __import__(f"freelane.{space}", fromlist=["_"])
    things = sorted((name, thing) for name, thing in vars(module).items() if is_function(thing) and name[0] != "_")
    template = TEMPLATE.with_name(f"{space}_template.pyi")
    own = template.read_text() if template.exists() else ""
    head = f"""# Written by python/tests/stubs.py from the module: UPDATE_EXPECT=1 with python/tests/test_stubs.py writes it anew.
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple, SupportsIndex

from . import Array, _ArrayLike, _DTypeLike, _str
"""
    head += "import builtins\n\n_bool = builtins.bool\n"
    body = "\n\n".join(function(name, thing, space=space) for name, thing in things if name not in defined(own, ""))
    return "\n".join(part for part in (head, own, result_classes(space), body) if part) + "\n"


if __name__ == "__main__":
    print(generate(), end="")
