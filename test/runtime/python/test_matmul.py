"""matmul() against numpy.matmul."""

import dataclasses
import threading

import numpy as np
import pytest

import tilewright as tw
from tilewright import _host_arrays, _layout

TYPES = ["float16", "float32", "float64", "complex64", "complex128"]


@pytest.fixture(scope="module", params=["shared", "copied"])
def lib(request, device):
    """A library whose buffers are the arrays, and one that copies arrays to a device with its own memory."""
    with tw.open(device.index, cache=False) as library:
        library.device = dataclasses.replace(library.device, shares_host_memory=request.param == "shared")
        yield library


def numbers(random, shape, dtype="float32"):
    values = random.uniform(-1, 1, shape)
    if np.dtype(dtype).kind == "c":
        values = values + 1j * random.uniform(-1, 1, shape)
    return values.astype(dtype)


def check(lib, a, b):
    """Compares shape, type and values with NumPy."""
    result, expected = lib.matmul(a, b), np.matmul(a, b)
    assert np.shape(result) == np.shape(expected)
    assert result.dtype == expected.dtype
    precise = np.matmul(a.astype(np.complex128), b.astype(np.complex128))
    k = a.shape[-1]
    epsilon = np.finfo(result.dtype).eps
    bound = epsilon * (1 + k if result.dtype != np.float16 else 4) * (1 + np.sqrt(k))
    np.testing.assert_allclose(result, precise, rtol=0, atol=bound)
    return result


@pytest.mark.parametrize("dtype", TYPES)
def test_types(lib, random, dtype):
    if dtype in ("float64", "complex128") and not lib.device.has_double:
        pytest.skip("the device has no double precision")
    check(lib, numbers(random, (33, 17), dtype), numbers(random, (17, 21), dtype))


@pytest.mark.parametrize("position", ["a", "b", "out"])
def test_masked_arrays_are_refused(lib, position):
    arrays = {name: np.ones((2, 2), np.float32) for name in ("a", "b", "out")}
    arrays[position] = np.ma.masked_array(arrays[position], mask=[[0, 1], [0, 0]])
    with pytest.raises(TypeError, match=f"{position} is a masked array.*filled"):
        lib.matmul(**arrays)


def test_double_precision_without_support(lib, random):
    if lib.device.has_double:
        pytest.skip("the device has double precision")
    with pytest.raises(tw.UnsupportedTypeError):
        lib.matmul(np.ones((2, 2)), np.ones((2, 2)))


VIEWS = {
    "contiguous": lambda x: x[:12, :12],
    "transposed": lambda x: x[:12, :12].T,
    "slice of rows": lambda x: x[3:15, 5:17],
    "slice, transposed": lambda x: x[3:15, 5:17].T,
    "every second row": lambda x: x[::2][:12, :12],
    "every second column": lambda x: x[:, ::2][:12, :12],
    "reversed": lambda x: x[::-1, ::-1][:12, :12],
    "Fortran": lambda x: np.asfortranarray(x[:12, :12]),
    "broadcast": lambda x: np.broadcast_to(x[0, :12], (12, 12)),
    "byte order": lambda x: x[:12, :12].astype(">f4"),
    "read-only": lambda x: read_only(x[:12, :12]),
    "not aligned": lambda x: not_aligned(x[:12, :12]),
}


def read_only(x):
    x = x.copy()
    x.flags.writeable = False
    return x


def not_aligned(x):
    memory = np.empty(x.nbytes + 1, np.uint8)[1:]
    view = memory.view(x.dtype).reshape(x.shape)
    view[...] = x
    return view


@pytest.mark.parametrize("name_b", VIEWS)
@pytest.mark.parametrize("name_a", VIEWS)
def test_views(lib, random, name_a, name_b):
    a, b = VIEWS[name_a](numbers(random, (40, 40))), VIEWS[name_b](numbers(random, (40, 40)))
    before = np.array(a), np.array(b)
    np.testing.assert_allclose(lib.matmul(a, b), np.asarray(a) @ np.asarray(b), atol=1e-5)
    assert np.array_equal(a, before[0]) and np.array_equal(b, before[1])


@pytest.mark.parametrize("name, copied", [("contiguous", False), ("transposed", False), ("slice of rows", False),
                                          ("slice, transposed", False), ("every second row", False),
                                          ("every second column", True), ("reversed", True), ("broadcast", True),
                                          ("byte order", True), ("not aligned", True)])
def test_which_views_are_copied(random, name, copied):
    view = VIEWS[name](numbers(random, (40, 40)))
    used = _host_arrays.in_place(view, np.dtype("float32"), gaps_are_free=True)
    assert np.may_share_memory(used, view) != copied
    assert np.array_equal(used, view)


