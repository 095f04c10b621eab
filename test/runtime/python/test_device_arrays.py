"""gemm() on arrays of pyopencl."""

import numpy as np
import pytest

import tilewright as tw

cl = pytest.importorskip("pyopencl", reason="pyopencl is not installed")
cl_array = pytest.importorskip("pyopencl.array")


@pytest.fixture
def queue(lib):
    return lib.queue


def numbers(random, shape, dtype="float32"):
    values = random.uniform(-1, 1, shape)
    if np.dtype(dtype).kind == "c":
        values = values + 1j * random.uniform(-1, 1, shape)
    return values.astype(dtype)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "complex64", "complex128"])
def test_types(lib, queue, random, dtype):
    if dtype in ("float64", "complex128") and not lib.device.has_double:
        pytest.skip("the device has no double precision")
    a, b = numbers(random, (12, 7), dtype), numbers(random, (7, 9), dtype)
    x, y, z = cl_array.to_device(queue, a), cl_array.to_device(queue, b), cl_array.zeros(queue, (12, 9), dtype)
    event = lib.gemm(x, y, out=z)
    assert isinstance(event, cl.Event)
    event.wait()
    np.testing.assert_allclose(z.get(), a.astype("complex128") @ b, atol=20 * np.finfo(dtype).eps)


@pytest.mark.parametrize("trans_x", [False, "T", "C"])
@pytest.mark.parametrize("trans_y", ["n", True, "c"])
def test_transposes_and_scalars(lib, queue, random, trans_x, trans_y):
    a, b, c = numbers(random, (5, 5), "complex64"), numbers(random, (5, 5), "complex64"), numbers(random, (5, 5), "complex64")
    op = {False: lambda v: v, "n": lambda v: v, "T": np.transpose, True: np.transpose,
          "C": lambda v: v.conj().T, "c": lambda v: v.conj().T}
    z = cl_array.to_device(queue, c)
    lib.gemm(cl_array.to_device(queue, a), cl_array.to_device(queue, b), out=z, alpha=2 - 1j, beta=0.5j, trans_x=trans_x,
             trans_y=trans_y).wait()
    np.testing.assert_allclose(z.get(), (2 - 1j) * op[trans_x](a) @ op[trans_y](b) + 0.5j * c, atol=1e-5)


def test_views(lib, queue, random):
    a, b = numbers(random, (20, 20)), numbers(random, (20, 20))
    x, y, z = cl_array.to_device(queue, a), cl_array.to_device(queue, b), cl_array.zeros(queue, (20, 20), np.float32)
    lib.gemm(x[2:8, 3:11], y[1:9, 4:10], out=z[5:11, 6:12]).wait()
    expected = np.zeros((20, 20), np.float32)
    expected[5:11, 6:12] = a[2:8, 3:11] @ b[1:9, 4:10]
    np.testing.assert_allclose(z.get(), expected, atol=1e-5)
    lib.gemm(x.T, y, out=z.T).wait()
    np.testing.assert_allclose(z.get(), (a.T @ b).T, atol=1e-5)
    lib.gemm(x.T, y, out=z, trans_x="C").wait()
    np.testing.assert_allclose(z.get(), a @ b, atol=1e-5)


def test_vectors_and_batches(lib, queue, random):
    a, b, v = numbers(random, (3, 6, 5)), numbers(random, (3, 5, 4)), numbers(random, (5,))
    x, y, w = (cl_array.to_device(queue, one) for one in (a, b, v))
    for first, second, expected in ((x, y, a @ b), (x, w, a @ v), (w, y, v @ b), (x, y[0], a @ b[0]), (w, w, v @ v)):
        z = cl_array.zeros(queue, expected.shape, np.float32)
        lib.gemm(first, second, out=z).wait()
        np.testing.assert_allclose(z.get(), expected, atol=1e-5)


def test_batches_in_reversed_order(lib, queue, random):
    a, b = numbers(random, (3, 6, 5)), numbers(random, (3, 5, 4))
    x, y, z = cl_array.to_device(queue, a), cl_array.to_device(queue, b), cl_array.zeros(queue, (3, 6, 4), np.float32)
    lib.gemm(x[::-1], y, out=z[::-1]).wait()
    np.testing.assert_allclose(z.get()[::-1], a[::-1] @ b, atol=1e-5)


def test_plain_buffers(lib, queue, random):
    a, b = numbers(random, (6, 5)), numbers(random, (5, 4))
    flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
    x = cl.Buffer(queue.context, flags, hostbuf=np.concatenate([np.zeros(3, np.float32), a.ravel()]))
    y = cl.Buffer(queue.context, flags, hostbuf=b)
    z = cl.Buffer(queue.context, cl.mem_flags.READ_WRITE, 6 * 4 * 4)
    event = lib.gemm(tw.DeviceArray(x, (6, 5), offset=3), tw.DeviceArray(y.int_ptr, (5, 4)),
                     out=tw.DeviceArray(z, (6, 4), strides=(1, 6)))
    result = np.empty((4, 6), np.float32)
    cl.enqueue_copy(queue, result, z, wait_for=[event])
    np.testing.assert_allclose(result.T, a @ b, atol=1e-5)


