// Tests in how many buffers a device of a team works on the memory of the application.
#include "api/counted_calls.hpp"
#include "blas_case.hpp"
#include "catch.hpp"
#include "runtime/device/allocate_buffer.hpp"
#include "runtime/team/device_member.hpp"

namespace tilewright {
namespace {

// The number of buffers in the memory of the application that the product C = A B^T uses, where A
// and B are in `factors`, B from element `b_start` on.
std::size_t in_place_buffers(const TestDevice& d, std::size_t b_start) {
  GemmCall call{.m = 32, .n = 32, .k = 16, .trans_b = Transpose::kYes};
  BlasCase test(call, 0, 0, 1);
  std::vector<float> factors(2 * 32 * 16);
  std::copy(test.a.data.begin(), test.a.data.end(), factors.begin());
  std::copy(test.b.data.begin(), test.b.data.end(), factors.begin() + 32 * 16);
  test.a.data.assign(factors.begin(), factors.begin() + 32 * 16);
  const auto b = factors.begin() + static_cast<std::ptrdiff_t>(b_start);
  test.b.data.assign(b, b + 32 * 16);
  std::vector<float> result(32 * 32);
  const DeviceMember member(Library::open(d.context, d.device, ProfileSource::builtin()), d.queue);
  start_counting();
  member.multiply(
      {call, {factors.data(), 16}, {factors.data() + b_start, 16}, {result.data(), 32}});
  const std::size_t buffers = stop_counting().in_place;
  CHECK(test.wrong(result) == "");
  return buffers;
}

TEST_CASE("team: two buffers never share memory of the application") {
  const TestDevice d;
  if (!shares_host_memory(d.device)) SKIP_CASE("the device has a memory of its own");
  CHECK(in_place_buffers(d, 32 * 16) == 3);  // A, B and C
  CHECK(in_place_buffers(d, 0) == 2);        // A and B are the same
  CHECK(in_place_buffers(d, 16) == 2);       // B is copied
  CHECK(in_place_buffers(d, 31 * 16) == 2);
}

}  // namespace
}  // namespace tilewright