def test_views_with_large_gaps_are_copied_if_the_driver_may_copy_them(random):
    column = numbers(random, (40, 40))[:, :1]
    assert _host_arrays.in_place(column, np.dtype("float32"), gaps_are_free=True) is column
    assert _host_arrays.in_place(column, np.dtype("float32"), gaps_are_free=False) is not column


@pytest.mark.parametrize("kind, shares, copied", [("cpu", True, False), ("cpu", False, True), ("gpu", True, True)])
def test_devices_that_receive_large_gaps(device, random, monkeypatch, kind, shares, copied):
    wide = numbers(random, (40, 400))
    sizes = []
    original = _host_arrays.HostArrays.input
    monkeypatch.setattr(_host_arrays.HostArrays, "input",
                        lambda self, array: (sizes.append(_host_arrays.place(array).span), original(self, array))[1])
    with tw.open(device.index, cache=False) as library:
        library.device = dataclasses.replace(library.device, type=kind, shares_host_memory=shares)
        np.testing.assert_allclose(library.matmul(wide[:, :8], wide[:8]), wide[:, :8] @ wide[:8], atol=1e-5)
    assert sizes[0] == (40 * 8 if copied else 39 * 400 + 8)


SHAPES = [((5, 7), (7,)), ((7,), (7, 5)), ((7,), (7,)), ((1, 7), (7, 1)), ((1, 1), (1, 1)), ((3, 5, 7), (7, 4)),
          ((5, 7), (3, 7, 4)), ((3, 5, 7), (3, 7, 4)), ((3, 5, 7), (7,)), ((7,), (3, 7, 4)), ((2, 1, 5, 7), (3, 7, 4)),
          ((1, 5, 7), (1, 7, 4)), ((0, 5, 7), (7, 4)), ((0, 7), (7, 4)), ((5, 0), (0, 4)), ((0,), (0,)), ((5, 7), (7, 0)),
          ((3, 5, 0), (0, 4))]


@pytest.mark.parametrize("shape_a, shape_b", SHAPES)
def test_shapes(lib, random, shape_a, shape_b):
    check(lib, numbers(random, shape_a), numbers(random, shape_b))


def test_views_of_batches(lib, random):
    a, b = numbers(random, (4, 6, 8, 10)), numbers(random, (6, 4, 10, 8))
    check(lib, a[::2, ::3], b[::3, ::2])
    check(lib, a.transpose(1, 0, 2, 3), b)
    check(lib, a.swapaxes(2, 3)[:, 0], b[0].swapaxes(1, 2))
    check(lib, a[::-1, 0], b[0])
    check(lib, np.broadcast_to(a[0, 0], (3, 8, 10)), b[0, 0])


@pytest.mark.parametrize("offset, stride, expected", [(5, 20, [5, 25, 45]), (45, -20, [45, 25, 5])])
def test_offsets_of_batches(offset, stride, expected):
    matrix = _layout.c_matrix(_layout.Strided((3, 4, 5), (stride, 5, 1), offset), 5, None, (3,))
    assert [matrix.offset + matrix.offsets[i] for i in range(3)] == expected
    with pytest.raises(ValueError, match="before its buffer"):
        _layout.c_matrix(_layout.Strided((3, 4, 5), (-20, 5, 1), 39), 5, None, (3,))


def test_strided_vectors(lib, random):
    x, y = numbers(random, (64,)), numbers(random, (64, 64))
    check(lib, x[::4], y[:16, :16])
    check(lib, y[:16, :16], y[:, 3][::4])
    check(lib, x[::-4], y[3, ::4])


@pytest.mark.parametrize("type_a, type_b", [("float32", "int64"), ("float16", "float32"), ("float64", "float32"),
                                            ("float32", "complex64"), ("float64", "complex64"), ("bool", "float32")])
def test_promotion(lib, random, type_a, type_b):
    if not lib.device.has_double:
        pytest.skip("the device has no double precision")
    check(lib, (4 * numbers(random, (5, 7))).astype(type_a), (4 * numbers(random, (7, 6))).astype(type_b))


def test_lists(lib):
    assert lib.matmul([[1.0, 2.0]], np.array([[3.0], [4.0]], np.float32)).tolist() == [[11.0]]


def test_same_matrix_twice(lib, random):
    a = numbers(random, (9, 9))
    check(lib, a, a)
    check(lib, a, a.T)
    check(lib, a[:8], a[:, 1:])
    check(lib, a[:, :8], a[:8])


OUTS = {
    "C": lambda: np.full((6, 8), np.nan, np.float32),
    "Fortran": lambda: np.full((8, 6), np.nan, np.float32).T,
    "slice": lambda: np.full((20, 20), np.nan, np.float32)[2:8, 3:11],
    "every second": lambda: np.full((12, 16), np.nan, np.float32)[::2, ::2],
}


