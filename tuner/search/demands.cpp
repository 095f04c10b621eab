#include "tuner/search/demands.hpp"

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
  const bool at = layout_a_of(op) == Layout::C();
  const bool bt = layout_b_of(op) == Layout::C();
  GemmProblem problem;
  problem.op = op;
  problem.shape = shape;
  problem.a.ld = static_cast<std::size_t>(at ? shape.m : shape.k);
  problem.b.ld = static_cast<std::size_t>(bt ? shape.k : shape.n);
  problem.c.ld = static_cast<std::size_t>(shape.n);
  return problem;
}

PackPoint pack_demand_a(const KernelRecord& record, Op op) {
  PackPoint point;
  point.precision = record.precision;
  point.from = layout_a_of(op);
  point.to = record.layout_a;
  point.image = record.images.a;
  return point;
}

PackPoint pack_demand_b(const KernelRecord& record, Op op) {
  PackPoint point;
  point.precision = record.precision;
  point.from = layout_b_of(op);
  point.to = record.layout_b.value_or(Layout::R());
  point.image = record.images.b;
  return point;
}

Auxiliaries fastest_auxiliaries(const std::vector<PackOutcome>& packs) {
  Auxiliaries fastest;
  std::map<ParameterPoint, double> rates;  // ns per element
  for (const PackOutcome& pack : packs) {
    if (pack.reply.kernel.empty()) continue;
    const auto [place, is_new] = rates.emplace(pack.demand, pack.reply.ns_per_element);
    if (!is_new && place->second <= pack.reply.ns_per_element) continue;
    place->second = pack.reply.ns_per_element;
    fastest[pack.demand] = pack.reply.kernel;
  }
  return fastest;
}

std::set<ParameterPoint> demands_of(const std::vector<KernelId>& kernels, Op op,
                                    const std::vector<GemmShape>& shapes) {
  std::set<ParameterPoint> demands;
  for (const KernelId& kernel : kernels) {
    const KernelRecord& record = kernel.facts();
    for (const GemmShape& shape : shapes) {
      const GemmProblem problem = dense_problem(op, shape);
      if (!serves(record, shape) || !takes_c(record, problem)) continue;
      const auto pack = [&](const PackPoint& demand, const Storage& packed) {
        demands.insert(demand);
        if (is_large(packed)) demands.insert(large(demand));
      };
      if (!takes_a(record, problem)) {
        pack(pack_demand_a(record, op), storage_a(record, shape));
      }
      if (!takes_b(record, problem)) {
        pack(pack_demand_b(record, op), storage_b(record, shape));
      }
      if (record.split_k > 1) demands.insert(ReducePoint{.precision = record.precision});
    }
  }
  return demands;
}

bool has_large_operand(const GemmShape& shape) {
  return std::max(shape.m, shape.n) * shape.k >= kLargeMovedElements;
}

PackPoint large(PackPoint demand) {
  demand.large = true;
  return demand;
}

}  // namespace tilewright
