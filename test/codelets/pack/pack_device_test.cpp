// Tests that pack kernels store every element where the destination's layout requires it, write
// zeros outside the matrix, and write nothing else.
#include "catch.hpp"
#include "kernel_case.hpp"
#include "profiles/round_up.hpp"

namespace tilewright {
namespace {

struct PackShape {
  int m = 0;
  int n = 0;
  int padded_m = 0;
  int padded_n = 0;
};

// The expected contents of the destination: elements, zeros outside the source, everything else
// unchanged.
std::vector<float> expected(HostMatrix& from, HostMatrix to, const PackShape& s) {
  for (int i = 0; i < s.padded_m; ++i) {
    for (int j = 0; j < s.padded_n; ++j) {
      to.at(i, j) = i < s.m && j < s.n ? from.at(i, j) : 0.0f;
    }
  }
  return to.data;
}

void check_buffer(const TestDevice& d, const PackPoint& point, const PackShape& s,
                  std::mt19937& random, bool on_lines = false) {
  const KernelRecord record = emit(point);
  const auto some = [&] { return static_cast<std::int64_t>(random() % 9); };
  HostMatrix from(point.from, s.m, s.n, some(), some());
  from.fill(random);
  const std::int64_t offset = on_lines ? 16 : some();
  HostMatrix to(point.to, s.padded_m, s.padded_n, offset, on_lines ? 0 : some(), 64);
  const cl::Buffer in = upload(d, from.data);
  const cl::Buffer out = upload(d, to.data);
  launch(d, build(d, record.source, record.entry), record, s.padded_m, s.padded_n, s.m, s.n,
         s.padded_m, s.padded_n, in, static_cast<cl_ulong>(from.offset), static_cast<int>(from.ld),
         out, static_cast<cl_ulong>(to.offset), static_cast<int>(to.ld));
  INFO(record.point << ", " << s.m << " x " << s.n << " to " << s.padded_m << " x " << s.padded_n);
  CHECK(same_bits(download(d, out), expected(from, to, s)));
}

void check_image(const TestDevice& d, const PackPoint& point, const PackShape& s,
                 std::mt19937& random) {
  if (s.padded_m == 0 || s.padded_n == 0) return;  // OpenCL has no empty images
  const KernelRecord record = emit(point);
  HostMatrix from(point.from, s.m, s.n, static_cast<std::int64_t>(random() % 9), 3);
  from.fill(random);
  const bool rows = point.to.outside() == Layout::Order::kRows;
  const auto width = static_cast<std::size_t>((rows ? s.padded_n : s.padded_m) + 3) / 4;
  const auto height = static_cast<std::size_t>(rows ? s.padded_m : s.padded_n);
  cl_int code = CL_SUCCESS;
  const cl::Image2D image(d.context, CL_MEM_READ_WRITE, cl::ImageFormat(CL_RGBA, CL_FLOAT), width,
                          height, 0, nullptr, &code);
  REQUIRE(code == CL_SUCCESS);
  const cl::Buffer in = upload(d, from.data);
  launch(d, build(d, record.source, record.entry), record, s.padded_m, s.padded_n, s.m, s.n,
         s.padded_m, s.padded_n, in, static_cast<cl_ulong>(from.offset), static_cast<int>(from.ld),
         image, cl_ulong{0}, 0);
  std::vector<float> pixels(width * height * 4, kNaN);
  REQUIRE(d.queue.enqueueReadImage(image, CL_TRUE, {0, 0, 0}, {width, height, 1}, 0, 0,
                                   pixels.data()) == CL_SUCCESS);
  std::size_t wrong = 0;
  for (std::size_t y = 0; y < height; ++y) {
    for (std::size_t x = 0; x < width * 4; ++x) {
      const auto i = static_cast<std::int64_t>(rows ? y : x);
      const auto j = static_cast<std::int64_t>(rows ? x : y);
      const float wanted = i < s.m && j < s.n ? from.at(i, j) : 0.0f;
      if (pixels[y * width * 4 + x] != wanted) ++wrong;
    }
  }
  INFO(record.point << ", " << s.m << " x " << s.n << " to " << s.padded_m << " x " << s.padded_n);
  CHECK(wrong == 0);
}

PackShape random_shape(const PackPoint& point, std::mt19937& random) {
  PackShape s;
  s.m = static_cast<int>(awkward_extent(random));
  s.n = static_cast<int>(awkward_extent(random));
  // Unpacking has no padding; packing may have more than the chunks require.
  const bool pads = point.from.is_plain();
  const int more = pads ? static_cast<int>(random() % 3) : 0;
  s.padded_m = pads ? round_up(s.m + 5 * more, point.to.chunk_rows()) : s.m;
  s.padded_n = pads ? round_up(s.n + 7 * more, point.to.chunk_columns()) : s.n;
  return s;
}

constexpr const char* kLayouts[] = {"R",        "C",        "R 8 1 C", "R 12 1 C",
                                    "C 1 32 R", "C 1 16 R", "R 2 4 R", "C 4 2 C",
                                    "R 4 4 R",  "C 4 4 C",  "R 6 1 C", "R 4 4 R 2 2 R"};

Layout listed_layout(std::mt19937& random) {
  return *parse_layout(kLayouts[random() % std::size(kLayouts)]);
}

TEST_CASE("pack kernels of random points", "[full]") {
  const TestDevice d;
  std::mt19937 random(5);
  for (int i = 0; i < points_to_try(48); ++i) {
    const auto point =
        random_point<PackPoint>(random, Codelet::kPack, test_limits(d), [&](PackPoint& p) {
          const bool plain_source = random() % 2 == 0;
          const Layout other = listed_layout(random);
          (plain_source ? p.to : p.from) = other;
          p.image = false;
          p.local = i % 3 == 0;
        });
    for (int shape = 0; shape < 3; ++shape)
      check_buffer(d, point, random_shape(point, random), random);
  }
}

TEST_CASE("pack kernels with non-temporal stores, for any start of lines") {
  const TestDevice d;
  std::mt19937 random(7);
  for (int i = 0; i < points_to_try(10); ++i) {
    const auto point =
        random_point<PackPoint>(random, Codelet::kPack, test_limits(d), [&](PackPoint& p) {
          (random() % 2 == 0 ? p.to : p.from) = listed_layout(random);
          p.large = p.streaming = true;
        });
    check_buffer(d, point, random_shape(point, random), random);
    // A multiple of all tiles and vectors, so that every line can start at a multiple of 64 bytes.
    check_buffer(d, point, {192, 384, 192, 384}, random, true);
  }
}

TEST_CASE("pack kernels that write images", "[full]") {
  const TestDevice d;
  if (!test_limits(d).image_support) SKIP_CASE("the device does not support images");
  std::mt19937 random(6);
  for (int i = 0; i < points_to_try(24); ++i) {
    const auto point =
        random_point<PackPoint>(random, Codelet::kPack, test_limits(d), [&](PackPoint& p) {
          if (random() % 3 == 0) p.from = listed_layout(random);
          p.image = true;
          p.local = i % 3 == 0;
        });
    for (int shape = 0; shape < 3; ++shape)
      check_image(d, point, random_shape(point, random), random);
  }
}

}  // namespace
}  // namespace tilewright
