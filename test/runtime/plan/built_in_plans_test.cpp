// Tests which built-in kernels run products with few rows or columns, on devices of each class.
// Uses only guessed times and no device.
#include "catch.hpp"
#include "plan_records.hpp"
#include "profiles/built_in.hpp"

namespace tilewright {
namespace {

DeviceInfo processor(DeviceKind kind, int vector_width, int units, int mhz) {
  DeviceInfo device =
      offering({1024, {1024, 1024}, 48 << 10, true, true}, 1 << 14, std::uint64_t{1} << 36);
  device.kind = kind;
  device.native_vector_width = vector_width;
  device.identity.compute_units = units;
  device.identity.max_clock_mhz = mhz;
  return device;
}

const DeviceInfo kLargeGpu = processor(DeviceKind::kGpu, 1, 132, 1980);
const DeviceInfo kSmallGpu = processor(DeviceKind::kGpu, 1, 40, 1500);
const DeviceInfo kCpuOf8 = processor(DeviceKind::kCpu, 8, 4, 2500);
const DeviceInfo kCpuOf16 = processor(DeviceKind::kCpu, 16, 2, 2500);

struct Product {
  Op op;
  GemmShape shape;
};

GemmPlan make_gemm_plan(const Profile& built_in, const Product& product) {
  return rank_plans({&built_in}, kLargeGpu, make_problem(product.op, product.shape)).front();
}

std::string describe_case(const Product& product, const GemmPlan& plan) {
  const GemmShape& shape = product.shape;
  return std::string(to_text(product.op)) + " " + std::to_string(shape.m) + "x" +
         std::to_string(shape.n) + "x" + std::to_string(shape.k) + ": " + plan.kernel().name;
}

TEST_CASE("on GPUs, few columns, or few rows of NT, use the kernels for narrow products") {
  for (const DeviceInfo& device : {kLargeGpu, kSmallGpu}) {
    const Profile built_in = built_in_profile(device);
    for (const Product& product :
         {Product{Op::kNN, {1000, 1, 1000}}, Product{Op::kNN, {2048, 4, 2048}},
          Product{Op::kNT, {1000, 1, 1000}}, Product{Op::kNT, {2048, 4, 2048}},
          Product{Op::kNT, {1, 1000, 1000}}, Product{Op::kNT, {4, 2048, 512}},
          Product{Op::kTN, {1000, 1, 1000}}, Product{Op::kTN, {2048, 2, 1024}}}) {
      const GemmPlan plan = make_gemm_plan(built_in, product);
      INFO(describe_case(product, plan));
      CHECK(plan.kernel().role == Role::kGemv);
      CHECK_FALSE(plan.runs(CallStep::kPackA));
      CHECK_FALSE(plan.runs(CallStep::kPackB));
      CHECK(plan.times.evidence == TimeEvidence::kGuessed);
    }
  }
}

// If C is narrower than a vector, only one of the work-items that share k computes.
TEST_CASE("on GPUs, one row of TN does not use work-items that share k") {
  const Profile built_in = built_in_profile(kLargeGpu);
  for (const GemmShape& shape : {GemmShape{1, 1000, 1000}, GemmShape{1, 4000, 3000}}) {
    const Product product{Op::kTN, shape};
    const GemmPlan plan = make_gemm_plan(built_in, product);
    INFO(describe_case(product, plan));
    CHECK(plan.kernel().work_group_k == 1);
  }
}

TEST_CASE("on CPUs, one row, or few columns of TN, use the kernels for narrow products") {
  for (const DeviceInfo& device : {kCpuOf8, kCpuOf16}) {
    const Profile built_in = built_in_profile(device);
    for (const Product& product :
         {Product{Op::kNN, {1, 1000, 1000}}, Product{Op::kNT, {1, 1000, 1000}},
          Product{Op::kTN, {1, 1000, 1000}}, Product{Op::kTN, {1000, 1, 1000}},
          Product{Op::kTN, {2048, 2, 1024}}, Product{Op::kTN, {2048, 4, 2048}}}) {
      const GemmPlan plan = make_gemm_plan(built_in, product);
      INFO(describe_case(product, plan));
      CHECK(plan.kernel().role == Role::kGemv);
    }
  }
}

// Vectors along k do not need columns.
TEST_CASE("on CPUs, NN with few columns is converted to NT") {
  for (const DeviceInfo& device : {kCpuOf8, kCpuOf16}) {
    const Profile built_in = built_in_profile(device);
    for (const GemmShape& shape :
         {GemmShape{1000, 1, 1000}, GemmShape{2048, 4, 2048}, GemmShape{4000, 2, 500}}) {
      const Product product{Op::kNN, shape};
      const GemmPlan plan = make_gemm_plan(built_in, product);
      INFO(describe_case(product, plan));
      CHECK(plan.kernel().layout_b == Layout::C());
      CHECK(plan.runs(CallStep::kPackB));
      CHECK_FALSE(plan.runs(CallStep::kPackA));
    }
  }
}

TEST_CASE("kernels for few rows or columns are not used for other products") {
  for (const DeviceInfo& device : {kLargeGpu, kSmallGpu, kCpuOf8, kCpuOf16}) {
    const Profile built_in = built_in_profile(device);
    for (const Op op : {Op::kNN, Op::kNT, Op::kTN}) {
      for (const GemmShape& shape :
           {GemmShape{96, 96, 96}, GemmShape{384, 384, 384}, GemmShape{2048, 17, 512},
            GemmShape{17, 2048, 512}, GemmShape{2000, 2000, 2000}}) {
        const Product product{op, shape};
        const GemmPlan plan = make_gemm_plan(built_in, product);
        INFO(describe_case(product, plan));
        CHECK(plan.kernel().role == Role::kGemm);
        // The pack kernel that converts a B with few columns to column-major order.
        CHECK((op != Op::kNN || plan.kernel().layout_b != Layout::C()));
      }
    }
  }
}

}  // namespace
}  // namespace tilewright
