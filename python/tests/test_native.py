"""How Python calls: every function and method, found by walking the module, binds its arguments as its signature says."""

import functools
import inspect
import pickle
import threading

import pytest

import freelane as fl

np = pytest.importorskip("numpy")

from samples import bits  # noqa: E402

KIND = inspect.Parameter
FUNCTIONS = {n: getattr(fl, n) for n in fl._freelane.__all__ if inspect.isbuiltin(getattr(fl, n))}
METHODS = {
    n: getattr(fl.Array, n)
    for n in dir(fl.Array)
    if inspect.ismethoddescriptor(getattr(fl.Array, n)) and not n.startswith("_")
}
CALLABLES = [(f"fl.{n}", n, f) for n, f in FUNCTIONS.items()] + [(f"Array.{n}", n, m) for n, m in METHODS.items()]
# These give their arguments to Python code, which binds them.
CALLABLES = [
    c for c in CALLABLES if not any(p.kind is KIND.VAR_KEYWORD for p in inspect.signature(c[2]).parameters.values())
]


def parts(function):
    """Parameters by position alone, by position or name, by name alone, and whether any number is taken."""
    params = list(inspect.signature(function).parameters.values())
    kinds = [KIND.POSITIONAL_ONLY, KIND.POSITIONAL_OR_KEYWORD, KIND.KEYWORD_ONLY]
    return [[p for p in params if p.kind is kind] for kind in kinds] + [
        any(p.kind is KIND.VAR_POSITIONAL for p in params)
    ]


def each(function):
    return pytest.mark.parametrize("name, function", [c[1:] for c in CALLABLES], ids=[c[0] for c in CALLABLES])(
        function
    )


def arguments(function):
    """Something for each parameter that must be given; what it is does not matter to binding."""
    only, both, _, _ = parts(function)
    needed = [p for p in only + both if p.default is p.empty]
    first = [fl.ones(2)] if needed and needed[0].name == "self" else []
    return first + [fl.ones(2)] * (len(needed) - len(first))


def test_there_are_many():
    assert len(FUNCTIONS) > 100 and len(METHODS) > 90 and len(CALLABLES) > 200
    assert not [n for n in fl._freelane.__all__ if n.startswith("_") and n != "__version__"]


@each
def test_documentation(name, function):
    signature = inspect.signature(function)
    assert function.__name__ == name and function.__doc__.strip() and not function.__doc__.startswith(name + "(")
    shown = str(signature).replace("self, /", "$self, /").replace("self, ", "$self, ").replace("$$", "$")
    assert function.__text_signature__ in (shown, str(signature))
    for p in signature.parameters.values():
        assert p.annotation is p.empty and (p.kind is not KIND.POSITIONAL_ONLY or p.name.isidentifier())


@each
def test_wrong_arguments(name, function):
    for check in (too_many, missing, unknown_names, names_of_parameters_by_position, twice):
        check(name, function, *parts(function))


def too_many(name, function, only, both, _, any_number):
    if any_number:
        return
    most = len(only) + len(both)
    given = (arguments(function) + [None] * most)[:most] + [None]
    with pytest.raises(
        TypeError, match=rf"^{name}\(\) takes {most} positional arguments, {most + 1} given; usage: {name}\("
    ):
        function(*given)
    with pytest.raises(TypeError, match=f"{most + 40} given"):
        function(*given, *[None] * 39)


def missing(name, function, only, both, *_):
    needed, given = [p.name for p in only + both if p.default is p.empty], arguments(function)
    for count in range(len(needed)):
        message = (
            "needs an argument" if needed[count] == "self" else rf"{name}\(\) needs {needed[count]}; usage: {name}\("
        )
        with pytest.raises(TypeError, match=message):
            function(*given[:count])


def unknown_names(name, function, *_):
    given = arguments(function)
    for wrong in ("nonsense", "self_", "", "é", "x" * 300, "out "):
        with pytest.raises(TypeError, match=rf"{name}\(\) does not have a parameter {wrong}; usage: {name}\("):
            function(*given, **{wrong: 1})


def names_of_parameters_by_position(name, function, only, *_):
    given = arguments(function)
    for p in only:
        with pytest.raises(TypeError, match=f"takes by position only a parameter {p.name};"):
            function(*given, **{p.name: None})
    if len(only) == len(given) > 1:
        with pytest.raises(TypeError, match=f"takes by position only a parameter {only[-1].name};"):
            function(*given[:-1], **{only[-1].name: None, only[0].name: 1})


