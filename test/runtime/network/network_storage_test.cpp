// Memory for the results between the layers of a network. Uses invented records and results, no
// device.
#include "catch.hpp"
#include "network_chain_case.hpp"
#include "runtime/network/network_plan.hpp"

namespace tilewright {
namespace {

// 8 x width x 8. Only the extents of the weights are used, so the weights are left empty.
NetworkModel wide(std::int64_t width) {
  return {{AffineLayer{"", 8, width, {}, {}}, AffineLayer{"", width, 8, {}, {}}}};
}

TEST_CASE(
    "a half-precision network is planned with half-precision kernels, and twice the batch fits") {
  Profile profile = rows_and_panels(10, 10);
  for (KernelRecord& kernel : profile.kernels) kernel.precision = Precision::kHalf;
  const NetworkModel model =
      net({8, 8, 8}, {NetworkActivation::kRelu, NetworkActivation::kSoftmax});
  CHECK(plan(profile, model, 8).links.empty());
  DeviceInfo limits = kOffered;
  limits.max_buffer_bytes = 64 * 16 * 2;  // rows of 8 are held as rows of 16
  const Planned half_precision = plan(profile, model, 8, {}, limits, Precision::kHalf);
  REQUIRE(half_precision.links.size() == 3);
  for (const Storage& storage : half_precision.storages)
    CHECK(storage.precision == Precision::kHalf);
  for (KernelRecord& kernel : profile.kernels) kernel.precision = Precision::kSingle;
  CHECK(plan(profile, model, 8, {}, limits).links.size() == 3);
  // A batch of 64 has as many bytes, of floats twice as many.
  CHECK(plan(profile, model, 64, {}, limits).links.empty());
  for (KernelRecord& kernel : profile.kernels) kernel.precision = Precision::kHalf;
  CHECK(plan(profile, model, 64, {}, limits, Precision::kHalf).links.size() == 3);
}

// In half precision the same number of elements needs half as many floats.
TEST_CASE("the workspace is counted in floats") {
  for (const Precision precision : {Precision::kSingle, Precision::kHalf}) {
    const std::vector<ChainPart> parts = make_parts(net({8, 8, 8}));
    std::vector<PlannedPart> planned(2);
    planned[0].made = {Layout::R(), false, 10, 10, 10, 100, precision};
    const bool half_precision = precision == Precision::kHalf;
    CHECK(lay_out(parts, planned).whole.elements == (half_precision ? 64 : 112));
  }
}

DeviceInfo without_limit() {
  DeviceInfo limits = kOffered;
  limits.max_buffer_bytes = std::uint64_t{1} << 62;
  return limits;
}

// On a 32-bit board these counts would overflow, and a batch would get too little memory.
TEST_CASE("batches of 2^32 floats and more are refused if size_t has 32 bits") {
  const bool is_32_bit = sizeof(std::size_t) == 4;
  const auto expected = [&](std::uint64_t elements) {
    return is_32_bit ? kMaxElements : static_cast<std::size_t>(elements);
  };
  const auto held = [](std::int64_t batch, std::int64_t width, const char* layouts) {
    std::vector<ChainLink> links(2);
    links[0].to = {layout(layouts), width};
    links[1].to = {Layout::R(), 8};
    const std::vector<ChainPart> parts = make_parts(wide(width));
    return result_storages({parts, batch, {}, {}}, links).front().elements;
  };
  const std::uint64_t many = std::uint64_t{1} << 32;
  CHECK(held(1048576, 4096, "R") == expected(many));
  CHECK(held(1048576, 4096, "C") == expected(many));
  CHECK(held(1048576, 4096, kPanels) == expected(many));
  CHECK(held(1048577, 4096, "R") == expected(many + 4096));
  CHECK(held(131071, 4096, "R") == many / 8 - 4096);
  CHECK(held(131071, 4096, "C") == expected(many / 8));  // columns are whole vectors
  CHECK(held(2'000'000'000, 2'000'000'000, "R") == kMaxElements);
}

TEST_CASE("a batch that exceeds a buffer of the device has no chain") {
  const Profile profile = rows_and_panels(60, 50);
  // 4096 x 64 floats are 1 MiB.
  CHECK_FALSE(plan(profile, wide(4096), 64).links.empty());
  CHECK(plan(profile, wide(4096), 65).links.empty());
  const bool is_32_bit = sizeof(std::size_t) == 4;
  CHECK(plan(profile, wide(4096), 1048576, {}, without_limit()).links.empty() == is_32_bit);
  // Padding counts: in panels of four rows there is no room for a ninth sample.
  DeviceInfo limits = kOffered;
  limits.max_buffer_bytes = 8 * 16 * sizeof(float);
  const Profile fast_panels = rows_and_panels(1, 1);
  CHECK(plan(fast_panels, wide(12), 8, {}, limits).layouts == Names{"R 4 1 C 12", "R 8"});
  limits.max_buffer_bytes = 9 * 16 * sizeof(float);
  CHECK(plan(fast_panels, wide(16), 9, {}, limits).layouts == Names{"R 16", "R 8"});
  // The result of an activation of the input needs memory, too.
  const NetworkModel first{{make_layer(NetworkActivation::kRelu), affine(8, 8)}};
  CHECK_FALSE(plan(profile, first, 9, {}, limits).links.empty());
  CHECK(plan(profile, first, 10, {}, limits).links.empty());
}

TEST_CASE("a batch is stored in panels as long as its indices fit in 32 bits", "[may_skip]") {
  if (sizeof(std::size_t) == 4) SKIP_CASE("so large a batch is none where addresses have 32 bits");
  Profile profile = rows_and_panels(60, 1);
  profile.kernels[1].layout_b = Layout::R();  // reads the weights where they lie
  const auto layouts = [&](std::int64_t width) {
    return plan(profile, wide(width), 8, {}, without_limit()).layouts;
  };
  CHECK(layouts(500'000'000) == Names{"R 4 1 C 500000000", "R 8"});
  CHECK(layouts(600'000'000) == Names{"R 600000000", "R 8"});  // 4 of its columns do not fit an int
}

}  // namespace
}  // namespace tilewright
