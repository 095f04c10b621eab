#!/usr/bin/env python3
"""Trains a small classifier of handwritten digits with scikit-learn. Writes the network, its inputs and scikit-learn's predictions as
files for `tilewright net`:

  scripts/train_digits.py FOLDER

  digits.onnx               the network: 64 inputs, a layer of 32 with ReLU, a layer of 10 with softmax
  digits.json               the same network as JSON (docs/models.md), with digits.layerI.*
  digits.npy                the 1,797 images of scikit-learn's load_digits, one row of 64 pixels (0 to 16) per image
  digits.labels.npy         the correct digits
  digits.predictions.npy    the digits that scikit-learn predicts
  digits.probabilities.npy  the probabilities of scikit-learn, 1,797 x 10

Three quarters of the images are used for training. The script prints how many of the others are recognised. It needs scikit-learn
(Debian: python3-sklearn) and nothing else, because it writes the ONNX file field by field. Seeds are fixed, but another
version of scikit-learn or another BLAS gives another network. Tests and the demo use the files in test/digits.
"""
import json
import os
import struct
import sys

HIDDEN = 32
SEED = 1


def varint(number):
    encoded = bytearray()
    while number > 0x7F:
        encoded.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes(encoded + bytes([number]))


def field(number, value):
    """A field of a protobuf message. The value is an int, a string or bytes (for example another message)."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    if isinstance(value, str):
        value = value.encode()
    return varint(number << 3 | 2) + varint(len(value)) + value


def node(operation, inputs, output):
    """NodeProto: 1 input, 2 output, 3 name, 4 op_type."""
    return (b"".join(field(1, name) for name in inputs) + field(2, output) + field(3, output) +
            field(4, operation))


def tensor(name, array):
    """TensorProto: 1 dims, 2 data_type (1: FLOAT), 8 name, 9 raw_data."""
    return (b"".join(field(1, extent) for extent in array.shape) + field(2, 1) + field(8, name) +
            field(9, array.astype("<f4").tobytes()))


def value_info(name, columns):
    """ValueInfoProto of a float matrix with any number of rows. Fields: 1 name, 2 type; in type: 1 tensor_type; in tensor_type:
    1 elem_type, 2 shape; in shape: 1 dim; in dim: 1 dim_value or 2 dim_param."""
    shape = field(1, field(2, "batch")) + field(1, field(1, columns))
    return field(1, name) + field(2, field(1, field(1, 1) + field(2, shape)))


def onnx_model(layers):
    """ModelProto of [(weights, inputs x outputs; biases)]: 1 ir_version, 2 producer_name, 7 graph (1 node,
    2 name, 5 initializer, 11 input, 12 output), 8 opset_import (2 version)."""
    graph, at = field(2, "digits"), "pixels"
    for number, (weights, biases) in enumerate(layers, 1):
        last = number == len(layers)
        graph += field(5, tensor(f"weights{number}", weights)) + field(5, tensor(f"biases{number}", biases))
        graph += field(1, node("MatMul", [at, f"weights{number}"], f"product{number}"))
        graph += field(1, node("Add", [f"product{number}", f"biases{number}"], f"sum{number}"))
        at = "probabilities" if last else f"hidden{number}"
        graph += field(1, node("Softmax" if last else "Relu", [f"sum{number}"], at))
    graph += field(11, value_info("pixels", layers[0][0].shape[0]))
    graph += field(12, value_info(at, layers[-1][0].shape[1]))
    return field(1, 7) + field(2, "train_digits") + field(7, graph) + field(8, field(2, 13))


def npy(array):
    """Writes a matrix as .npy, version 1.0."""
    header = str({"descr": array.dtype.str, "fortran_order": False, "shape": array.shape})
    header += " " * (-(len(header) + 11) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + array.tobytes()


def write_json_model(write, layers):
    """The network as JSON: weights are outputs x inputs, biases are outputs x 1."""
    listed = []
    for weights, biases in layers:
        affine = {"layer": "AffineLayer"}
        for what, matrix in (("weights", weights.T), ("biases", biases.reshape(-1, 1))):
            name = f"digits.layer{len(listed) + 1}.{what}"
            write(f"{name}.npy", npy(matrix.astype("<f4", order="C")))
            definition = {"rows": matrix.shape[0], "cols": matrix.shape[1], "data_type": "npy",
                          "file": f"{name}.npy"}
            write(f"{name}.json", json.dumps(definition, indent=2).encode() + b"\n")
            affine[what] = f"{name}.json"
        listed += [affine, {"layer": "ReLULayer"}]
    listed[-1] = {"layer": "SoftmaxLayer"}
    write("digits.json", json.dumps({"layers": listed, "size": len(listed)}, indent=2).encode() + b"\n")


def main(folder):
    try:
        from sklearn.datasets import load_digits
        from sklearn.model_selection import train_test_split
        from sklearn.neural_network import MLPClassifier
    except ImportError as error:
        sys.exit(f"train_digits: {error}: scikit-learn is needed (Debian: python3-sklearn)")
    pixels, labels = load_digits(return_X_y=True)
    seen, unseen, seen_labels, unseen_labels = train_test_split(pixels / 16, labels, random_state=SEED)
    classifier = MLPClassifier((HIDDEN,), max_iter=2000, random_state=SEED).fit(seen, seen_labels)
    # The network takes unscaled pixels: the factor 1/16 is included, exactly, in the first weights.
    layers = list(zip(classifier.coefs_, classifier.intercepts_))
    layers[0] = (layers[0][0] / 16, layers[0][1])
    probabilities = classifier.predict_proba(pixels / 16)
    predictions = classifier.predict(pixels / 16)

    os.makedirs(folder, exist_ok=True)

    def write(name, content):
        with open(os.path.join(folder, name), "wb") as file:
            file.write(content)

    write("digits.onnx", onnx_model(layers))
    write_json_model(write, layers)
    write("digits.npy", npy(pixels.astype("u1")))
    write("digits.labels.npy", npy(labels.astype("u1")))
    write("digits.predictions.npy", npy(predictions.astype("u1")))
    write("digits.probabilities.npy", npy(probabilities.astype("<f4")))
    two_best = probabilities.copy()
    two_best.sort(axis=1)
    print(f"{(predictions == labels).sum()} of {len(labels)} digits are recognised, "
          f"{(classifier.predict(unseen) == unseen_labels).sum()} of the {len(unseen)} unseen ones; "
          f"the two best probabilities differ by {(two_best[:, -1] - two_best[:, -2]).min():.2g} at least")


if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        print(__doc__, file=sys.stdout if sys.argv[1:] in (["--help"], ["-h"]) else sys.stderr)
        sys.exit(0 if sys.argv[1:] in (["--help"], ["-h"]) else 2)
    main(sys.argv[1])
