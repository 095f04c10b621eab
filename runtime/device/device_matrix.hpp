// Copies matrices to the device in the storage that a kernel requires.
//
// Operands are arranged on the host and copied, so that a kernel can be verified and timed without
// a pack kernel.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/call/opencl_error.hpp"
#include "runtime/call/storage.hpp"

namespace tilewright {

// A matrix in a buffer or an image.
struct DeviceMatrix {
  cl::Memory memory;
  std::size_t offset = 0;  // elements
  std::size_t ld = 0;      // elements

  MatrixArgument argument() const { return {memory(), offset, ld}; }
};

// Returns element (i, j) of a logical matrix.
using ElementReader = std::function<double(std::int64_t, std::int64_t)>;

// Position of a matrix in host memory that is copied to a buffer unchanged.
struct Placement {
  std::size_t offset = 0;  // elements before the matrix
  std::size_t gap = 0;     // elements added to the minimum leading dimension
  std::size_t guard = 0;   // elements after the matrix
};
// A placement for which every line of the storage starts at a multiple of 64 bytes, if the buffer
// does. (Some kernels write such matrices differently.)
Placement on_cache_lines(const Storage& storage);

// A matrix arranged on the host: its elements as doubles, independent of the precision on the
// device, and its leading dimension.
struct HostStorage {
  std::vector<double> data;
  std::size_t offset = 0;
  std::size_t ld = 0;
};
// Arranges rows x columns elements in the storage. The rest of the storage's extents is filled with
// zeros, everything outside of them with `gaps`.
HostStorage lay_out(const Storage& storage, std::int64_t rows, std::int64_t columns,
                    const ElementReader& element, const Placement& placement, double gaps);

// Index in HostStorage::data of element (i, j).
std::size_t element_index(const Storage& storage, const HostStorage& host, std::int64_t i,
                          std::int64_t j);

// The smallest storage in a layout for rows x columns elements: whole chunks, without gaps.
Storage whole_chunks(const Layout& layout, bool image, std::int64_t rows, std::int64_t columns,
                     Precision precision = Precision::kSingle);

// Returns why the device cannot hold the storage, if this is known in advance: images are limited
// in each dimension. Otherwise nullopt.
std::optional<std::string> memory_shortage(const cl::Device& device, const Storage& storage);

// Copies to a new buffer or, for an image storage, a new image in the storage's precision. Throws
// Error.
DeviceMatrix upload(const cl::Context& context, const Storage& storage, const HostStorage& host);
cl::Buffer upload(const cl::Context& context, Precision precision, const std::vector<double>& data);

// Converts to half precision, rounding to nearest, ties to even. Values that round beyond 65504
// become infinite.
std::vector<cl_half> to_half(std::span<const float> floats);

// Copies floats to the start of a buffer, in single or half precision, and back. Blocks like
// read_elements(). Returns OpenCL's code.
cl_int write_as(const cl::CommandQueue& queue, const cl::Buffer& buffer, Precision precision,
                std::span<const float> floats);
cl_int read_as(const cl::CommandQueue& queue, const cl::Buffer& buffer, Precision precision,
               std::span<float> floats, const std::vector<cl::Event>& wait_list = {});

// Reads a buffer from its start, as doubles; NaNs are kept. Waits for `wait_list`, then blocks
// until the copy is complete. Returns OpenCL's code.
cl_int read_elements(const cl::CommandQueue& queue, const cl::Buffer& buffer, Precision precision,
                     std::vector<double>& data, const std::vector<cl::Event>& wait_list = {});

}  // namespace tilewright
