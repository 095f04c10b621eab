#!/usr/bin/env python3
"""A rival for `tilewright bench --rivals exec:docs/examples/rival.py` (docs/measuring.md): put your library in
the place of multiply()."""
import array
import sys
import time


def floats(count):
    """Raw floats that follow a line."""
    values = array.array("f")
    values.frombytes(sys.stdin.buffer.read(4 * count))
    return values


def multiply(op, m, n, k, a, b):
    """C = op(A) op(B), row-major, complete when it returns."""
    def at_a(i, p):
        return a[p * m + i] if op[0] == "T" else a[i * k + p]

    def at_b(p, j):
        return b[j * k + p] if op[1] == "T" else b[p * n + j]

    return [sum(at_a(i, p) * at_b(p, j) for p in range(k)) for i in range(m) for j in range(n)]


def answer(line):
    word, *rest = line.split()
    if word == "tilewright-rival":  # the version of the protocol, the name of the device
        return "ready plain Python, one thread"
    if word == "product":
        op, (m, n, k) = rest[0], map(int, rest[1:])
        product[:] = op, m, n, k, floats(m * k), floats(k * n)
        return "ready"
    if word == "run":
        begin = time.perf_counter_ns()
        for _ in range(int(rest[0])):
            result[:] = multiply(*product)
        return f"ns {time.perf_counter_ns() - begin}"
    if word == "elements":
        n = product[2]
        return "values " + " ".join(f"{result[int(i) * n + int(j)]:.9g}" for i, j in zip(rest[::2], rest[1::2]))
    return f"error what is '{word}'?"


product, result = [], []
for line in iter(sys.stdin.buffer.readline, b""):
    print(answer(line.decode()), flush=True)
