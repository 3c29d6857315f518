"""Files of several arrays under NumPy's names."""

from freelane import _freelane


def _named(arrays, named):
    numbered = {f"arr_{i}": array for i, array in enumerate(arrays)}
    for name in numbered.keys() & named:
        raise ValueError(f"two arrays are called {name}: an argument without a name, and a keyword")
    return numbered | named


def savez(path, /, *arrays, **named):
    """Writes arrays to a .npz or .safetensors file: keywords by their names, others as arr_0, arr_1 and so on.

    Raises OSError, and ValueError for an unknown ending or an array that the format cannot hold.
    """
    _freelane.save_all(path, _named(arrays, named))


def savez_compressed(path, /, *arrays, **named):
    """As savez, deflated."""
    _freelane.save_all(path, _named(arrays, named), compress=True)
