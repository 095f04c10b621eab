// Artificial records, results and problems for tests of plan choice.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "runtime/api/explanation.hpp"
#include "runtime/plan/plan.hpp"

namespace tilewright {

inline DeviceInfo offering(const DeviceLimits& limits, std::size_t max_image_extent,
                           std::uint64_t max_buffer_bytes) {
  DeviceInfo device;
  device.identity.limits = limits;
  device.max_image_width = device.max_image_height = max_image_extent;
  device.max_buffer_bytes = max_buffer_bytes;
  return device;
}

inline const DeviceInfo kOffered = offering({256, {256, 256}, 1024, false, true}, 64, 1 << 20);

// Matrices without offsets and gaps.
inline GemmProblem make_problem(Op op, const GemmShape& shape) {
  GemmProblem problem;
  problem.op = op;
  problem.shape = shape;
  const auto ld = [](const Layout& layout, std::int64_t rows, std::int64_t columns) {
    return static_cast<std::size_t>(layout.min_ld(rows, columns));
  };
  problem.a.ld = ld(op_layout_a(op), shape.m, shape.k);
  problem.b.ld = ld(op_layout_b(op), shape.k, shape.n);
  problem.c.ld = ld(Layout::R(), shape.m, shape.n);
  return problem;
}

inline std::vector<GemmPlan> rank(const std::vector<const Profile*>& profiles, Op op,
                                  const GemmShape& shape) {
  return rank_plans(profiles, kOffered, make_problem(op, shape));
}

inline KernelRecord gemm(const std::string& name, Op op, Tile tile = {4, 4, 1},
                         std::array<int, 2> group = {8, 8}) {
  KernelRecord record;
  record.name = name;
  record.tile = tile;
  record.work_group = group;
  record.layout_a = op_layout_a(op);
  record.layout_b = op_layout_b(op);
  return record;
}

inline Layout layout(const char* text) {
  return parse_layout(text).value();
}

inline KernelRecord pack(const std::string& name, const char* from, const char* to) {
  KernelRecord record;
  record.name = name;
  record.role = Role::kPack;
  record.layout_a = layout(from);
  record.layout_c = layout(to);
  return record;
}

inline KernelRecord pack_image(const std::string& name, const char* from, const char* to) {
  KernelRecord record = pack(name, from, to);
  record.images.c = true;
  return record;
}

inline KernelRecord activation() {
  KernelRecord record;
  record.role = Role::kActivation;
  record.name = "activation";
  record.bias = Dimension::kN;
  return record;
}

inline KernelRecord reduce(const std::string& name) {
  KernelRecord record;
  record.name = name;
  record.role = Role::kReduce;
  return record;
}

inline ShapeResult result(Op op, std::int64_t size, const std::string& kernel, double ns) {
  return {op, size, size, size, kernel, ns, ns, ns, 9, 0.0};
}

// A profile of a tuning that measured built-in kernels: the last product kernel is one of them.
inline Profile tuned(std::vector<KernelRecord> kernels, std::vector<ShapeResult> results) {
  Profile profile;
  profile.provenance.complete = true;
  profile.kernels = std::move(kernels);
  const auto last = std::find_if(profile.kernels.rbegin(), profile.kernels.rend(),
                                 [](const auto& kernel) { return is_product(kernel.role); });
  if (last != profile.kernels.rend()) last->built_in = true;
  profile.results = std::move(results);
  return profile;
}

inline Profile generic(std::vector<KernelRecord> kernels) {
  Profile profile = tuned(std::move(kernels), {});
  profile.kind = ProfileKind::kGeneric;
  return profile;
}

// Rates with the given copy bandwidth and launch cost.
inline DeviceRates rates(double copy_gbytes_per_s, double launch_ns) {
  DeviceRates rates;
  rates.copy_gbytes_per_s = copy_gbytes_per_s;
  rates.launch_ns = launch_ns;
  return rates;
}

inline std::vector<std::string> names(const std::vector<GemmPlan>& plans) {
  std::vector<std::string> result;
  for (const GemmPlan& plan : plans) result.push_back(plan.kernel().name);
  return result;
}

inline std::vector<std::string> names(const GemmPlan::Choices& choices) {
  std::vector<std::string> result;
  for (const KernelRecord* record : choices) result.push_back(record->name);
  return result;
}

using Names = std::vector<std::string>;

// The table for applications if the plan with number `runs` runs and no earlier plan builds.
inline std::string explained(const std::vector<GemmPlan>& plans, std::size_t runs = 0) {
  Explanation explanation;
  explanation.candidates =
      explain_candidates(plans, [&](const GemmPlan& plan) -> std::optional<std::string> {
        if (&plan.kernel() == &plans[runs].kernel()) return std::nullopt;
        return plan.kernel().name + " does not build";
      });
  return to_table(explanation, true);
}

}  // namespace tilewright
