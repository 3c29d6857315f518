"""Runs exported cases with onnxruntime, by the rules of freelane-onnx's tests/cases.rs: how many pass, by group.

    peers.py FOLDER...

Each case runs in a process of its own, so that one that crashes is a case that fails. Prints a line a group, and one for the
plain cases: not random, of tensors alone, of bool, integers, float16, float and double.
"""
import json
import os
import pathlib
import sys
from collections import Counter

import numpy
import onnx
import onnxruntime
from onnx import numpy_helper

PLAIN = {
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float", "double",
}


def value_of(path, kind):
    """A value in a file, of the kind that the model's input or output says."""
    data = path.read_bytes()
    if kind == "sequence_type":
        return numpy_helper.to_list(onnx.SequenceProto.FromString(data))
    if kind == "optional_type":
        return numpy_helper.to_optional(onnx.OptionalProto.FromString(data))
    return numpy_helper.to_array(onnx.TensorProto.FromString(data))


def same(found, expected, row):
    if isinstance(expected, list):
        return isinstance(found, list) and len(found) == len(expected) and all(map(lambda a, b: same(a, b, row), found, expected))
    if expected is None or found is None:
        return expected is found
    found, expected = numpy.asarray(found), numpy.asarray(expected)
    if found.dtype != expected.dtype or found.shape != expected.shape:
        return False
    if row["random"]:
        return True
    if expected.dtype.kind in "fc":
        return numpy.allclose(found, expected, rtol=row["rtol"], atol=row["atol"], equal_nan=True)
    if expected.dtype.kind in "OUS":
        return [str(x) for x in found.ravel()] == [str(x) for x in expected.ravel()]
    return numpy.allclose(found.astype("f8"), expected.astype("f8"), rtol=row["rtol"], atol=row["atol"], equal_nan=True)


def passes(root, row):
    folder = root / row["path"]
    graph = onnx.load(folder / "model.onnx", load_external_data=False).graph
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(folder / "model.onnx", options, providers=["CPUExecutionProvider"])
    kinds = {value.name: value.type.WhichOneof("value") for value in [*graph.input, *graph.output]}
    for number in range(row["n_data_sets"]):
        data = folder / f"test_data_set_{number}"
        feeds = {name: value_of(data / f"input_{i}.pb", kinds[name]) for i, name in enumerate(row["input_names"])}
        for i, (output, found) in enumerate(zip(session.get_outputs(), session.run(None, feeds))):
            if not same(found, value_of(data / f"output_{i}.pb", kinds[output.name]), row):
                return False
    return True


def alone(root, row):
    """Whether a case passes, found out in a process that may crash."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
            code = 0 if passes(root, row) else 1
        except BaseException:
            pass
        os._exit(code)
    return os.waitpid(child, 0)[1] == 0


def main(roots):
    passed, all_ = Counter(), Counter()
    for root in map(pathlib.Path, roots):
        for line in (root / "manifest.jsonl").read_text().splitlines():
            row = json.loads(line)
            plain = not row["random"] and set(row["dtypes"]) <= PLAIN and row["io_kinds"] == ["tensor"]
            kinds = [row["group"], *(["plain"] if plain and row["group"] != "model" else [])]
            good = alone(root, row)
            for kind in kinds:
                all_[kind] += 1
                passed[kind] += good
    print(f"onnxruntime {onnxruntime.__version__}")
    for kind in sorted(all_):
        print(f"{kind:<20} {passed[kind]:>5} of {all_[kind]:>5}")


if __name__ == "__main__":
    main(sys.argv[1:])