def twice(name, function, only, both, *_):
    given = arguments(function)
    for i, p in enumerate(both, len(only)):
        given = (given + [None] * 10)[: i + 1]
        with pytest.raises(TypeError, match=f"got two values for {p.name}; usage:"):
            function(*given, **{p.name: None})


RUN = [
    ("sum", (fl.share(fl.ones((2, 3))),), {"axis": 0, "keepdims": True}),
    ("add", (1, 2), {"out": None}),
    ("var", (fl.share(fl.arange(4.0)),), {"axis": 0, "correction": 1, "keepdims": False}),
    ("full", ((2,), 3), {"dtype": "int8", "device": "cpu"}),
    ("full", (), {"shape": (2,), "fill_value": 3, "dtype": fl.int8}),
    ("asarray", ([1],), {"dtype": None, "device": None, "copy": None}),
    ("eye", (2,), {"k": 1, "n_cols": 3}),
    ("linspace", (), {"num": 3, "stop": 1, "start": 0}),
    ("arange", (3,), {"step": 2, "stop": 7}),
    ("stack", ([[1], [2]],), {"axis": -1}),
]


@pytest.mark.parametrize("name, args, named", RUN, ids=[r[0] + str(i) for i, r in enumerate(RUN)])
def test_forms_of_a_call(name, args, named):
    """Names in any order, interned or not, of a subclass of str; by partial, star, map and with an empty dict."""
    function = getattr(fl, name)
    expected = bits(function(*args, **named))

    class Name(str):
        pass

    fresh = {"".join(list(n)): v for n, v in reversed(named.items())}
    forms = [
        function(*args, **fresh),
        function(*args, **{Name(n): v for n, v in named.items()}),
        functools.partial(function, **named)(*args),
        functools.partial(function, *args)(**named),
        list(map(lambda _: function(*args, **named), [0]))[0],
        (lambda *a, **n: function(*a, **n))(*args, **named),
        function.__call__(*args, **named),
    ]
    assert [bits(f) for f in forms] == [expected] * len(forms)
    plain = fl.sum(fl.ones(3), **{})
    assert plain.item() == 3 and fl.add(*[1, 2], **{}).item() == 3 and list(map(fl.square, [2.0]))[0].item() == 4


def test_methods_bind_as_functions_do():
    x = fl.asarray([[1.0, 2.0], [3.0, 4.0]])
    assert x.sum(0).tolist() == x.sum(axis=0).tolist() == fl.Array.sum(x, 0).tolist() == [4, 6]
    for call in (
        lambda: fl.Array.sum(),
        lambda: fl.Array.sum(3),
        lambda: fl.Array.sum(np.ones(2)),
        lambda: x.sum(x=1),
        lambda: x.sum(0, 0),
    ):
        with pytest.raises(TypeError, match="sum"):
            call()


def test_round_says_what_keeps_decimals():
    x = fl.asarray([1.25])
    for call in (lambda: fl.round(x, 1), lambda: fl.round(x, decimals=1), lambda: x.round(1)):
        with pytest.raises(TypeError, match=r"; around\(x, decimals\) keeps decimals$"):
            call()


def test_functions_are_pickled_by_name():
    for function in list(FUNCTIONS.values())[:20] + [fl.Array.sum]:
        assert pickle.loads(pickle.dumps(function)) is function
    assert pickle.loads(pickle.dumps(fl.ones(3).sum))().item() == 3


def test_functions_are_of_the_module():
    for name, function in FUNCTIONS.items():
        assert (
            function.__module__ in ("freelane", "freelane._freelane")
            and repr(function) == f"<built-in function {name}>"
        )
    with pytest.raises(AttributeError):
        fl.add.other = 1


def test_a_function_of_someone_else_may_call_back():
    """Arguments are bound before Python code of theirs runs, and may die meanwhile."""
    seen = []

    class Index:
        def __index__(self):
            seen.append(fl.sum(fl.ones(3), axis=0).item())
            arguments.clear()
            return 0

    arguments = [fl.ones((2, 3)), Index()]
    assert fl.sum(*arguments).tolist() == [2, 2, 2] and seen == [3]


@pytest.mark.alone("makes threads of its own")
def test_first_calls_from_many_threads():
    found, barrier = [], threading.Barrier(8)

    def work():
        barrier.wait()
        for name in ("add", "multiply", "maximum"):
            found.append(getattr(fl, name)(2, 3).item())

    threads = [threading.Thread(target=work) for _ in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert sorted(found) == [3] * 8 + [5] * 8 + [6] * 8
