"""Networks from files."""

import json

import numpy as np
import pytest
from conftest import ROOT

import tilewright as tw

DIGITS = ROOT / "test/digits"


@pytest.fixture(scope="module")
def net(lib):
    with lib.load_net(DIGITS / "digits.onnx") as loaded:
        yield loaded


@pytest.fixture(scope="module")
def samples():
    return np.load(DIGITS / "digits.npy"), np.load(DIGITS / "digits.probabilities.npy")


# ------------------------------------------------------------------ a small network, as bytes

def field(number, value):
    """Returns a field of a protocol buffer: an integer, or bytes, text or a message."""
    if isinstance(value, int):
        return bytes([number << 3]) + varint(value)
    data = value.encode() if isinstance(value, str) else value
    return bytes([number << 3 | 2]) + varint(len(data)) + data


def varint(value):
    data = b""
    while value > 127:
        data += bytes([value & 127 | 128])
        value >>= 7
    return data + bytes([value])


def value_info(name, columns):
    dimensions = field(1, field(2, "batch")) + field(1, field(1, columns))
    return field(1, name) + field(2, field(1, field(1, 1) + field(2, dimensions)))


def node(kind, inputs, output):
    return b"".join(field(1, name) for name in inputs) + field(2, output) + field(4, kind)


def tensor(name, values):
    dimensions = b"".join(field(1, extent) for extent in values.shape)
    return dimensions + field(2, 1) + field(8, name) + field(9, values.astype("<f4").tobytes())


def two_by_two(weights, names=("sum", "positive"), add="Add", relu_of=None):
    """Returns an ONNX file with two outputs: add(state W, goal), and the ReLU of it or of another value."""
    nodes = [node("MatMul", ["state", "W"], "product"), node(add, ["product", "goal"], names[0]),
             node("Relu", [relu_of or names[0]], names[1])]
    inputs = [value_info("state", weights.shape[0]), value_info("goal", weights.shape[1])]
    outputs = [value_info(name, weights.shape[1]) for name in names]
    graph = (b"".join(field(1, one) for one in nodes) + field(2, "two") + field(5, tensor("W", weights))
             + b"".join(field(11, one) for one in inputs) + b"".join(field(12, one) for one in outputs))
    return field(1, 7) + field(7, graph) + field(8, field(1, "") + field(2, 13))


@pytest.fixture(scope="module")
def weights():
    return np.arange(12, dtype=np.float32).reshape(4, 3) / 12


@pytest.fixture(scope="module")
def two(lib, weights):
    return lib.load_net(two_by_two(weights))


# ------------------------------------------------------------------ tests

def test_digits(net, samples):
    x, probabilities = samples
    y = net(x)
    assert y.shape == probabilities.shape and y.dtype == np.float32
    np.testing.assert_allclose(y, probabilities, atol=1e-5)
    assert [(port.columns) for port in net.inputs + net.outputs] == [64, 10]
    assert "64" in repr(net) and "10" in repr(net)


def test_shapes_of_samples(net, samples):
    x, probabilities = samples
    np.testing.assert_allclose(net(x[0]), probabilities[0], atol=1e-5)
    np.testing.assert_allclose(net(x[:6].reshape(6, 8, 8)), probabilities[:6], atol=1e-5)
    np.testing.assert_allclose(net(x[:20:3].astype(float)), probabilities[:20:3], atol=1e-5)
    np.testing.assert_allclose(net(x[:7].tolist()), probabilities[:7], atol=1e-5)
    assert net(x[:0]).shape == (0, 10)


def test_half_precision(lib, samples):
    x, probabilities = samples
    with lib.load_net(str(DIGITS / "digits.onnx"), np.float16) as net:
        y = net(x[:100])
        assert y.dtype == np.float16
        np.testing.assert_allclose(y, probabilities[:100], atol=0.02)


def test_bytes_and_json(lib, net, samples):
    x, _ = samples
    expected = net(x[:5])
    assert np.array_equal(lib.load_net((DIGITS / "digits.onnx").read_bytes())(x[:5]), expected)
    np.testing.assert_allclose(lib.load_net(DIGITS / "digits.json")(x[:5]), expected, atol=1e-5)
    weights = {"rows": 1, "cols": 2, "data_type": "values", "values": [0.5, -1]}
    text = json.dumps({"layers": [{"layer": "AffineLayer", "weights": weights}]})
    assert lib.load_net(text.encode())(np.float32([[2, 3]])) == [[-2]]
    with pytest.raises(tw.ArgumentError, match="in memory: is not JSON: syntax error in line 1, column 2"):
        lib.load_net(b"{]")


def test_several_inputs_and_outputs(two, weights, random):
    s, g = random.uniform(-1, 1, (5, 4)).astype("f"), random.uniform(-1, 1, (5, 3)).astype("f")
    expected = s @ weights + g
    for result in (two({"goal": g, "state": s}), two(s, g)):
        assert list(result) == ["sum", "positive"]
        np.testing.assert_allclose(result["sum"], expected, atol=1e-5)
        np.testing.assert_allclose(result["positive"], np.maximum(expected, 0), atol=1e-5)
    assert two(s[0], g[0])["sum"].shape == (3,)
    assert [(port.name, port.columns) for port in two.inputs] == [("state", 4), ("goal", 3)]


def test_explanation(net):
    assert "softmax" in net.explain(7)


