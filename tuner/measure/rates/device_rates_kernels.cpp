#include "tuner/measure/rates/device_rates_kernels.hpp"

#include <fmt/format.h>

namespace tilewright {
namespace {

constexpr int kFloatsPerVector = 4;

}  // namespace

std::string empty_source() {
  return "__kernel void nothing(void)\n"
         "{\n"
         "}\n";
}

std::string fill_source() {
  return "__kernel void fill(__global float *restrict out)\n"
         "{\n"
         "  const size_t i = get_global_id(0);\n"
         "  out[i] = (float)(i & 1023);\n"
         "}\n";
}

std::string copy_source(int vector_width) {
  const std::string type = vector_width == 1 ? "float" : fmt::format("float{}", vector_width);
  return fmt::format(
      "__kernel void copy(__global const {0} *restrict in, __global {0} *restrict out)\n"
      "{{\n"
      "  const size_t i = get_global_id(0);\n"
      "  out[i] = in[i];\n"
      "}}\n",
      type);
}

// The sums prevent the compiler from removing the reads. There are four sums, so that consecutive
// additions do not depend on each other. Each iteration reads kLocalReads vectors. The next one
// starts at another vector; because the step is odd and work_group_size a power of two, every
// vector is a start.
std::string local_source(int work_group_size) {
  return fmt::format(
      R"(__kernel __attribute__((reqd_work_group_size({0}, 1, 1)))
void read_local(const int iterations, __global float *restrict out)
{{
  __local float4 cells[{0} + {1}];
  const int id = (int)get_local_id(0);
  for (int i = id; i < {0} + {1}; i += {0}) cells[i] = (float4)((float)i);
  barrier(CLK_LOCAL_MEM_FENCE);
  float4 s0 = (float4)(0.0f), s1 = s0, s2 = s0, s3 = s0;
  int at = id;
  for (int p = 0; p < iterations; ++p) {{
    s0 += cells[at];
    s1 += cells[at + 1];
    s2 += cells[at + 2];
    s3 += cells[at + 3];
    s0 += cells[at + 4];
    s1 += cells[at + 5];
    s2 += cells[at + 6];
    s3 += cells[at + 7];
    at = (at + 9) & ({0} - 1);
  }}
  s0 += s1 + s2 + s3;
  out[get_global_id(0)] = s0.x + s0.y + s0.z + s0.w;
}}
)",
      work_group_size, kLocalReads);
}

int local_source_bytes(int work_group_size) {
  return (work_group_size + kLocalReads) * kFloatsPerVector * static_cast<int>(sizeof(float));
}

std::string image_source() {
  return fmt::format(
      R"(__constant sampler_t nearest =
    CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;

__kernel void read_image(__read_only image2d_t image, const int iterations, __global float *restrict out)
{{
  const int column = (int)get_global_id(0);
  const int line = (int)get_global_id(1);
  float4 s0 = (float4)(0.0f), s1 = s0, s2 = s0, s3 = s0;
  int row = (line * {0}) & ({1} - 1);
  for (int p = 0; p < iterations; ++p) {{
    s0 += read_imagef(image, nearest, (int2)(column, row));
    s1 += read_imagef(image, nearest, (int2)(column, row + 1));
    s2 += read_imagef(image, nearest, (int2)(column, row + 2));
    s3 += read_imagef(image, nearest, (int2)(column, row + 3));
    row = (row + {0}) & ({1} - 1);
  }}
  s0 += s1 + s2 + s3;
  out[line * {1} + column] = s0.x + s0.y + s0.z + s0.w;
}}
)",
      kImageReads, kImageSide);
}

}  // namespace tilewright
