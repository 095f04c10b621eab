// Tests which products a profile is said not to cover.
#include "tuner/select/uncovered.hpp"

#include "catch.hpp"
#include "journal_examples.hpp"
#include "profiles/built_in.hpp"

namespace tilewright {
namespace {

DeviceInfo example_device() {
  DeviceInfo device = example_header({}).device;
  device.kind = DeviceKind::kOther;  // of no class
  device.has_double = true;
  device.identity.compute_units = 2;
  device.max_buffer_bytes = std::uint64_t{1} << 36;
  return device;
}

// Adds the built-in kernels that read the operands of the op in place, measured on the shapes.
void add_measured(Profile& profile, Op op, const std::vector<GemmShape>& shapes,
                  Precision precision = Precision::kSingle) {
  for (KernelRecord kernel : built_in_profile(example_device()).kernels) {
    if (!is_product(kernel.role) || kernel.precision != precision) continue;
    if (kernel.layout_a != op_layout_a(op) || kernel.layout_b != op_layout_b(op)) continue;
    kernel.built_in = true;
    profile.kernels.push_back(kernel);
    for (const GemmShape& shape : shapes) {
      ShapeResult& result = profile.results.emplace_back();
      result.op = op;
      result.m = shape.m;
      result.n = shape.n;
      result.k = shape.k;
      result.kernel = kernel.name;
      result.median_ns = 1e6;
    }
  }
}

std::string uncovered(const Profile& profile) {
  return uncovered_text(profile, example_device());
}

TEST_CASE("a profile does not cover what is far from the products that it has measured") {
  Profile profile;
  profile.device = example_device().identity;
  CHECK(uncovered(profile).empty());
  add_measured(profile, Op::kNN, {{256, 256, 256}});
  CHECK(uncovered(profile) == "NT, TN; NN with an extent below 64");
  add_measured(profile, Op::kNT, {{1, 300, 100}, {256, 300, 100}});
  CHECK(uncovered(profile) == "TN; NN with an extent below 64; NT with n below 75, k below 25");
  add_measured(profile, Op::kTN, {{1, 1, 1}, {256, 256, 256}});
  CHECK(uncovered(profile) == "NN with an extent below 64; NT with n below 75, k below 25");
}

TEST_CASE("ops that lack the same products are named together") {
  Profile profile;
  profile.device = example_device().identity;
  add_measured(profile, Op::kNN, {{256, 256, 256}});
  add_measured(profile, Op::kTN, {{256, 256, 256}});
  CHECK(uncovered(profile) == "NT; NN, TN with an extent below 64");
}

TEST_CASE("small products say nothing of far larger ones") {
  Profile profile;
  profile.device = example_device().identity;
  add_measured(profile, Op::kNN, {{16, 16, 16}});
  CHECK(uncovered(profile) == "NT, TN; NN with an extent below 4, far more work than 16x16x16");
}

TEST_CASE("what is not covered is said for each type of elements") {
  Profile profile;
  profile.device = example_device().identity;
  for (const Op op : {Op::kNN, Op::kNT, Op::kTN}) {
    add_measured(profile, op, {{1, 1, 1}, {256, 256, 256}});
  }
  CHECK(uncovered(profile).empty());
  add_measured(profile, Op::kNN, {{1, 1, 1}, {256, 256, 256}}, Precision::kDouble);
  CHECK(uncovered(profile) == "double precision: NT, TN");
}

TEST_CASE("packing that was not measured is the reason why an op is not covered") {
  DeviceInfo device = example_device();
  device.kind = DeviceKind::kCpu;  // its built-in kernels for NT and TN pack an operand
  Profile profile;
  profile.device = device.identity;
  for (KernelRecord kernel : built_in_profile(device).kernels) {
    if (!is_product(kernel.role) || kernel.precision != Precision::kSingle) continue;
    kernel.built_in = true;
    profile.kernels.push_back(kernel);
    ShapeResult& result = profile.results.emplace_back();
    result.op = kernel.layout_a == Layout::C()                         ? Op::kTN
                : kernel.layout_b.value_or(Layout::R()) == Layout::C() ? Op::kNT
                                                                       : Op::kNN;
    result.m = result.n = result.k = 256;
    result.kernel = kernel.name;
    result.median_ns = 1e6;
  }
  CHECK(uncovered_text(profile, device) ==
        "NT, TN (packing was not measured); NN with an extent below 64");
}

TEST_CASE("a profile that knows no built-in kernel covers nothing") {
  Profile profile;
  profile.device = example_device().identity;
  add_measured(profile, Op::kNN, {{256, 256, 256}});
  for (KernelRecord& kernel : profile.kernels) kernel.built_in = false;
  CHECK(uncovered(profile) == "NN, NT, TN");
}

}  // namespace
}  // namespace tilewright
