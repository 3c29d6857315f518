"""Models from Python, and the look-alike of onnxruntime."""

import threading
from pathlib import Path

import freelane as fl
import pytest

MODEL = Path(__file__).parents[2] / "crates/freelane-cli/tests/models/classifier.onnx"
#: What another runtime gives for X.
EXPECTED = [[0.42158541, 0.03598423, 0.54243034], [0.52553469, 0.04349762, 0.43096772]]
X = fl.reshape(fl.linspace(-1, 1, 16, dtype="float32"), (2, 8))


def close(found):
    assert [[pytest.approx(v, abs=1e-6) for v in row] for row in EXPECTED] == found


@pytest.fixture(scope="module")
def session():
    return fl.Session(MODEL)


def test_runs_by_name_and_in_order(session):
    close(session.run({"x": X})[0].tolist())
    close(session.run([X])[0].tolist())
    close(session.run(x=X)[0].tolist())
    close(session.run(x=X.tolist())[0].tolist())
    assert session.run({"x": X})[0].dtype == fl.float32


def test_from_bytes_and_as_the_file_has_it():
    for kind in (bytes, bytearray, memoryview):
        close(fl.Session(kind(MODEL.read_bytes())).run([X])[0].tolist())
    close(fl.Session(str(MODEL), optimize=False).run([X])[0].tolist())
    close(fl.Session(MODEL, threads=2).run([X])[0].tolist())


def test_describes_itself(session):
    assert session.inputs == [("x", "float32", ("batch", 8))]
    assert session.outputs == [("p", "float32", ("batch", 3))]
    assert repr(session) == "freelane.Session(x: float32 [batch, 8] -> p: float32 [batch, 3])"
    assert session.metadata["producer"] == "freelane"
    assert session.memory()["weights"] >= 4 * (8 * 16 + 16 + 16 * 3 + 3)


def test_profile():
    session = fl.Session(MODEL, profile=True)
    session.run([X])
    profile = session.profile()
    assert {op for _, op, _, _ in profile} and all(runs == 1 and seconds > 0 for _, _, runs, seconds in profile)


def test_what_is_wrong_is_told(session, tmp_path):
    with pytest.raises(ValueError, match="input x: expected float32 .batch, 8., found float64 .2, 8."):
        session.run({"x": X.astype("float64")})
    with pytest.raises(ValueError, match="input y: the model has no such input; it takes x"):
        session.run({"y": X})
    with pytest.raises(ValueError, match="input x: is missing"):
        session.run()
    with pytest.raises(ValueError, match="input x: is given twice"):
        session.run({"x": X}, x=X)
    with pytest.raises(FileNotFoundError, match="none.onnx"):
        fl.Session(tmp_path / "none.onnx")
    for cut in (0, 1, 100, 900):
        with pytest.raises(ValueError):
            fl.Session(MODEL.read_bytes()[:cut])
    with pytest.raises(TypeError, match="not one array"):
        session.run(X)
    with pytest.raises(RuntimeError, match="profile=True"):
        session.profile()
    with pytest.raises(TypeError, match="path or bytes"):
        fl.Session(7)
    with pytest.raises(ValueError, match="input x: expected float32 .batch, 8., found nothing"):
        session.run({"x": None})
    with pytest.raises(TimeoutError):
        session.run([X], timeout=0)
    for wrong in (-1.0, float("nan")):
        with pytest.raises(ValueError, match="timeout: .* is no number of seconds"):
            session.run([X], timeout=wrong)
    close(session.run([X], timeout=float("inf"))[0].tolist())


