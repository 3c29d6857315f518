"""A few of the random calls of `fuzz_calls.py`, the same in every run."""

import freelane as fl
from fuzz_calls import DTYPES, Fuzz

SHARED = [fl.arange(6).astype(d) for d in DTYPES]


def test_random_calls():
    fuzz = Fuzz(0, SHARED)
    fuzz.run(2000)
    assert min(fuzz.counts.values()) > 300
