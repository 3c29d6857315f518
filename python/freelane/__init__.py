"""Arrays and functions whose threads share nothing on the hot path."""

from ._freelane import *  # noqa: F403
from ._freelane import __version__
from ._io import savez, savez_compressed
