"""The command line: `python -m freelane scale`, `freelane eval 'sin(x)' x=x.npy`."""

import signal
import sys

from . import _freelane


def main() -> int:
    """Runs `sys.argv[1:]` and returns the exit status: 0 success, 2 a wrong flag, 1 anything else."""
    # The interpreter would only note an interrupt, and act on it after the command.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return _freelane._command(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
