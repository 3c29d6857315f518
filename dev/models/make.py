"""Makes the small models of tests, benches and the audit: `python dev/models/make.py`, with the packages onnx and numpy."""

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
    return model("classifier", nodes, weights, ("x", ["batch", 8]), ("p", ["batch", 3]))


def mlp() -> onnx.ModelProto:
    """Two dense layers of 128 and 10: x [batch, 64] -> y [batch, 10]. What a run costs beside its arithmetic shows here."""
    random = np.random.default_rng(11)
    weights = {
        "w1": random.normal(size=(64, 128)).astype("float32") / 8,
        "b1": random.normal(size=128).astype("float32"),
        "w2": random.normal(size=(128, 10)).astype("float32") / 11,
        "b2": random.normal(size=10).astype("float32"),
    }
    nodes = [
        helper.make_node("Gemm", ["x", "w1", "b1"], ["h"]),
        helper.make_node("Relu", ["h"], ["r"]),
        helper.make_node("Gemm", ["r", "w2", "b2"], ["y"]),
    ]
    return model("mlp", nodes, weights, ("x", ["batch", 64]), ("y", ["batch", 10]))


def cnn() -> onnx.ModelProto:
    """Two convolutions with pools, as for small digits: x [batch, 1, 16, 16] -> y [batch, 10]."""
    random = np.random.default_rng(13)
    weights = {
        "k1": random.normal(size=(8, 1, 3, 3)).astype("float32") / 3,
        "b1": random.normal(size=8).astype("float32"),
        "k2": random.normal(size=(16, 8, 3, 3)).astype("float32") / 9,
        "b2": random.normal(size=16).astype("float32"),
        "w": random.normal(size=(256, 10)).astype("float32") / 16,
        "b": random.normal(size=10).astype("float32"),
    }
    nodes = [
        helper.make_node("Conv", ["x", "k1", "b1"], ["c1"], pads=[1, 1, 1, 1]),
        helper.make_node("Relu", ["c1"], ["r1"]),
        helper.make_node("MaxPool", ["r1"], ["p1"], kernel_shape=[2, 2], strides=[2, 2]),
        helper.make_node("Conv", ["p1", "k2", "b2"], ["c2"], pads=[1, 1, 1, 1]),
        helper.make_node("Relu", ["c2"], ["r2"]),
        helper.make_node("MaxPool", ["r2"], ["p2"], kernel_shape=[2, 2], strides=[2, 2]),
        helper.make_node("Flatten", ["p2"], ["f"]),
        helper.make_node("Gemm", ["f", "w", "b"], ["y"]),
    ]
    return model("cnn", nodes, weights, ("x", ["batch", 1, 16, 16]), ("y", ["batch", 10]))


def model(name, nodes, weights, x, y) -> onnx.ModelProto:
    """A model of float32 with one input and one output."""
    x, y = (helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in (x, y))
    constants = [numpy_helper.from_array(value, name) for name, value in weights.items()]
    graph = helper.make_graph(nodes, name, [x], [y], constants)
    return helper.make_model(graph, producer_name="freelane", opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


if __name__ == "__main__":
    here = Path(__file__).parent
    onnx.save(classifier(), here / "../../crates/freelane-cli/tests/models/classifier.onnx")
    onnx.save(mlp(), here / "../../crates/freelane-cli/models/mlp.onnx")
    onnx.save(cnn(), here / "cnn.onnx")
