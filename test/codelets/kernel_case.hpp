// Launches single kernels in tests, and manages their matrices.
//
// runtime/device/launch.hpp documents the arguments of kernels; here they are passed one by one.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <random>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "codelets/point/validity.hpp"
#include "codelets/space/emit.hpp"
#include "profiles/round_up.hpp"
#include "test_device.hpp"

namespace tilewright {

inline constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

// A matrix in host memory, in any layout. Everything that is not an element is NaN. There is a
// guard before it (the offset) and, if it is written, one after it. oclgrind detects reads after
// the last element, is_untouched detects writes.
struct HostMatrix {
  Layout layout;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t offset = 0;
  std::int64_t ld = 1;
  std::vector<float> data;

  HostMatrix(const Layout& matrix_layout, std::int64_t r, std::int64_t c, std::int64_t guard,
             std::int64_t gap, std::int64_t tail = 0)
      : layout(matrix_layout), rows(r), columns(c), offset(guard) {
    const std::int64_t all_rows = round_up(r, layout.chunk_rows());
    const std::int64_t all_columns = round_up(c, layout.chunk_columns());
    ld = std::max<std::int64_t>(1, layout.min_ld(all_rows, all_columns) + gap);
    const std::int64_t elements = layout.elements(all_rows, all_columns, ld);
    data.assign(static_cast<std::size_t>(std::max<std::int64_t>(1, offset + elements + tail)),
                kNaN);
  }

  float& at(std::int64_t row, std::int64_t column) {
    return data[static_cast<std::size_t>(offset + layout.index(row, column, ld))];
  }
  void fill(std::mt19937& random) {
    std::uniform_real_distribution<float> value(-1.0f, 1.0f);
    for (std::int64_t i = 0; i < rows; ++i) {
      for (std::int64_t j = 0; j < columns; ++j) at(i, j) = value(random);
    }
  }
};

inline bool same_bits(const std::vector<float>& x, const std::vector<float>& y) {
  return x.size() == y.size() && std::memcmp(x.data(), y.data(), x.size() * sizeof(float)) == 0;
}

inline cl::Buffer upload(const TestDevice& d, const std::vector<float>& data) {
  return cl::Buffer(d.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                    data.size() * sizeof(float), const_cast<float*>(data.data()));
}

inline std::vector<float> download(const TestDevice& d, const cl::Buffer& buffer) {
  std::vector<float> data(buffer.getInfo<CL_MEM_SIZE>() / sizeof(float));
  if (d.queue.enqueueReadBuffer(buffer, CL_TRUE, 0, data.size() * sizeof(float), data.data()) !=
      CL_SUCCESS) {
    throw std::runtime_error("reading a buffer failed");
  }
  return data;
}

inline cl::Kernel build(const TestDevice& d, const std::string& source, const std::string& entry) {
  const cl::Program program(d.context, source);
  if (program.build(std::vector<cl::Device>{d.device}, "") != CL_SUCCESS) {
    throw std::runtime_error(program.getBuildInfo<CL_PROGRAM_BUILD_LOG>(d.device) + source);
  }
  cl_int code = CL_SUCCESS;
  cl::Kernel kernel(program, entry.c_str(), &code);
  if (code != CL_SUCCESS) throw std::runtime_error("no kernel " + entry);
  return kernel;
}

// Sets the arguments from left to right, runs the kernel for an m x n result, and waits. Integers
// are passed as int, and offsets, which have type std::int64_t, as ulong.
template <class... Arguments>
cl::Event launch(const TestDevice& d, cl::Kernel kernel, const KernelRecord& record, std::int64_t m,
                 std::int64_t n, const Arguments&... arguments) {
  cl_uint index = 0;
  cl_int code = CL_SUCCESS;
  ((code |= kernel.setArg(index++, arguments)), ...);
  const auto global = global_size(record, m, n);
  cl::Event event;
  if (global[0] == 0 || global[1] == 0) return event;
  const cl::NDRange local(static_cast<std::size_t>(record.work_group[0]),
                          static_cast<std::size_t>(record.work_group[1]));
  code |= d.queue.enqueueNDRangeKernel(kernel, cl::NullRange, cl::NDRange(global[0], global[1]),
                                       local, nullptr, &event);
  code |= d.queue.finish();
  if (code != CL_SUCCESS) throw std::runtime_error("launching " + record.name + " failed");
  return event;
}

// A random point that is valid within the limits. `requirement` sets the parameters that are not
// random. Compile options have their first values.
template <class Point, class Requirement>
Point random_point(std::mt19937& random, Codelet codelet, const SpaceLimits& limits,
                   Requirement&& requirement) {
  while (true) {
    ParameterPoint point = first_point(codelet);
    for (const Field& field : fields(codelet)) {
      // The matrices of these tests contain floats.
      if (field.late || field.name == "precision") continue;
      field.set(point, random() % field.values.size());
    }
    requirement(std::get<Point>(point));
    if (broken_rule(point, limits) == nullptr) return std::get<Point>(point);
  }
}

// Extents that are rarely multiples of tiles.
inline std::int64_t awkward_extent(std::mt19937& random) {
  static constexpr std::int64_t kExtents[] = {0,  1,  2,  3,  5,  7,  8,  15, 16,  17,
                                              31, 32, 33, 37, 63, 64, 65, 97, 127, 129};
  return kExtents[random() % std::size(kExtents)];
}

// Limits for tests: what every device has, and enough registers for every point.
inline SpaceLimits test_limits(const TestDevice& d) {
  SpaceLimits limits;
  limits.max_work_group_size = 256;
  limits.max_work_item_sizes = {256, 256};
  limits.register_floats = 256;
  limits.local_memory_bytes =
      static_cast<std::int64_t>(d.device.getInfo<CL_DEVICE_LOCAL_MEM_SIZE>());
  limits.local_memory_is_dedicated = true;
  limits.image_support = d.device.getInfo<CL_DEVICE_IMAGE_SUPPORT>() != 0;
  return limits;
}

// Number of random points in a test: $TILEWRIGHT_TEST_POINTS, or the given default.
inline int points_to_try(int usual) {
  const char* wanted = std::getenv("TILEWRIGHT_TEST_POINTS");
  return wanted != nullptr ? std::atoi(wanted) : usual;
}

}  // namespace tilewright
