#include "tuner/search/auxiliary_cost.hpp"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

#include "codelets/space/emit.hpp"
#include "tuner/search/pack_requirements.hpp"

namespace tilewright {
namespace {

// Returns a device without limits. The kernels in question have already run on the device.
DeviceInfo no_limits(int compute_units) {
  constexpr std::int64_t kAny = std::numeric_limits<std::int64_t>::max();
  DeviceInfo device;
  device.identity.limits = {kAny, {kAny, kAny}, kAny, true, true};
  device.max_image_width = device.max_image_height = std::numeric_limits<std::size_t>::max();
  device.max_buffer_bytes = std::numeric_limits<std::uint64_t>::max();
  device.identity.compute_units = compute_units;
  return device;
}

// Returns the simplest kernels that could pack operands for a kernel and add its parts. They have
// not been measured.
std::vector<KernelRecord> assumed(const KernelRecord& record, Op op) {
  std::vector<KernelRecord> kernels;
  for (const PackPoint& requirement :
       {pack_requirement_a(record, op), pack_requirement_b(record, op)}) {
    KernelRecord& pack = kernels.emplace_back();
    pack.role = Role::kPack;
    pack.precision = record.precision;
    pack.layout_a = requirement.from;
    pack.layout_c = requirement.to;
    pack.images.c = requirement.image;
  }
  KernelRecord& reduce = kernels.emplace_back();
  reduce.role = Role::kReduce;
  reduce.precision = record.precision;
  return kernels;
}

using Question = std::tuple<KernelId, Op, std::int64_t, std::int64_t, std::int64_t>;

}  // namespace

struct AuxiliaryCost::Found {
  explicit Found(Profile found) : profile(std::move(found)) {}
  Profile profile;
  MeasuredTimes times{{&profile}};
  std::map<Question, std::optional<Cost>> answers;
};

AuxiliaryCost::AuxiliaryCost(const DeviceRates& rates, bool b_prepacked, int compute_units)
    : AuxiliaryCost(std::vector<Outcome>(), rates, b_prepacked, compute_units) {
  assumes_ = true;
}

AuxiliaryCost::AuxiliaryCost(const std::vector<Outcome>& packs, const DeviceRates& rates,
                             bool b_prepacked, int compute_units)
    : b_prepacked_(b_prepacked), assumes_(false) {
  Profile profile;
  profile.device.compute_units = compute_units;
  profile.rates = rates;
  for (const auto& [requirement, kernel] : fastest_auxiliaries(packs)) {
    add_auxiliary(profile, packs, kernel);
  }
  found_ = std::make_shared<Found>(std::move(profile));
}

std::optional<AuxiliaryCost::Cost> AuxiliaryCost::find(const KernelId& kernel, Op op,
                                                       const GemmShape& shape) const {
  const auto [place, is_new] =
      found_->answers.try_emplace(Question{kernel, op, shape.m, shape.n, shape.k});
  if (is_new) place->second = predict(kernel, op, shape);
  return place->second;
}

std::optional<AuxiliaryCost::Cost> AuxiliaryCost::predict(const KernelId& kernel, Op op,
                                                          const GemmShape& shape) const {
  const KernelRecord& record = kernel.facts();
  GemmProblem dense = dense_problem(op, shape);
  dense.precision = record.precision;
  const bool alone = record.split_k == 1 && record.stream_k == 0 && supports(record, shape) &&
                     accepts_a(record, dense) && accepts_b(record, dense) &&
                     accepts_c(record, dense);
  if (alone) return Cost{};
  Profile own;
  own.kernels = {record};
  if (assumes_) {
    for (KernelRecord& other : assumed(record, op)) {
      own.kernels.push_back(std::move(other));
    }
  }
  GemmProblem problem = dense;
  problem.b_prepacked = b_prepacked_;
  const std::vector<GemmPlan> plans =
      rank_plans({&found_->profile, &own}, found_->times,
                 no_limits(found_->profile.device.compute_units), problem);
  if (plans.empty()) return std::nullopt;
  const GemmPlan& plan = plans.front();
  const int packs = plan.runs(CallStep::kPackA) + plan.runs(CallStep::kPackB);
  return Cost{plan.times.auxiliary_ns(), packs, plan.runs(CallStep::kReduce)};
}

bool add_auxiliary(Profile& profile, const std::vector<Outcome>& packs, const KernelId& kernel) {
  const std::string& name = kernel.facts().name;
  if (find_kernel(profile, name) != nullptr) return false;
  profile.kernels.push_back(emit(kernel.point()));
  if (kernel.facts().role == Role::kReduce) return true;
  const int extents[] = {moved_extent(kernel.point()), kMediumMovedExtent};
  const auto pack = std::find_if(packs.begin(), packs.end(), [&](const Outcome& other) {
    return other.kernel == kernel && ns_per_element(other, extents[0]) > 0.0;
  });
  if (pack == packs.end()) return true;
  for (const int extent : extents) {
    const double ns = ns_per_element(*pack, extent);
    if (ns > 0.0) profile.pack_results.push_back({name, ns, extent});
  }
  return true;
}

}  // namespace tilewright
