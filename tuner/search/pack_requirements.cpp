#include "tuner/search/pack_requirements.hpp"

#include <algorithm>

#include "profiles/profile.hpp"
#include "runtime/call/storage.hpp"

namespace tilewright {
namespace {

bool is_large(const Storage& packed) {
  return static_cast<std::int64_t>(packed.elements) >= kLargeMovedElements;
}

}  // namespace

GemmProblem dense_problem(Op op, const GemmShape& shape) {
  const bool at = op_layout_a(op) == Layout::C();
  const bool bt = op_layout_b(op) == Layout::C();
  GemmProblem problem;
  problem.op = op;
  problem.shape = shape;
  problem.a.ld = static_cast<std::size_t>(at ? shape.m : shape.k);
  problem.b.ld = static_cast<std::size_t>(bt ? shape.k : shape.n);
  problem.c.ld = static_cast<std::size_t>(shape.n);
  return problem;
}

PackPoint pack_requirement_a(const KernelRecord& record, Op op) {
  PackPoint point;
  point.precision = record.precision;
  point.from = op_layout_a(op);
  point.to = record.layout_a;
  point.image = record.images.a;
  return point;
}

PackPoint pack_requirement_b(const KernelRecord& record, Op op) {
  PackPoint point;
  point.precision = record.precision;
  point.from = op_layout_b(op);
  point.to = record.layout_b.value_or(Layout::R());
  point.image = record.images.b;
  return point;
}

Auxiliaries fastest_auxiliaries(const std::vector<PackOutcome>& packs) {
  Auxiliaries fastest;
  std::map<ParameterPoint, double> rates;  // ns per element
  for (const PackOutcome& pack : packs) {
    if (pack.reply.kernel.empty()) continue;
    const auto [place, is_new] = rates.emplace(pack.requirement, pack.reply.ns_per_element);
    if (!is_new && place->second <= pack.reply.ns_per_element) continue;
    place->second = pack.reply.ns_per_element;
    fastest[pack.requirement] = pack.reply.kernel;
  }
  return fastest;
}

std::set<ParameterPoint> required_packs(const std::vector<KernelId>& kernels, Op op,
                                        const std::vector<GemmShape>& shapes) {
  std::set<ParameterPoint> requirements;
  for (const KernelId& kernel : kernels) {
    const KernelRecord& record = kernel.facts();
    for (const GemmShape& shape : shapes) {
      const GemmProblem problem = dense_problem(op, shape);
      if (!supports(record, shape) || !accepts_c(record, problem)) continue;
      const auto pack = [&](const PackPoint& requirement, const Storage& packed) {
        requirements.insert(requirement);
        if (is_large(packed)) requirements.insert(large(requirement));
      };
      if (!accepts_a(record, problem)) {
        pack(pack_requirement_a(record, op), storage_a(record, shape));
      }
      if (!accepts_b(record, problem)) {
        pack(pack_requirement_b(record, op), storage_b(record, shape));
      }
      if (record.split_k > 1 || record.stream_k > 0)
        requirements.insert(ReducePoint{.precision = record.precision});
    }
  }
  return requirements;
}

bool has_large_operand(const GemmShape& shape) {
  return std::max(shape.m, shape.n) * shape.k >= kLargeMovedElements;
}

PackPoint large(PackPoint requirement) {
  requirement.large = true;
  return requirement;
}

}  // namespace tilewright
