class LinAlgError(ValueError):
    """A matrix without a result: not square, or singular. NumPy has one of the same name and kind."""