@pytest.mark.parametrize("name", OUTS)
@pytest.mark.parametrize("turned", [False, True])
def test_out(lib, random, name, turned):
    a, b, out = numbers(random, (6, 5)), numbers(random, (5, 8)), OUTS[name]()
    if turned:
        a, b = np.asfortranarray(a), np.asfortranarray(b)
    around = out.base.copy() if out.base is not None else None
    assert lib.matmul(a, b, out=out) is out
    np.testing.assert_allclose(out, a @ b, atol=1e-5)
    if around is not None and name == "slice":
        inside = np.zeros((20, 20), bool)
        inside[2:8, 3:11] = True
        assert np.isnan(out.base[~inside]).all()


def test_out_that_overlaps_an_operand(lib, random):
    a, b = numbers(random, (6, 6)), numbers(random, (6, 6))
    expected = a @ b
    lib.matmul(a, b, out=a)
    np.testing.assert_allclose(a, expected, atol=1e-5)


def test_out_of_vectors_and_batches(lib, random):
    a, b = numbers(random, (3, 6, 5)), numbers(random, (5,))
    for out in np.empty((3, 6), np.float32), np.empty((6, 3), np.float32).T:
        lib.matmul(a, b, out=out)
        np.testing.assert_allclose(out, a @ b, atol=1e-5)
    c, d = numbers(random, (6,)), numbers(random, (3, 6, 5))
    for out in np.empty((3, 5), np.float32), np.empty((5, 3), np.float32).T:
        lib.matmul(c, d, out=out)
        np.testing.assert_allclose(out, c @ d, atol=1e-5)


F = np.float32


@pytest.mark.parametrize("a, b, out, kind, text", [
    (np.ones((2, 3), F), np.ones((2, 3), F), None, ValueError, "inner extents are 3 and 2"),
    (np.ones((2, 2, 3), F), np.ones((3, 3, 3), F), None, ValueError, "batches"),
    (F(1), np.ones((3, 3), F), None, ValueError, "no dimension"),
    (np.ones((2, 3), int), np.ones((3, 2), int), None, TypeError, "float32"),
    (np.ones((2, 3), "longdouble"), np.ones((3, 2), F), None, TypeError, "longdouble|float128"),
    (np.ones((2, 3), object), np.ones((3, 2), F), None, TypeError, "object"),
    (np.ones((2, 3), "datetime64[s]"), np.ones((3, 2), F), None, TypeError, "datetime64"),
    (np.ones((2, 3), [("x", F)]), np.ones((3, 2), F), None, TypeError, "x"),
    (np.ones((2, 3), F), np.ones((3, 2), F), np.ones((2, 3), F), ValueError, "out has shape"),
    (np.ones((2, 3), F), np.ones((3, 2), F), np.ones((2, 2)), TypeError, "out has elements of float64"),
    (np.ones((2, 3), F), np.ones((3, 2), F), [[0.0]], TypeError, "out must be"),
    (np.ones((2, 3), F), np.ones((3, 2), F), read_only(np.ones((2, 2), F)), ValueError, "read-only"),
])
def test_errors(lib, a, b, out, kind, text):
    with pytest.raises(kind, match=text) as caught:
        lib.matmul(a, b, out=out)
    assert isinstance(caught.value, tw.Error)
    assert caught.value.status in ("TW_INVALID_VALUE", "TW_UNSUPPORTED_TYPE")
    assert caught.value.opencl_code == 0


def test_threads(lib, random):
    a = [numbers(random, (40 + i, 30)) for i in range(8)]
    b = numbers(random, (30, 50))
    wrong = []

    def multiply(i):
        for _ in range(10):
            if not np.allclose(lib.matmul(a[i], b), a[i] @ b, atol=1e-5):
                wrong.append(i)

    threads = [threading.Thread(target=multiply, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_explain(lib):
    text = lib.explain((100, 200), (200, 300))
    assert "NN 100x300x200" in text and "runs" in text
    assert "NT 100x300x200" in lib.explain((100, 200), (300, 200), trans_b=True)
    assert "NT 100x300x200" in lib.explain(np.ones((100, 200), F), np.ones((300, 200), F).T)
    assert "NN 100x300x200" in lib.explain((100, 200), np.ones((200, 300), F).T, trans_b="C")  # as "T" of real matrices
    assert lib.explain((10, 20), (20, 30), np.float16) != lib.explain((10, 20), (20, 30))
    half = lib.explain((10, 20), (20, 30), np.float16)
    assert lib.explain(np.ones((10, 20), np.float16), (20, 30)) == lib.explain((10, 20), np.ones((20, 30), np.float16)) == half
    with pytest.raises(ValueError, match="inner extents"):
        lib.explain((100, 200), (100, 200))
    with pytest.raises(ValueError, match="two dimensions"):
        lib.explain((3, 100, 200), (200, 100))
    with pytest.raises(ValueError, match="transpose is"):
        lib.explain((100, 200), (200, 100), trans_a="X")
