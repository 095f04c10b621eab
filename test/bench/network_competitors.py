"""Networks in NumPy, onnxruntime and PyTorch, the competitors of compare_networks.py.

The constructor of a competitor takes NumPy's module, two functions that return the network (as read_network() does, and as the
path of an ONNX file), and the number of threads. The functions may fail, since not every network has both forms. The
constructor raises ImportError if the library is not installed. prepare(x) returns two functions: one that computes a forward
pass and returns when it is complete, and one that returns the output as a NumPy array.
"""
import contextlib
import io
import json
import os


def read_network(np, path):
    """Returns the layers of a JSON definition: (kind, weights (outputs x inputs), biases, slope)."""
    def matrix(name):
        with open(os.path.join(os.path.dirname(path), name), encoding="utf-8") as file:
            return np.load(os.path.join(os.path.dirname(path), json.load(file)["file"]))

    with open(path, encoding="utf-8") as file:
        listed = json.load(file)["layers"]
    return [(layer["layer"].removesuffix("Layer"),
             matrix(layer["weights"]) if "weights" in layer else None,
             matrix(layer["biases"])[:, 0] if "biases" in layer else None,
             layer.get("slope", 0.01)) for layer in listed]


class NumPy:
    name = "numpy"

    def __init__(self, np, net, onnx, threads):
        self.np = np
        # Inputs x outputs, as programs usually store them.
        self.net = [(kind, None if w is None else np.ascontiguousarray(w.T), b, slope) for kind, w, b, slope in net()]
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            np.show_config()
        blas = "OpenBLAS" if "openblas" in printed.getvalue().lower() else "another BLAS than OpenBLAS"
        self.details = f"NumPy {np.__version__}, {blas}, {threads} threads"

    def prepare(self, x):
        np, net = self.np, self.net
        buffers = [None if w is None else np.empty((x.shape[0], w.shape[1]), np.float32) for _, w, _, _ in net]

        def call():
            y = x
            for (kind, w, b, slope), buffer in zip(net, buffers):
                if w is not None:
                    y = np.matmul(y, w, out=buffer)
                    if b is not None:
                        y += b
                elif kind == "ReLU":
                    y = np.maximum(y, 0, out=None if y is x else y)
                else:
                    y = self.activation(kind, y, np.float32(slope))
            return y
        return call, call

    def activation(self, kind, y, slope):
        np = self.np
        if kind == "Sigmoid":
            return 1 / (1 + np.exp(-y))
        if kind == "Tanh":
            return np.tanh(y)
        if kind == "LeakyReLU":
            return np.where(y < 0, slope * y, y)
        if kind == "Softmax":
            y = np.exp(y - y.max(axis=1, keepdims=True))
            return y / y.sum(axis=1, keepdims=True)
        if kind != "Identity":
            raise SystemExit(f"{kind} layers are not run with NumPy here; leave that competitor out")
        return y


class OnnxRuntime:
    name = "onnxruntime"

    def __init__(self, np, net, onnx, threads):
        import onnxruntime
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
        self.session = onnxruntime.InferenceSession(onnx(), options,
                                                    providers=["CPUExecutionProvider"])
        self.details = f"onnxruntime {onnxruntime.__version__} on the CPU, {threads} threads"

    def prepare(self, x):
        given = {self.session.get_inputs()[0].name: x}

        def call():
            return self.session.run(None, given)[0]
        return call, call


class PyTorch:
    name = "pytorch"

    def __init__(self, np, net, onnx, threads):
        import torch
        self.torch = torch
        torch.set_num_threads(threads)
        torch.backends.cuda.matmul.allow_tf32 = False
        torch.backends.cudnn.allow_tf32 = False
        cuda = torch.cuda.is_available()
        self.device = torch.device("cuda" if cuda else "cpu")
        self.wait = torch.cuda.synchronize if cuda else lambda: None
        self.net = [(kind, *(None if m is None else torch.from_numpy(m).to(self.device) for m in (w, b)), slope)
                    for kind, w, b, slope in net()]
        where = f"{torch.cuda.get_device_name()}, CUDA {torch.version.cuda}" if cuda else f"CPU, {threads} threads"
        self.details = f"PyTorch {torch.__version__} on {where}, float32 without TF32"

    def prepare(self, x):
        torch, functional = self.torch, self.torch.nn.functional
        given = torch.from_numpy(x).to(self.device)
        activations = {"ReLU": torch.relu, "Sigmoid": torch.sigmoid, "Tanh": torch.tanh, "Identity": lambda y: y,
                       "Softmax": lambda y: torch.softmax(y, 1)}

        @torch.inference_mode()
        def call():
            y = given
            for kind, w, b, slope in self.net:
                if w is not None:
                    y = functional.linear(y, w, b)
                elif kind == "LeakyReLU":
                    y = functional.leaky_relu(y, slope)
                else:
                    y = activations[kind](y)
            self.wait()
            return y
        return call, lambda: call().cpu().numpy()


COMPETITORS = {competitor.name: competitor for competitor in (NumPy, OnnxRuntime, PyTorch)}
