#!/usr/bin/env python3
"""A competitor for `tilewright bench --compare exec:docs/examples/competitor.py` (docs/measuring.md). Write a class
like PlainPython for your library; numpy_competitor.py does so for NumPy."""
import array
import sys
import time


class PlainPython:
    """Computes C = op(A) op(B). Matrices are row-major without gaps; op is NN, NT, TN or TT."""
    details = "plain Python, one thread"

    def set_product(self, op, m, n, k, a, b):
        """Sets the next product. a, b: raw bytes of floats. A is k x m if op begins with T, B is n x k if op ends with T."""
        self.op, self.m, self.n, self.k = op, m, n, k
        self.a, self.b = array.array("f", a), array.array("f", b)
        self.c = []

    def multiply(self):
        """Computes C, and returns when it is complete."""
        m, n, k, a, b = self.m, self.n, self.k, self.a, self.b

        def at_a(i, p):
            return a[p * m + i] if self.op[0] == "T" else a[i * k + p]

        def at_b(p, j):
            return b[j * k + p] if self.op[1] == "T" else b[p * n + j]

        self.c = [sum(at_a(i, p) * at_b(p, j) for p in range(k)) for i in range(m) for j in range(n)]

    def element(self, i, j):
        return self.c[i * self.n + j]


def answer(library, line):
    word, *rest = line.split()
    if word == "tilewright-competitor":  # the version of the protocol, the name of the device
        return f"ready {library.details}"
    if word == "product":
        op, (m, n, k) = rest[0], map(int, rest[1:])
        read = sys.stdin.buffer.read
        library.set_product(op, m, n, k, read(4 * m * k), read(4 * k * n))
        return "ready"
    if word == "run":
        begin = time.perf_counter_ns()
        for _ in range(int(rest[0])):
            library.multiply()
        return f"ns {time.perf_counter_ns() - begin}"
    if word == "elements":
        places = map(int, rest)
        return "values " + " ".join(f"{library.element(i, j):.9g}" for i, j in zip(places, places))
    return f"error what is '{word}'?"


def serve(library):
    for line in iter(sys.stdin.buffer.readline, b""):
        print(answer(library, line.decode()), flush=True)


if __name__ == "__main__":
    serve(PlainPython())
