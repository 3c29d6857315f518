"""Sessions of both libraries on the same model and inputs."""
import functools
import resource
import time

import numpy as np
import onnxruntime

import freelane as fl

onnxruntime.set_default_logger_severity(3)


def theirs(path):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def sessions(path):
    """Functions that load the model at a path, by library."""
    return {"freelane": functools.partial(fl.Session, str(path)), "onnxruntime": functools.partial(theirs, str(path))}


def call(library, session, feed):
    """A run, with inputs of the library's own making: those that a program of its users would have."""
    if library == "freelane":
        ours = {name: fl.asarray(value, copy=True) for name, value in feed.items()}
        return lambda: session.run(ours)
    feed = {name: value.copy() for name, value in feed.items()}
    return lambda: session.run(None, feed)


def furthest(left, right):
    """The largest difference between two lists of outputs."""
    pairs = ((np.asarray(a), np.asarray(b)) for a, b in zip(left, right, strict=True))
    return max((abs(a.astype("f8") - b.astype("f8")).max(initial=0.0) for a, b in pairs if a.dtype.kind in "biuf"), default=0.0)


def loaded(make):
    """A session, the seconds it took, and by how many bytes the process's largest size grew."""
    before, start = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.perf_counter()
    session = make()
    took = time.perf_counter() - start
    return session, took, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024
