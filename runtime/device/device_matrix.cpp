#include "runtime/device/device_matrix.hpp"

#include <CL/cl_half.h>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "runtime/device/allocate_buffer.hpp"

namespace tilewright {
namespace {

// Index of element (i, j) in an image. Pixels run along the contiguous direction of the layout.
std::size_t image_index(const Storage& storage, std::int64_t i, std::int64_t j) {
  const bool rows = storage.layout.outside() == Layout::Order::kRows;
  const auto along = static_cast<std::size_t>(rows ? j : i);
  const auto across = static_cast<std::size_t>(rows ? i : j);
  return across * 4 * storage.image_width() + along;
}

// Returns the width and height in pixels. The image of an empty matrix has pixels, too.
std::pair<std::size_t, std::size_t> image_extents(const Storage& storage) {
  return {std::max<std::size_t>(1, storage.image_width()),
          std::max<std::size_t>(1, storage.image_height())};
}

std::vector<float> as_floats(const std::vector<double>& data) {
  std::vector<float> floats(data.size());
  std::transform(data.begin(), data.end(), floats.begin(),
                 [](double element) { return static_cast<float>(element); });
  return floats;
}

std::vector<cl_half> to_half_values(const std::vector<double>& data) {
  std::vector<cl_half> half_values(data.size());
  std::transform(data.begin(), data.end(), half_values.begin(),
                 [](double element) { return cl_half_from_double(element, CL_HALF_RTE); });
  return half_values;
}

}  // namespace

std::size_t element_index(const Storage& storage, const HostStorage& host, std::int64_t i,
                          std::int64_t j) {
  if (storage.image) return image_index(storage, i, j);
  return host.offset +
         static_cast<std::size_t>(storage.layout.index(i, j, static_cast<std::int64_t>(host.ld)));
}

Placement on_cache_lines(const Storage& storage) {
  const std::size_t line = 64 / bytes_per_element(storage.precision);
  return {line, (line - storage.ld % line) % line, line};
}

HostStorage lay_out(const Storage& storage, std::int64_t rows, std::int64_t columns,
                    const ElementReader& element, const Placement& placement, double gaps) {
  HostStorage host;
  if (storage.image) {
    const auto [width, height] = image_extents(storage);
    host.data.assign(4 * width * height, 0.0);
  } else {
    host.offset = placement.offset;
    host.ld = storage.ld + placement.gap;
    const std::int64_t elements =
        storage.layout.elements(storage.rows, storage.columns, static_cast<std::int64_t>(host.ld));
    host.data.assign(placement.offset + static_cast<std::size_t>(elements) + placement.guard, gaps);
  }
  for (std::int64_t i = 0; i < storage.rows; ++i) {
    for (std::int64_t j = 0; j < storage.columns; ++j) {
      host.data[element_index(storage, host, i, j)] = i < rows && j < columns ? element(i, j) : 0.0;
    }
  }
  return host;
}

// Uses the rules for the op(A) of a kernel.
Storage whole_chunks(const Layout& layout, bool image, std::int64_t rows, std::int64_t columns,
                     Precision precision) {
  KernelRecord record;
  record.precision = precision;
  record.layout_a = layout;
  record.images.a = image;
  record.edges = Edges::kPadded;
  record.multiples = {layout.chunk_rows(), 1, layout.chunk_columns()};
  return storage_a(record, {rows, 1, columns});
}

std::optional<std::string> memory_shortage(const cl::Device& device, const Storage& storage) {
  if (!storage.image) return std::nullopt;
  const auto width = device.getInfo<CL_DEVICE_IMAGE2D_MAX_WIDTH>();
  const auto height = device.getInfo<CL_DEVICE_IMAGE2D_MAX_HEIGHT>();
  if (storage.image_width() <= width && storage.image_height() <= height) return std::nullopt;
  return fmt::format("an image of {} x {} pixels exceeds the device's maximum of {} x {}",
                     storage.image_width(), storage.image_height(), width, height);
}

DeviceMatrix upload(const cl::Context& context, const Storage& storage, const HostStorage& host) {
  if (storage.image) {
    cl_int code = CL_SUCCESS;
    std::vector<float> pixels = as_floats(host.data);
    const auto [width, height] = image_extents(storage);
    const cl::Image2D image(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                            cl::ImageFormat(CL_RGBA, CL_FLOAT), width, height, 0, pixels.data(),
                            &code);
    check_opencl(code, "clCreateImage");
    return {image, 0, 0};
  }
  return {upload(context, storage.precision, host.data), host.offset, host.ld};
}

cl::Buffer upload(const cl::Context& context, Precision precision,
                  const std::vector<double>& data) {
  const auto copied = [&](const auto& elements) {
    return allocate_buffer(context, CL_MEM_READ_WRITE, std::as_bytes(std::span(elements)),
                           "matrix");
  };
  switch (precision) {
    case Precision::kDouble:
      return copied(data);
    case Precision::kHalf:
      return copied(to_half_values(data));
    case Precision::kSingle:
      break;
  }
  return copied(as_floats(data));
}

std::vector<cl_half> to_half(std::span<const float> floats) {
  std::vector<cl_half> half_values(floats.size());
  std::transform(floats.begin(), floats.end(), half_values.begin(),
                 [](float element) { return cl_half_from_float(element, CL_HALF_RTE); });
  return half_values;
}

cl_int write_as(const cl::CommandQueue& queue, const cl::Buffer& buffer, Precision precision,
                std::span<const float> floats) {
  if (precision != Precision::kHalf) return write_floats(queue, buffer, 0, floats);
  const std::vector<cl_half> half_values = to_half(floats);
  return write_bytes(queue, buffer, 0, std::as_bytes(std::span(half_values)));
}

cl_int read_as(const cl::CommandQueue& queue, const cl::Buffer& buffer, Precision precision,
               std::span<float> floats, const std::vector<cl::Event>& wait_list) {
  if (precision != Precision::kHalf) return read_floats(queue, buffer, floats, wait_list);
  std::vector<cl_half> half_values(floats.size());
  const cl_int code =
      read_bytes(queue, buffer, std::as_writable_bytes(std::span(half_values)), wait_list);
  std::transform(half_values.begin(), half_values.end(), floats.begin(), cl_half_to_float);
  return code;
}

cl_int read_elements(const cl::CommandQueue& queue, const cl::Buffer& buffer, Precision precision,
                     std::vector<double>& data, const std::vector<cl::Event>& wait_list) {
  const auto read = [&](auto& elements) {
    return read_bytes(queue, buffer, std::as_writable_bytes(std::span(elements)), wait_list);
  };
  if (precision == Precision::kDouble) return read(data);
  if (precision == Precision::kHalf) {
    std::vector<cl_half> half_values(data.size());
    const cl_int code = read(half_values);
    std::transform(half_values.begin(), half_values.end(), data.begin(), cl_half_to_float);
    return code;
  }
  std::vector<float> floats(data.size());
  const cl_int code = read(floats);
  std::copy(floats.begin(), floats.end(), data.begin());
  return code;
}

}  // namespace tilewright
