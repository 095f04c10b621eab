#!/usr/bin/env python3
"""Makes this folder's files: networks as PyTorch's two exporters write them, and what onnxruntime makes of them.

    pip install torch onnx onnxruntime onnxscript    # tried: 2.15.0, 1.23.2, 1.32.0, 0.7.2
    test/runtime/models/pytorch/export.py

NAME.x.npy is a batch for the network NAME, and NAME.EXPORTER-SET.y.npy what NAME.EXPORTER-SET.onnx gives for it; the EXPORTER is
torchscript or dynamo, SET the operator set. Names in exported files depend on PyTorch's version, numbers on its seed only.
"""

import pathlib

import numpy
import onnx
import onnxruntime
import torch
from torch import nn

FOLDER = pathlib.Path(__file__).parent
BATCH = 7


class Normalised(nn.Module):
    """Columns in other units than the network's, before and after it."""

    def __init__(self):
        super().__init__()
        for name, width in [("mean", 6), ("std", 6), ("out_mean", 3), ("out_std", 3)]:
            self.register_buffer(name, torch.rand(width) + 0.5)
        self.net = nn.Sequential(nn.Linear(6, 5), nn.ReLU(), nn.Linear(5, 3))

    def forward(self, x):
        return self.net((x - self.mean) / self.std) * self.out_std + self.out_mean


class Image(nn.Module):
    """Pictures of three channels, each with a mean of its own; logarithms of probabilities."""

    def __init__(self):
        super().__init__()
        self.register_buffer("mean", torch.tensor([0.485, 0.456, 0.406]).reshape(3, 1, 1))
        self.register_buffer("std", torch.tensor([0.229, 0.224, 0.225]).reshape(3, 1, 1))
        self.net = nn.Sequential(nn.Flatten(), nn.Linear(12, 8), nn.SELU(), nn.Linear(8, 4), nn.LogSoftmax(dim=1))

    def forward(self, x):
        return self.net((x - self.mean) / self.std)


class Squeezed(nn.Module):
    """Dimensions of one element that come and go; the result is one number a sample."""

    def __init__(self):
        super().__init__()
        self.first = nn.Linear(6, 5)
        self.last = nn.Linear(5, 1)

    def forward(self, x):
        x = torch.sigmoid(self.first(x.unsqueeze(1).squeeze(1)))
        return self.last(x.unsqueeze(0).squeeze(0)).squeeze(-1)


class Actor(nn.Module):
    """Operations after the last activation, without a layer after them."""

    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(6, 5), nn.BatchNorm1d(5), nn.ReLU6(), nn.Linear(5, 2), nn.Tanh())

    def forward(self, x):
        return 1.5 - self.net(x) * 2.0


def through(*activations):
    layers = [nn.Linear(6, 8)]
    for activation in activations:
        layers += [activation, nn.Linear(8, 8)]
    return nn.Sequential(*layers)


def trained(net):
    """Batch normalisations that have seen something, and slopes that differ."""
    for module in net.modules():
        if isinstance(module, nn.BatchNorm1d):
            for values, low in [(module.running_mean, -0.5), (module.running_var, 0.5), (module.bias, -0.5),
                                (module.weight, 0.5)]:
                nn.init.uniform_(values, low, low + 1)
        if isinstance(module, nn.PReLU) and module.weight.numel() > 1:
            nn.init.uniform_(module.weight, -0.5, 0.5)
    return net.eval()


# Each network with its operator sets. An operator that a later set added is several nodes in earlier sets.
NETS = {
    "gelu": (lambda: through(nn.GELU(), nn.GELU(approximate="tanh")), (13, 18, 20)),
    "smooth": (lambda: through(nn.ELU(0.7), nn.SELU(), nn.Softplus(), nn.Softplus(beta=2), nn.ELU()), (18,)),
    "hard": (lambda: through(nn.Hardsigmoid(), nn.Hardswish(), nn.ReLU6(), nn.Hardtanh(), nn.LeakyReLU(0.2)), (13, 18)),
    "prelu": (lambda: through(nn.PReLU(), nn.PReLU(8), nn.Sequential(nn.BatchNorm1d(8), nn.PReLU(8))), (18,)),
    "batchnorm": (lambda: nn.Sequential(nn.BatchNorm1d(6), nn.Linear(6, 5), nn.BatchNorm1d(5), nn.ReLU(),
                                        nn.BatchNorm1d(5), nn.Dropout(), nn.Linear(5, 4, bias=False), nn.BatchNorm1d(4)), (13, 18)),
    "normalised": (Normalised, (18,)),
    "image": (Image, (18,)),
    "squeezed": (Squeezed, (12, 18)),
    "actor": (Actor, (18,)),
    # Its numbers are in a second file, NAME.onnx.data.
    "outside": (lambda: nn.Sequential(nn.Linear(6, 24), nn.BatchNorm1d(24), nn.SELU(), nn.Linear(24, 24), nn.Softmax(dim=1)), (18,)),
}


def export(net, x, path, exporter, operator_set):
    external = path.name.startswith("outside")
    if exporter == "dynamo":
        batch = torch.export.Dim("batch")
        torch.onnx.export(net, (x,), path, dynamo=True, opset_version=operator_set, dynamic_shapes=({0: batch},),
                          external_data=external, verbose=False)
    else:
        torch.onnx.export(net, (x,), path, dynamo=False, opset_version=operator_set, input_names=["x"],
                          output_names=["y"], dynamic_axes={"x": {0: "batch"}, "y": {0: "batch"}})
        if external:
            onnx.save_model(onnx.load(path), path, save_as_external_data=True, location=path.name + ".data",
                            size_threshold=0)
    # Stack traces of the exporter, which are most of a small file and differ from machine to machine.
    model = onnx.load(path, load_external_data=False)
    for part in [model, model.graph, *model.graph.node, *model.graph.input, *model.graph.output,
                 *model.graph.value_info, *model.graph.initializer]:
        del part.metadata_props[:]
        part.doc_string = ""
    onnx.save(model, path)


def main():
    for number, (name, (make, operator_sets)) in enumerate(NETS.items()):
        torch.manual_seed(number)
        net = trained(make())
        shape = (BATCH, 3, 2, 2) if name == "image" else (BATCH, 6)
        x = 2 * torch.randn(shape)
        numpy.save(FOLDER / f"{name}.x.npy", x.numpy().reshape(BATCH, -1))
        for exporter in ("torchscript", "dynamo"):
            for operator_set in operator_sets:
                if exporter == "dynamo" and operator_set < 18:
                    continue
                path = FOLDER / f"{name}.{exporter}-{operator_set}.onnx"
                export(net, x, path, exporter, operator_set)
                session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
                y = session.run(None, {session.get_inputs()[0].name: x.numpy()})[0]
                numpy.testing.assert_allclose(y, net(x).detach().numpy(), rtol=1e-4, atol=1e-5)
                numpy.save(path.with_suffix(".y.npy"), y.reshape(BATCH, -1))


if __name__ == "__main__":
    main()