def test_waits_for_events(lib, queue, random):
    a = numbers(random, (8, 8))
    x, z = cl_array.to_device(queue, a), cl_array.zeros(queue, (8, 8), np.float32)
    gate = cl.UserEvent(queue.context)
    other = cl.CommandQueue(queue.context)
    event = lib.gemm(x, x, out=z, queue=other, wait_for=[gate])
    assert event.command_execution_status != cl.command_execution_status.COMPLETE
    gate.set_status(cl.command_execution_status.COMPLETE)
    assert z.events[-1] == event
    np.testing.assert_allclose(z.get(), a @ a, atol=1e-5)


def test_library_on_a_queue_of_pyopencl(device, random):
    context = cl.Context([cl.Device.from_int_ptr(device._handles[1])])
    queue = cl.CommandQueue(context)
    with tw.open(queue=queue, cache=False) as lib:
        assert lib.queue == queue and lib.device.name == device.name
        a = numbers(random, (8, 8))
        x, z = cl_array.to_device(queue, a), cl_array.empty(queue, (8, 8), np.float32)
        lib.gemm(x, x, out=z)
        np.testing.assert_allclose(z.get(), a @ a, atol=1e-5)
        np.testing.assert_allclose(lib.matmul(a, a), a @ a, atol=1e-5)
    with pytest.raises(ValueError, match="a device or a queue"):
        tw.open(0, queue=queue)
    with pytest.raises(TypeError, match="queue is neither"):
        tw.open(queue="queue")


@pytest.mark.parametrize("strides", [(2**64 + 4, 1), (1 - 2**64, 1), (2**63, 1), (4.0, 1), (2**62, 1)])
@pytest.mark.parametrize("name", ["x", "y", "out"])
def test_strides_beyond_the_address_space_are_refused(lib, queue, strides, name):
    arrays = {one: cl_array.zeros(queue, (4, 4), np.float32) for one in ("x", "y", "out")}
    arrays[name] = tw.DeviceArray(arrays[name].data, (4, 4), strides=strides)
    with pytest.raises(tw.ArgumentError, match=f"stride.* of {name}"):
        lib.gemm(**arrays)


def test_strides_of_batches_beyond_the_address_space_are_refused(lib, queue):
    z = cl_array.zeros(queue, (3, 4, 4), np.float32)
    for stride in (2**64, 2**62, -2**64):
        with pytest.raises(tw.ArgumentError, match="stride.* of x"):
            lib.gemm(tw.DeviceArray(z.data, (3, 4, 4), strides=(stride, 4, 1)), z, out=z)
    # A stride that is not used may be anything.
    one = tw.DeviceArray(z.data, (1, 4, 4), strides=(2**62, 4, 1))
    lib.gemm(one, one, out=cl_array.zeros(queue, (1, 4, 4), np.float32)).wait()


def test_errors(lib, queue):
    x, z = cl_array.zeros(queue, (4, 6), np.float32), cl_array.zeros(queue, (4, 4), np.float32)
    with pytest.raises(ValueError, match="inner extents are 6 and 4"):
        lib.gemm(x, x, out=z)
    with pytest.raises(ValueError, match="out has shape"):
        lib.gemm(x, x, out=x, trans_y=True)
    with pytest.raises(TypeError, match="y has elements of float64, and out of float32"):
        lib.gemm(x, cl_array.zeros(queue, (6, 4), np.float64), out=z)
    with pytest.raises(TypeError, match="x must be a pyopencl.array.Array"):
        lib.gemm(np.ones((4, 6), np.float32), x, out=z)
    with pytest.raises(TypeError, match="int32"):
        i = cl_array.zeros(queue, (4, 4), np.int32)
        lib.gemm(i, i, out=i)
    with pytest.raises(tw.ArgumentError, match="the offset of x is -1, which is negative"):
        lib.gemm(tw.DeviceArray(x.data, (2, 2), offset=-1), z[:2, :2], out=z[:2, :2])
    with pytest.raises(ValueError, match="not contiguous"):
        lib.gemm(tw.DeviceArray(x.data, (2, 2), strides=(6, 2)), z[:2, :2], out=z[:2, :2])
    with pytest.raises(tw.ArgumentError, match="buffer of x"):
        lib.gemm(tw.DeviceArray(-1, (2, 2)), z[:2, :2], out=z[:2, :2])
    with pytest.raises(TypeError, match="wait_for is neither"):
        lib.gemm(z, z, out=cl_array.zeros(queue, (4, 4), np.float32), wait_for=[True])
    with pytest.raises(tw.ArgumentError) as caught:  # found by the library
        lib.gemm(tw.DeviceArray(x.data, (4, 400)), tw.DeviceArray(x.data, (400, 4)), out=z)
    assert caught.value.status == "TW_INSUFFICIENT_BUFFER_A"
    with pytest.raises(tw.Error) as caught:
        other = cl.Context([queue.device])
        lib.gemm(x, x, out=z, trans_y=True, queue=cl.CommandQueue(other))
    assert caught.value.status == "TW_INVALID_QUEUE"
