"""What other libraries call freelane's functions. Imported when somebody asks for a name that is not there."""

# NumPy's name where it is not freelane's, of functions that take the same arguments.
RENAMED = {
    "absolute": "abs",
    "amax": "max",
    "amin": "min",
    "arccos": "acos",
    "arccosh": "acosh",
    "arcsin": "asin",
    "arcsinh": "asinh",
    "arctan": "atan",
    "arctan2": "atan2",
    "arctanh": "atanh",
    "conjugate": "conj",
    "fabs": "abs",
    "invert": "bitwise_invert",
    "left_shift": "bitwise_left_shift",
    "power": "pow",
    "right_shift": "bitwise_right_shift",
    "rint": "round",
    "true_divide": "divide",
}
# What to write where the arguments differ too.
INSTEAD = {
    "atleast_1d": "reshape or expand_dims",
    "bitwise_not": "bitwise_invert",
    "bool_": "bool",
    "concatenate": "concat",
    "copy": "x.copy()",
    "cumprod": "cumulative_prod",
    "cumsum": "cumulative_sum",
    "diag": "diagonal",
    "double": "float64",
    "extract": "x[mask]",
    "fliplr": "flip(x, axis=1)",
    "flipud": "flip(x, axis=0)",
    "half": "float16",
    "hsplit": "split(x, n, axis=1)",
    "mod": "remainder",
    "ndarray": "Array",
    "ndim": "x.ndim",
    "promote_types": "result_type",
    "shape": "x.shape",
    "single": "float32",
    "size": "x.size",
    "unique": "unique_values, unique_counts, unique_inverse or unique_all",
    "vdot": "vecdot",
    "vsplit": "split(x, n)",
}


def hint(name):
    """What to write instead, as the end of a message."""
    known = RENAMED.get(name) or INSTEAD.get(name)
    return f"; NumPy's {name} is {known} here" if known else ""
