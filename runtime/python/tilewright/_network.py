"""Runs fully connected neural networks."""

from __future__ import annotations

import dataclasses
import os
from ctypes import byref, c_char_p, c_void_p, sizeof
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np

from . import _c_api
from ._device_arrays import handle as opencl_handle
from ._device_arrays import require_pyopencl, to_event, view, wait_list
from ._errors import invalid_value, to_size, unsupported_type
from ._host_arrays import unmasked
from ._layout import Strided, c_matrix, element_type, storage
from ._owned_handle import OwnedHandle


@dataclasses.dataclass(frozen=True)
class Port:
    """An input or an output of a network.

    Attributes:
        name: as in the file; empty if it has none.
        columns: elements of one sample.
    """

    name: str
    columns: int


class Network:
    """A network on a device. Made by Library.load_net().

    It may be used after its library is closed, and as a context manager. Otherwise it is freed with
    its last reference.

    Thread safety: all methods may be called from any thread at the same time, except that close()
    must be the last call.

    Attributes:
        inputs: a list of Port, in the order of the file.
        outputs: a list of Port, in the order in which they were chosen, or else in that of the file. Each output has
            one row per sample, also one that the file transposes.
        dtype: element type of inputs and outputs, numpy.float32 or numpy.float16.
    """

    def __init__(self, library: Any, source: Union[str, "os.PathLike[str]", bytes], dtype: Any,
                 outputs: Sequence[str]) -> None:
        api = _c_api.library()
        self.dtype = np.dtype(dtype)
        self._library = library  # has the queue, and keeps the log function alive
        names = (c_char_p * len(outputs))(*[name.encode() for name in outputs])
        options = _c_api.NetworkLoadOptions(struct_size=sizeof(_c_api.NetworkLoadOptions), type=element_type(self.dtype),
                                        outputs=names if outputs else None, num_outputs=len(outputs))
        loaded = c_void_p()
        with library._handle as opened:
            if isinstance(source, (bytes, bytearray, memoryview)):
                data = bytes(source)
                _c_api.check(api.tw_network_load_memory(opened, data, len(data), byref(options), byref(loaded)))
            else:
                file = os.fsencode(source)
                _c_api.check(api.tw_network_load(opened, file, byref(options), byref(loaded)), file)
        self._handle = OwnedHandle(self, loaded.value, "tw_network_free", "network")
        self.inputs = self._ports(api.tw_network_num_inputs, api.tw_network_input_name, api.tw_network_input_columns)
        self.outputs = self._ports(api.tw_network_num_outputs, api.tw_network_output_name, api.tw_network_output_columns)

    def _ports(self, number: Any, name: Any, columns: Any) -> List[Port]:
        with self._handle as handle:
            return [Port(name(handle, i).decode(), columns(handle, i)) for i in range(number(handle))]

    def close(self) -> None:
        """Frees the network, after the calls of other threads that run. Does nothing if it is closed."""
        self._handle.close()

    def __enter__(self) -> "Network":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def __repr__(self) -> str:
        def texts(ports: Sequence[Port]) -> str:
            return ", ".join(f"{port.name or 'unnamed'} ({port.columns})" for port in ports)
        return f"<tilewright.Network: {texts(self.inputs)} to {texts(self.outputs)}>"

    def __call__(self, *inputs: Any) -> Any:
        """Returns the outputs for NumPy arrays.

            y = net(x)                                # one input, one output
            y = net({"state": s, "goal": g})          # inputs by name; or net(s, g), in their order
            y["value"], y["actions"]                  # several outputs: a dictionary by name

        Args:
            inputs: an array of shape (batch, columns) for each input, or one dictionary of them by
                name. Samples may have more dimensions, e.g. (batch, 28, 28) for 784 columns. An
                array of shape (columns,) is one sample. Arrays are converted to the type of the
                network.

        Returns:
            An array of shape (batch, columns), or a dictionary of them if there are several
            outputs; (columns,) if all inputs are single samples.

        Raises:
            ArgumentError: a missing or unknown input, or a shape that does not fit (a ValueError).
        """
        arrays, batch, single = self._batch(
            [unmasked(array, f"input {name!r}")
             for array, name in zip(self._ordered(inputs, self.inputs), self._names(self.inputs))])
        results = [np.empty((batch, port.columns), self.dtype) for port in self.outputs]
        if batch > 0:
            self._run(arrays, results, batch)
        if single:
            results = [result[0] for result in results]
        return results[0] if len(results) == 1 else dict(zip(self._names(self.outputs), results))

    def _run(self, arrays: List[np.ndarray], results: List[np.ndarray], batch: int) -> None:
        with self._handle as handle, self._library.host_arrays() as memory:
            def matrices(values: List[np.ndarray], buffers: List[int]) -> Any:
                return (_c_api.Matrix * len(values))(*[_c_api.Matrix(buffer=buffer) for buffer in buffers])
            inputs = matrices(arrays, [memory.input(array) for array in arrays])
            outputs = matrices(results, [memory.output(result) for result in results])
            _c_api.check(_c_api.library().tw_network_forward(
                handle, self._library._queue, batch, inputs, len(inputs), outputs, len(outputs), None, 0, None,
                byref(memory.event)))
            memory.fetch()

    def forward(self, inputs: Any, *, out: Any, queue: Any = None, wait_for: Optional[Sequence[Any]] = None) -> Any:
        """Enqueues out = net(inputs) on the device, and returns without waiting.

        Args:
            inputs: a pyopencl.array.Array or tilewright.DeviceArray of shape (batch, columns), or a
                list of them in the order of the inputs, or a dictionary by name.
            out: likewise for the outputs. Arrays have the network's element type.
            queue: a pyopencl.CommandQueue. None: that of the outputs, or else that of the library.
            wait_for: events to wait for, in addition to those of the arrays.

        Returns:
            A pyopencl.Event that completes when the outputs are written.
        """
        require_pyopencl()
        views, matrices, batches = [], [], set()
        for given, ports, side in ((inputs, self.inputs, "input"), (out, self.outputs, "output")):
            arrays = given if isinstance(given, (list, tuple)) else [given]
            side_views = [view(array, f"{side} {port.name!r}") for array, port in zip(self._ordered(arrays, ports), ports)]
            rows = [self._device_matrix(one, port, side) for one, port in zip(side_views, ports)]
            batches |= {one.place.shape[0] for one in side_views}
            views.append(side_views)
            matrices.append((_c_api.Matrix * len(rows))(*rows))
        if len(batches) != 1:
            raise invalid_value(f"arrays have different numbers of samples: {sorted(batches)}")
        everything = views[0] + views[1]
        waits = wait_list(everything, wait_for)
        queue = queue if queue is not None else views[1][0].queue
        queue_handle = self._library._queue if queue is None else opencl_handle(queue, "queue")
        done = c_void_p()
        with self._handle as handle:
            _c_api.check(_c_api.library().tw_network_forward(
                handle, queue_handle, batches.pop(), matrices[0], len(matrices[0]), matrices[1], len(matrices[1]), None,
                len(waits), _c_api.handle_array(waits), byref(done)))
        event = to_event(done)
        for one in views[1]:
            one.record(event)
        return event

    def prepare(self, batch: int) -> None:
        """Plans a batch size and packs the weights for it, so that the first call need not do this."""
        with self._handle as handle:
            _c_api.check(_c_api.library().tw_network_prepare(handle, self._library._queue, to_size(batch, "batch")))

    def explain(self, batch: int) -> str:
        """Returns a table of the steps for a batch size: kernels and predicted times. Loads the kernels."""
        with self._handle as handle:
            return _c_api.explain(_c_api.library().tw_network_explain, handle, to_size(batch, "batch"))

    def _device_matrix(self, one: Any, port: Port, side: str) -> _c_api.Matrix:
        place: Strided = one.place
        if one.dtype != self.dtype:
            raise unsupported_type(f"{side} {port.name!r} has elements of {one.dtype}, and the network of {self.dtype}")
        if len(place.shape) != 2 or place.shape[1] != port.columns:
            raise invalid_value(f"{side} {port.name!r} has shape {place.shape}, and not (batch, {port.columns})")
        found = storage(place) if place.shape[0] > 0 else ("C", port.columns)
        if found is None or found[0] != "C":
            raise invalid_value(f"{side} {port.name!r}: the elements of a sample are not contiguous")
        return c_matrix(place, found[1], one.buffer, ())

    @staticmethod
    def _names(ports: Sequence[Port]) -> List[str]:
        return [port.name or str(i) for i, port in enumerate(ports)]

    def _ordered(self, given: Sequence[Any], ports: Sequence[Port]) -> List[Any]:
        # Returns an array for each port, from arrays in this order or from one dictionary.
        names = self._names(ports)
        if len(given) == 1 and isinstance(given[0], Mapping):
            by_name: Dict[str, Any] = dict(given[0])
            missing = [name for name in names if name not in by_name]
            unknown = [name for name in by_name if name not in names]
            if missing or unknown:
                raise invalid_value(f"the network has {', '.join(map(repr, names))}; missing: {missing}, unknown: {unknown}")
            return [by_name[name] for name in names]
        if len(given) != len(ports):
            raise invalid_value(f"{len(given)} arrays are given, and the network has {', '.join(map(repr, names))}")
        return list(given)

    def _batch(self, arrays: List[np.ndarray]) -> Tuple[List[np.ndarray], int, bool]:
        # Returns the arrays as matrices of the network's type, the number of rows, and whether each
        # array is a single sample.
        single = all(array.shape == (port.columns,) for array, port in zip(arrays, self.inputs))
        rows, matrices = set(), []
        for array, port in zip(arrays, self.inputs):
            if array.dtype.kind not in "fiub":
                raise unsupported_type(f"input {port.name!r} has elements of {array.dtype}, which are not real numbers")
            shape = (1, port.columns) if single else array.shape
            if len(shape) < 2 or int(np.prod(shape[1:], dtype=np.int64)) != port.columns:
                raise invalid_value(f"input {port.name!r} has shape {array.shape}, and not (batch, {port.columns})")
            rows.add(shape[0])
            matrices.append(np.require(array, self.dtype, ["C", "ALIGNED"]).reshape(shape[0], port.columns))
        if len(rows) != 1:
            raise invalid_value(f"inputs have different numbers of samples: {sorted(rows)}")
        return matrices, rows.pop(), single
