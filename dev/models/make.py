"""Makes the small models that tests run: `python dev/models/make.py FOLDER`, with the packages onnx and numpy."""

import sys
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


def classifier() -> onnx.ModelProto:
    """Two dense layers, softmax at the end: x [batch, 8] -> p [batch, 3]."""
    random = np.random.default_rng(7)
    weights = {
        "w1": random.normal(size=(8, 16)).astype("float32") / 3,
        "b1": random.normal(size=16).astype("float32"),
        "w2": random.normal(size=(16, 3)).astype("float32") / 4,
        "b2": random.normal(size=3).astype("float32"),
    }
    nodes = [
        helper.make_node("Gemm", ["x", "w1", "b1"], ["h"], name="first"),
        helper.make_node("Relu", ["h"], ["r"], name="bend"),
        helper.make_node("Gemm", ["r", "w2", "b2"], ["s"], name="second"),
        helper.make_node("Softmax", ["s"], ["p"], name="shares", axis=-1),
    ]
    graph = helper.make_graph(
        nodes,
        "classifier",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["batch", 8])],
        [helper.make_tensor_value_info("p", TensorProto.FLOAT, ["batch", 3])],
        [numpy_helper.from_array(value, name) for name, value in weights.items()],
    )
    return helper.make_model(graph, producer_name="freelane", opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    onnx.save(classifier(), folder / "classifier.onnx")
