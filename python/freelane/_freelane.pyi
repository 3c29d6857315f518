# The library behind the package is private: its public part is described in __init__.pyi.
from typing import Any

def __getattr__(name: str) -> Any: ...
