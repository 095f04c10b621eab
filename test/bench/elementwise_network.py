#!/usr/bin/env python3
"""Writes a network of 20 elementwise steps between two affine layers (64, 256, 10), to measure steps without a product.

  test/bench/elementwise_network.py FILE.onnx

Weights and constants are random, and the same each time. Needs NumPy and onnx. Afterwards, for example:

  test/bench/compare_networks.py FILE.onnx --batch 1,100 --compare onnxruntime
"""
import argparse

INPUTS, WIDTH, OUTPUTS = 64, 256, 10
# Operators, and their second operands: r0, r1 ... are rows, c0, c1 ... numbers.
STEPS = ["Mul r0", "Sin", "Add r1", "Abs", "Mul r2", "Sub c0", "Sigmoid", "Mul r3", "Exp", "Add c1", "Sqrt", "Div r4", "Cos",
         "Mul c2", "Max c0", "Neg", "Tanh", "Add r5", "Mul c3", "Softplus"]
NUMBERS = [0.5, 1.5, 0.25, 2.0]
NUM_ROWS = 6


def make_constants(np):
    rng = np.random.default_rng(1)
    constants = {"w1": rng.uniform(-1, 1, (INPUTS, WIDTH)) / 8, "b1": rng.uniform(-1, 1, WIDTH) / 8,
                 "w2": rng.uniform(-1, 1, (WIDTH, OUTPUTS)) / 16, "b2": rng.uniform(-1, 1, OUTPUTS) / 16}
    constants.update({f"r{i}": rng.uniform(0.5, 1.5, WIDTH) for i in range(NUM_ROWS)})
    constants.update({f"c{i}": np.float32(number) for i, number in enumerate(NUMBERS)})
    return constants


def make_model(np, onnx):
    from onnx import helper, numpy_helper
    nodes = [helper.make_node("Gemm", ["x", "w1", "b1"], ["v0"])]
    for i, step in enumerate(STEPS):
        operator, *operand = step.split()
        nodes.append(helper.make_node(operator, [f"v{i}", *operand], [f"v{i + 1}"]))
    nodes.append(helper.make_node("Gemm", [f"v{len(STEPS)}", "w2", "b2"], ["y"]))
    x, y = (helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, ["batch", columns])
            for name, columns in (("x", INPUTS), ("y", OUTPUTS)))
    constants = [numpy_helper.from_array(np.asarray(value, np.float32), name) for name, value in make_constants(np).items()]
    graph = helper.make_graph(nodes, "elementwise", [x], [y], constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model)
    return model


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter,
                                     usage=argparse.SUPPRESS)
    parser.add_argument("file", help=argparse.SUPPRESS)
    file = parser.parse_args().file
    import numpy
    import onnx
    onnx.save(make_model(numpy, onnx), file)


if __name__ == "__main__":
    main()