def test_threads_share_a_session(session):
    expected = session.run([X])[0].tolist()
    failures = []

    def work():
        for _ in range(200):
            if session.run([X])[0].tolist() != expected:
                failures.append(1)

    threads = [threading.Thread(target=work) for _ in range(8)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    assert not failures


def test_the_look_alike():
    np = pytest.importorskip("numpy")
    import freelane.onnxruntime as ort

    options = ort.SessionOptions()
    options.intra_op_num_threads = 1
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_ENABLE_ALL
    session = ort.InferenceSession(str(MODEL), sess_options=options, providers=["CPUExecutionProvider"])
    (given,), (made,) = session.get_inputs(), session.get_outputs()
    assert (given.name, given.type, given.shape) == ("x", "tensor(float)", ["batch", 8])
    assert (made.name, made.type, made.shape) == ("p", "tensor(float)", ["batch", 3])
    x = np.linspace(-1, 1, 16, dtype="float32").reshape(2, 8)
    for names in (None, ["p"]):
        (found,) = session.run(names, {"x": x})
        assert isinstance(found, np.ndarray) and found.dtype == np.float32 and found.flags.writeable
        close(found.tolist())
    with pytest.raises(ValueError, match="no output 'q'"):
        session.run(["q"], {"x": x})
    binding = session.io_binding()
    binding.bind_cpu_input("x", x)
    binding.bind_output("p")
    session.run_with_iobinding(binding)
    close(binding.copy_outputs_to_cpu()[0].tolist())
    memory = np.zeros((2, 3), dtype="float32")
    binding.bind_input("x", "cpu", 0, np.float32, x.shape, x.ctypes.data)
    binding.bind_output("p", "cpu", 0, np.float32, (2, 3), memory.ctypes.data)
    session.run_with_iobinding(binding)
    close(memory.tolist())
    with pytest.raises(ValueError, match="element_type and shape"):
        binding.bind_output("p", "cpu", 0, buffer_ptr=memory.ctypes.data)
    binding.bind_ortvalue_output("p", ort.OrtValue.ortvalue_from_shape_and_type((4, 3), np.float32))
    with pytest.raises(RuntimeError, match=r"shape \[4, 3\].*shape \[2, 3\]"):
        session.run_with_iobinding(binding)
    value = ort.OrtValue.ortvalue_from_numpy(x)
    close(session.run_with_ort_values(["p"], {"x": value})[0].numpy().tolist())
    assert session.get_providers() == ort.get_available_providers() == ["CPUExecutionProvider"]
    assert session.get_modelmeta().producer_name == "freelane"
    assert ort.__version__.count(".") == 2 and "freelane" in ort.get_build_info()


def test_errors_of_the_look_alike(tmp_path):
    np = pytest.importorskip("numpy")
    import freelane.onnxruntime as ort
    from freelane.onnxruntime.capi.onnxruntime_pybind11_state import Fail, InvalidArgument, InvalidGraph, InvalidProtobuf, NoSuchFile

    with pytest.raises(NoSuchFile, match="none.onnx"):
        ort.InferenceSession(tmp_path / "none.onnx")
    for cut in (0, 1, 100, 900):
        with pytest.raises((InvalidProtobuf, InvalidGraph)):
            ort.InferenceSession(MODEL.read_bytes()[:cut])
    with pytest.raises(TypeError, match="path or bytes"):
        ort.InferenceSession(7)
    session, x = ort.InferenceSession(str(MODEL)), np.zeros((2, 8), np.float32)
    wrong = [{}, {"y": x}, {"x": x, "y": x}, {"x": x.astype(float)}, {"x": x[:, :4]}, {"x": x[0]}, {"x": None}]
    for feed in wrong:
        with pytest.raises(InvalidArgument) as found:
            session.run(None, feed)
        assert isinstance(found.value, (Fail, ValueError))
    with pytest.raises(TypeError, match=r"a list of names: \['p'\]"):
        session.run("p", {"x": x})
    assert ort.InferenceSession(MODEL, providers="CPUExecutionProvider").get_providers() == ["CPUExecutionProvider"]
    options = ort.RunOptions()
    options.terminate = True
    with pytest.raises(Fail, match="cancelled"):
        session.run(None, {"x": x}, options)
    options.terminate = False
    assert session.run(None, {"x": x}, options)[0].shape == (2, 3)
    options.timeout = 0
    with pytest.raises(TimeoutError):
        session.run(None, {"x": x}, options)


def test_exceptions_have_bases_of_their_own(tmp_path):
    pytest.importorskip("numpy")
    import freelane.onnxruntime as ort
    from freelane.onnxruntime.capi import onnxruntime_pybind11_state as state

    bases = {
        "InvalidArgument": ValueError,
        "InvalidGraph": ValueError,
        "InvalidProtobuf": ValueError,
        "NoSuchFile": FileNotFoundError,
        "NotImplemented": NotImplementedError,
        "RuntimeException": RuntimeError,
    }
    for name in (*bases, "Fail", "EPFail", "EngineError", "ModelLoadCanceled", "ModelLoaded", "NoModel", "NotFound"):
        assert getattr(state, name).__bases__ == (bases.get(name, Exception),)
    text = tmp_path / "text.onnx"
    text.write_bytes(b"hello world\n" * 9)
    for unreadable in (text, tmp_path, str(tmp_path), b"abc", b"\xff" * 10, MODEL.read_bytes()[:100]):
        with pytest.raises(state.InvalidProtobuf):
            ort.InferenceSession(unreadable)
    with pytest.raises(state.InvalidGraph, match="no graph"):
        ort.InferenceSession(b"")
    with pytest.raises(state.NoSuchFile):
        ort.InferenceSession("a\0b")


def test_options_of_other_types_are_refused():
    np = pytest.importorskip("numpy")
    import freelane.onnxruntime as ort
    from freelane.onnxruntime.capi.onnxruntime_pybind11_state import InvalidArgument

    for options in (ort.SessionOptions(), ort.RunOptions()):
        with pytest.raises(AttributeError, match="zork"):
            options.zork = 1
        numbers = ("log_severity_level", np.int32(3), 3, ("x", None, 1.5, 2**31))
        for name, right, made, wrong in (numbers, ("logid", b"run", "run", (1, None, []))):
            setattr(options, name, right)
            for value in wrong:
                with pytest.raises(TypeError, match=name):
                    setattr(options, name, value)
            assert getattr(options, name) == made
    options = ort.SessionOptions()
    assert (options.intra_op_num_threads, options.enable_profiling, options.enable_mem_pattern) == (0, False, True)
    for name, wrong in (
        ("intra_op_num_threads", "x"),
        ("graph_optimization_level", 99),
        ("execution_mode", ort.GraphOptimizationLevel.ORT_DISABLE_ALL),
        ("execution_order", 0),
        ("enable_profiling", "no"),
        ("enable_mem_reuse", []),
    ):
        with pytest.raises(TypeError, match=name):
            setattr(options, name, wrong)
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.use_deterministic_compute, options.enable_mem_pattern = 1, None
    assert options.use_deterministic_compute is True and options.enable_mem_pattern is False
    options.add_session_config_entry("key", "value")
    assert options.get_session_config_entry("key") == "value"
    with pytest.raises(TypeError, match="1 is not a text"):
        options.add_session_config_entry("key", 1)
    with pytest.raises(TypeError, match="'no' is not True or False"):
        ort.RunOptions().terminate = "no"
    options.intra_op_num_threads = 10_000
    with pytest.raises(InvalidArgument, match="intra_op_num_threads is at most 1024, not 10000"):
        ort.InferenceSession(str(MODEL), options)
    with pytest.raises(TypeError, match="sess_options is a SessionOptions, not 'x'"):
        ort.InferenceSession(str(MODEL), "x")


def test_arguments_of_runs():
    np = pytest.importorskip("numpy")
    import freelane.onnxruntime as ort

    session, feed = ort.InferenceSession(str(MODEL)), {"x": np.asarray(X)}
    for names in (None, [], "", ("p",), [b"p"], {"p"}, (name for name in ["p"])):
        (found,) = session.run(names, feed)
        close(found.tolist())
    for names in ("p", b"p", [None], [3], 3):
        with pytest.raises(TypeError):
            session.run(names, feed)
    value = ort.OrtValue.ortvalue_from_numpy(feed["x"])
    binding = bound(session, feed["x"])
    for run in (
        lambda: session.run(None, feed, 3),
        lambda: session.run_with_ort_values(None, {"x": value}, 3),
        lambda: session.run_with_iobinding(binding, 3),
    ):
        with pytest.raises(TypeError, match="run_options is a RunOptions, not 3"):
            run()


def bound(session, x):
    binding = session.io_binding()
    binding.bind_cpu_input("x", x)
    binding.bind_output("p")
    return binding


def test_what_is_bound_wrongly_is_a_runtime_error():
    np = pytest.importorskip("numpy")
    import freelane.onnxruntime as ort

    session, x, doubles = ort.InferenceSession(str(MODEL)), np.asarray(X), np.zeros((2, 3))
    value, options = ort.OrtValue.ortvalue_from_numpy(x), ort.RunOptions()
    options.terminate = True
    for change, text in (
        (lambda binding: binding.clear_binding_outputs(), "no output is bound"),
        (lambda binding: binding.clear_binding_inputs(), "input x: is missing"),
        (lambda binding: binding.bind_cpu_input("x", x.astype(float)), "found float64"),
        (lambda binding: binding.bind_output("q"), "no output 'q'"),
        (lambda binding: binding.bind_output("p", "cpu", 0, np.float64, (2, 3), doubles.ctypes.data), "type float64"),
        (lambda binding: binding.bind_output("p", "cpu", 0, doubles.dtype, (2, 3), doubles.ctypes.data), "type float64"),
    ):
        binding = bound(session, x)
        change(binding)
        with pytest.raises(RuntimeError, match=text):
            session.run_with_iobinding(binding)
        assert binding.get_outputs() == []
    for bind in (
        lambda: binding.bind_cpu_input("y", x),
        lambda: binding.bind_input("y", "cpu", 0, np.float32, x.shape, x.ctypes.data),
        lambda: binding.bind_ortvalue_input("y", value),
    ):
        with pytest.raises(RuntimeError, match="input y: the model has no such input; it takes x"):
            bind()
    with pytest.raises(RuntimeError, match="cancelled"):
        session.run_with_iobinding(bound(session, x), options)


@pytest.mark.alone("warnings are caught for the whole process")
def test_names_that_are_none_of_providers():
    pytest.importorskip("numpy")
    import freelane.onnxruntime as ort

    assert "CUDAExecutionProvider" in ort.get_all_providers() and ort.get_all_providers()[-1] == "CPUExecutionProvider"
    session = ort.InferenceSession(str(MODEL))
    wrong_names = (("Nope", RuntimeError), (("Nope", {}), RuntimeError), (3, ValueError), (("CPUExecutionProvider",), ValueError))
    for wrong, kind in wrong_names:
        with pytest.raises(kind):
            session.set_providers([wrong])
        with pytest.raises(kind):
            ort.InferenceSession(str(MODEL), providers=[wrong], enable_fallback=False)
        with pytest.warns(UserWarning, match="models run with 'CPUExecutionProvider'"):
            assert ort.InferenceSession(str(MODEL), providers=[wrong]).get_providers() == ["CPUExecutionProvider"]


@pytest.mark.alone("warnings are caught for the whole process")
def test_other_providers_are_warned_of():
    pytest.importorskip("numpy")
    import freelane.onnxruntime as ort

    session = ort.InferenceSession(str(MODEL))
    for made in (ort.InferenceSession, lambda model, providers: session.set_providers(providers)):
        with pytest.warns(UserWarning, match="CUDAExecutionProvider"):
            made(str(MODEL), providers=[("CUDAExecutionProvider", {}), "CPUExecutionProvider"])


def test_an_axis_that_the_options_fix():
    np = pytest.importorskip("numpy")
    import freelane.onnxruntime as ort

    options = ort.SessionOptions()
    options.add_free_dimension_override_by_name("batch", 2)
    session = ort.InferenceSession(str(MODEL), options)
    assert session.get_inputs()[0].shape == [2, 8] and session.get_outputs()[0].shape == [2, 3]
    assert session.run(None, {"x": np.zeros((2, 8), np.float32)})[0].shape == (2, 3)
    with pytest.raises(ValueError, match="batch: an axis cannot be -1 long"):
        options.add_free_dimension_override_by_name("batch", -1)
    with pytest.raises(ValueError, match=r"axis 0 \(batch\) is 3 long; the options say 2"):
        session.run(None, {"x": np.zeros((3, 8), np.float32)})


def test_a_run_beside_the_caller():
    np = pytest.importorskip("numpy")
    import freelane.onnxruntime as ort

    session, done, found = ort.InferenceSession(str(MODEL)), threading.Event(), []

    def callback(*told):
        found.append(told)
        done.set()

    session.run_async(["p"], {"x": np.asarray(X)}, callback, 7)
    assert done.wait(60)
    (outputs, data, error) = found.pop()
    close(outputs[0].tolist())
    assert (data, error) == (7, "")
    done.clear()
    session.run_async(["p"], {"y": np.asarray(X)}, callback, 7)
    assert done.wait(60)
    (outputs, data, error) = found.pop()
    assert outputs == [] and "no such input" in error


def test_values_of_the_look_alike():
    np = pytest.importorskip("numpy")
    import freelane.onnxruntime as ort

    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    value = ort.OrtValue.ortvalue_from_numpy(x, "cpu", 0)
    assert (value.data_type(), value.element_type(), value.shape()) == ("tensor(float)", 1, [2, 3])
    assert (value.tensor_size_in_bytes(), value.device_name(), value.has_value()) == (24, "cpu", True)
    assert (value.is_tensor(), value.is_tensor_sequence(), value.is_sparse_tensor()) == (True, False, False)
    assert (np.asarray(value) == x).all() and (np.from_dlpack(value) == x).all()
    zeros = ort.OrtValue.ortvalue_from_shape_and_type([2, 3], 1)
    ort.copy_tensors([value], [zeros])
    assert (zeros.numpy() == x).all()
    halves = ort.OrtValue.ortvalue_from_numpy_with_onnx_type(np.array([0x3C00], np.uint16), 10)
    assert halves.data_type() == "tensor(float16)" and halves.numpy()[0] == 1.0
    device = ort.OrtDevice.make("cpu", 0)
    assert ort.OrtValue.ortvalue_from_numpy(x, device).shape() == [2, 3] and device.device_type() == "cpu"
    with pytest.raises(RuntimeError, match="no device 'cuda'"):
        ort.OrtValue.ortvalue_from_numpy(x, "cuda", 0)
    for shape, element, text in (([2], 99, "no type of elements"), ([2], str, "elements of <U"), ([-1], 1, r"shape \[-1\]")):
        with pytest.raises(RuntimeError, match=text):
            ort.OrtValue.ortvalue_from_shape_and_type(shape, element)


def test_a_value_shares_memory():
    np = pytest.importorskip("numpy")
    import freelane.onnxruntime as ort

    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    for array in (x, np.array(2.5), x > 1, np.zeros((0, 3))):
        value = ort.OrtValue.ortvalue_from_numpy(array)
        assert value.data_ptr() == array.ctypes.data and value.shape() == list(array.shape)
        assert (value.numpy() == array).all()
    value = ort.OrtValue.ortvalue_from_numpy(x)
    x[0, 0] = 77
    assert value.numpy()[0, 0] == 77
    value.update_inplace(np.ones((2, 3), np.float32))
    assert x.tolist() == [[1, 1, 1], [1, 1, 1]]
    fixed = x.copy()
    fixed.flags.writeable = False
    for array in (fixed, x.T, x[:, ::2], x.astype(">f4")):
        value = ort.OrtValue.ortvalue_from_numpy(array)
        assert not np.shares_memory(value.numpy(), array) and value.data_type() == "tensor(float)"
        assert (value.numpy() == array).all() and value.numpy().flags.writeable
    for wrong in (np.array([None]), [1.0], 1.0, np.float32(1), "a", None, np.array(["a"]), np.zeros(2, "M8[s]"), np.zeros(2, "V4")):
        with pytest.raises(RuntimeError, match="value is made of a NumPy array|cannot have elements"):
            ort.OrtValue.ortvalue_from_numpy(wrong)


def test_every_dtype_becomes_numpys():
    np = pytest.importorskip("numpy")
    from freelane.onnxruntime._values import to_numpy

    for name in ("bool", "int8", "uint16", "int32", "uint64", "float16", "float32", "float64", "complex64", "complex128"):
        x = fl.astype(fl.reshape(fl.arange(6), (2, 3)), getattr(fl, name))
        for given in (x, x.T, x[:, ::2], fl.astype(fl.asarray(3), x.dtype), x[:0]):
            found = to_numpy(given)
            assert (found.dtype, found.shape, found.flags.writeable) == (np.dtype(name), given.shape, True)
            assert found.tolist() == given.tolist(), (name, given.shape)
    assert to_numpy([None, x])[0] is None


def _field(number, content):
    """A field of a protobuf message that is shorter than 128 bytes."""
    content = content.encode() if isinstance(content, str) else content
    return bytes([number << 3 | 2, len(content)]) + content


def test_a_scalar_may_be_given_as_one_element():
    np = pytest.importorskip("numpy")
    import freelane.onnxruntime as ort

    ends = b"".join(
        _field(place, _field(1, name) + _field(2, _field(1, bytes([8, 7]) + _field(2, b"")))) for place, name in [(11, "x"), (12, "y")]
    )
    graph = _field(1, _field(1, "x") + _field(1, "x") + _field(2, "y") + _field(4, "Add")) + ends
    session = ort.InferenceSession(bytes([8, 8]) + _field(7, graph) + _field(8, bytes([16, 17])))
    assert session.get_inputs()[0].shape == []
    for given in (np.array(21), np.array([21]), np.array([[21]]), [21], 21):
        found = session.run(None, {"x": given})[0]
        assert found.shape == () and found == 42
    with pytest.raises(ort.capi.onnxruntime_pybind11_state.InvalidArgument, match="input x"):
        session.run(None, {"x": np.array([1, 2])})
