// How does a matrix come to the device as a kernel wants it?
//
// Operands are laid out on the host and copied, so that a kernel can be verified and timed without
// any pack kernel.
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

// Element (i, j) of a logical matrix.
using ElementOf = std::function<double(std::int64_t, std::int64_t)>;

// Where a matrix lies in host memory that is copied to a buffer as it is.
struct Placement {
  std::size_t offset = 0;  // elements before the matrix
  std::size_t gap = 0;     // elements added to the least leading dimension
  std::size_t guard = 0;   // elements behind the matrix
};
// Every line of the storage begins at a multiple of 64 bytes, as far as its buffer does. Kernels
// may write such matrices in another way.
Placement on_cache_lines(const Storage& storage);

// The storage at a placement, for rows x columns elements: zeros from there to the storage's own
// extents, and `gaps` everywhere else. Returned: the elements as doubles, whatever the device has
// of them, and the leading dimension.
struct HostStorage {
  std::vector<double> data;
  std::size_t offset = 0;
  std::size_t ld = 0;
};
HostStorage lay_out(const Storage& storage, std::int64_t rows, std::int64_t columns,
                    const ElementOf& element, const Placement& placement, double gaps);

// Where element (i, j) of the storage is in the data.
std::size_t element_index(const Storage& storage, const HostStorage& host, std::int64_t i,
                          std::int64_t j);

// The least storage of a layout that holds rows x columns: whole chunks, without gaps.
Storage whole_chunks(const Layout& layout, bool image, std::int64_t rows, std::int64_t columns,
                     Precision precision = Precision::kSingle);

// Why the device cannot hold the storage, if that is known before trying: images are limited in
// each dimension.
std::optional<std::string> lack_of_room(const cl::Device& device, const Storage& storage);

// Copies to a new buffer, or for an image to a new image, in the storage's precision. Throws Error.
DeviceMatrix upload(const cl::Context& context, const Storage& storage, const HostStorage& host);
cl::Buffer upload(const cl::Context& context, Precision precision, const std::vector<double>& data);

// The nearest halfs, ties to even; what is beyond 65504 by half a unit or more is infinite.
std::vector<cl_half> halfs_of(std::span<const float> floats);

// Brings floats to the begin of a buffer, as floats or as halfs, and back. Waits as
// read_elements() does. Answers OpenCL's code.
cl_int write_as(const cl::CommandQueue& queue, const cl::Buffer& buffer, Precision precision,
                std::span<const float> floats);
cl_int read_as(const cl::CommandQueue& queue, const cl::Buffer& buffer, Precision precision,
               std::span<float> floats, const std::vector<cl::Event>& wait_list = {});

// Reads a buffer from its begin on, as doubles: NaN as it is. Waits for `wait_list` and until it is
// done. Answers OpenCL's code.
cl_int read_elements(const cl::CommandQueue& queue, const cl::Buffer& buffer, Precision precision,
                     std::vector<double>& data, const std::vector<cl::Event>& wait_list = {});

}  // namespace tilewright
