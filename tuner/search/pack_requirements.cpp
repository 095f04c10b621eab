#include "tuner/search/pack_requirements.hpp"

#include <algorithm>
#include <type_traits>

#include "profiles/profile.hpp"
#include "runtime/call/storage.hpp"
#include "tuner/journal/records/slow_down.hpp"

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

ParameterPoint requirement_of(const ParameterPoint& auxiliary) {
  ParameterPoint requirement = std::visit(
      [](const auto& point) { return ParameterPoint(std::decay_t<decltype(point)>{}); }, auxiliary);
  for (const Field& field : fields(point_codelet(auxiliary))) {
    if (field.required) field.parse(requirement, field.text(auxiliary));
  }
  const auto* activation = std::get_if<ActivationPoint>(&auxiliary);
  if (activation != nullptr && activation->id_order == IdOrder::kFlat) {
    std::get<ActivationPoint>(requirement).id_order = IdOrder::kFlat;
  }
  return requirement;
}

int moved_extent(const ParameterPoint& auxiliary) {
  const auto* pack = std::get_if<PackPoint>(&auxiliary);
  return pack != nullptr && pack->large ? kLargeMovedExtent : kMovedExtent;
}

double ns_per_element(const Outcome& pack, int extent) {
  const ShapeSamples* samples = samples_on(pack, {extent, extent, 1});
  return samples == nullptr || samples->ns.empty() ? 0.0
                                                   : median_ns(*samples) / (1.0 * extent * extent);
}

Auxiliaries fastest_auxiliaries(const std::vector<Outcome>& packs) {
  Auxiliaries fastest;
  std::map<ParameterPoint, double> rates;  // ns per element
  std::set<KernelId> crashed;
  for (const Outcome& pack : packs) {
    if (is_crash(pack.result)) crashed.insert(pack.kernel);
  }
  for (const Outcome& pack : packs) {
    const ParameterPoint& point = pack.kernel.point();
    const double ns = ns_per_element(pack, moved_extent(point));
    if (pack.result != OutcomeClass::kOk || ns == 0.0 || crashed.contains(pack.kernel)) continue;
    const ParameterPoint requirement = requirement_of(point);
    const auto [place, is_new] = rates.emplace(requirement, ns);
    if (!is_new && place->second <= ns) continue;
    place->second = ns;
    fastest[requirement] = pack.kernel;
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