def test_chosen_outputs(lib, weights):
    s, g = np.ones((5, 4), "f"), np.zeros((5, 3), "f")
    net = lib.load_net(two_by_two(weights), outputs=["positive", "sum"])
    assert list(net(s, g)) == ["positive", "sum"]
    one = lib.load_net(two_by_two(weights), np.float16, outputs="positive")
    assert [port.name for port in one.outputs] == ["positive"] and one.dtype == np.float16
    assert one(s, g).shape == (5, 3)
    for outputs, text in (([], "outputs is empty"), (["none"], "no output 'none'; it has 'sum', 'positive'"),
                          (["sum", "sum"], "'sum' is chosen twice")):
        with pytest.raises(tw.ArgumentError, match=text):
            lib.load_net(two_by_two(weights), outputs=outputs)


def test_first_output_that_cannot_be_computed(lib, weights, tmp_path):
    path = tmp_path / "net.onnx"
    path.write_bytes(two_by_two(weights, add="LSTM", relu_of="product"))
    for source in (path, path.read_bytes()):
        with pytest.raises(tw.ArgumentError, match="the first output, 'sum', cannot be computed: .*'LSTM'.*: 'positive'"):
            lib.load_net(source)
        with pytest.raises(tw.ArgumentError, match="the output 'sum' cannot be computed: .*'LSTM'.*: 'positive'"):
            lib.load_net(source, outputs=["positive", "sum"])
        with lib.load_net(source, outputs=["positive"]) as net:
            s = np.ones((2, 4), "f")
            np.testing.assert_allclose(net(s), s @ weights, atol=1e-5)


@pytest.mark.parametrize("inputs, kind, text", [
    ([np.ones((5, 4))], ValueError, "1 arrays are given, and the network has 'state', 'goal'"),
    ([{"state": np.ones((5, 4))}], ValueError, r"missing: \['goal'\], unknown: \[\]"),
    ([{"state": np.ones((5, 4)), "goal": np.ones((5, 3)), "x": 1}], ValueError, r"unknown: \['x'\]"),
    ([np.ones((5, 4)), np.ones((6, 3))], ValueError, r"different numbers of samples: \[5, 6\]"),
    ([np.ones((5, 5)), np.ones((5, 3))], ValueError, r"input 'state' has shape \(5, 5\), and not \(batch, 4\)"),
    ([np.ones(4), np.ones((5, 3))], ValueError, r"input 'state' has shape \(4,\)"),
    ([np.ones((5, 4), complex), np.ones((5, 3))], TypeError, "complex128"),
])
def test_bad_inputs(two, inputs, kind, text):
    with pytest.raises(kind, match=text) as caught:
        two(*inputs)
    assert isinstance(caught.value, tw.Error)


def test_bad_files(lib, tmp_path):
    (tmp_path / "x.onnx").write_bytes(b"no network")
    for source in (tmp_path / "x.onnx", tmp_path / "none.onnx", tmp_path / "x.txt", b"no network", b""):
        with pytest.raises(tw.ArgumentError) as caught:
            lib.load_net(source)
        assert caught.value.status in ("TW_INVALID_NETWORK", "TW_INVALID_VALUE")
    with pytest.raises(TypeError, match="int32"):
        lib.load_net(DIGITS / "digits.onnx", np.int32)
    with pytest.raises(tw.UnsupportedTypeError):
        lib.load_net(DIGITS / "digits.onnx", np.float64)


def test_networks_outlive_their_library(device, samples):
    x, probabilities = samples
    with tw.open(device.index, cache=False) as lib:
        net = lib.load_net(DIGITS / "digits.onnx")
    np.testing.assert_allclose(net(x[:3]), probabilities[:3], atol=1e-5)
    net.close()
    with pytest.raises(ValueError, match="the network is closed"):
        net(x[:3])


def test_masked_samples_are_refused(net, samples):
    with pytest.raises(TypeError, match="input 'pixels' is a masked array"):
        net(np.ma.masked_less(samples[0], 1))


def test_missing_files(lib, tmp_path):
    for name in ("none.onnx", "none.json"):
        with pytest.raises(tw.ArgumentError, match=name) as caught:
            lib.load_net(tmp_path / name)
        assert isinstance(caught.value, FileNotFoundError)


def test_negative_batches_are_refused(net):
    for call in (net.prepare, net.explain):
        with pytest.raises(tw.ArgumentError, match="batch is -1, which is negative"):
            call(-1)


def test_arrays_on_the_device(lib, net, two, weights, samples):
    array = pytest.importorskip("pyopencl.array", reason="pyopencl is not installed")
    x, probabilities = samples
    queue = lib.queue
    net.prepare(50)
    y = array.zeros(queue, (50, 10), np.float32)
    net.forward(array.to_device(queue, x.astype("f"))[7:57], out=y).wait()
    np.testing.assert_allclose(y.get(), probabilities[7:57], atol=1e-5)
    s, g = np.ones((5, 4), np.float32), np.zeros((5, 3), np.float32)
    outs = {"positive": array.zeros(queue, (5, 3), np.float32), "sum": array.zeros(queue, (5, 3), np.float32)}
    two.forward([array.to_device(queue, s), array.to_device(queue, g)], out=outs)
    np.testing.assert_allclose(outs["sum"].get(), s @ weights, atol=1e-5)
    with pytest.raises(ValueError, match=r"output .* has shape \(50, 11\), and not \(batch, 10\)"):
        net.forward(array.zeros(queue, (50, 64), np.float32), out=array.zeros(queue, (50, 11), np.float32))
    with pytest.raises(ValueError, match="different numbers of samples"):
        net.forward(array.zeros(queue, (49, 64), np.float32), out=y)
    with pytest.raises(TypeError, match="float64"):
        net.forward(array.zeros(queue, (50, 64), np.float64), out=y)
