#include "tuner/search/warm_start.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "codelets/space/emit.hpp"
#include "profiles/built_in.hpp"
#include "profiles/retyped.hpp"
#include "runtime/call/epilogue.hpp"

namespace tilewright {
namespace {

using ShapeKey = std::array<std::int64_t, 3>;

// Returns a score for each kernel: the sum over the op's shapes of (best median / its median).
std::map<std::string, double> scores(const Profile& profile, Op op) {
  std::map<ShapeKey, double> best_ns;
  for (const ShapeResult& result : profile.results) {
    if (result.op != op || result.median_ns <= 0.0) continue;
    double& best =
        best_ns.emplace(ShapeKey{result.m, result.n, result.k}, result.median_ns).first->second;
    best = std::min(best, result.median_ns);
  }
  std::map<std::string, double> scores;
  for (const ShapeResult& result : profile.results) {
    if (result.op != op || result.median_ns <= 0.0) continue;
    scores[result.kernel] += best_ns[{result.m, result.n, result.k}] / result.median_ns;
  }
  return scores;
}

std::optional<ParameterPoint> parse_recorded_point(const KernelRecord& record) {
  try {
    return parse_point(record.point);
  } catch (const ParameterError&) {
    return std::nullopt;
  }
}

}  // namespace

DeviceInfo typed_device(DeviceInfo device, Precision precision) {
  const int floats = floats_per_sum(precision);
  device.limits.register_floats /= floats;
  device.limits.group_floats /= floats;
  device.limits.local_memory_bytes /= floats;
  device.native_vector_width = std::max(1, device.native_vector_width / floats);
  for (int& registers : device.gpu.registers) registers /= floats;
  return device;
}

std::vector<ParameterPoint> warm_points(const Profile& profile, Op op, const SpaceLimits& limits) {
  const std::map<std::string, double> score = scores(profile, op);
  struct Entry {
    ParameterPoint point;
    double score;
  };
  std::vector<Entry> entries;
  for (const KernelRecord& record : profile.kernels) {
    const bool product = is_product(record.role);
    // Kernels that write C in another layout, which older tunings made for networks, are not
    // searched.
    const bool searched =
        product && implements_epilogue(record, {}) && record.layout_c == Layout::R();
    if (!searched || record.point.empty()) continue;
    const auto found = score.find(record.name);
    const bool reads_op = record.layout_a == op_layout_a(op) && record.layout_b == op_layout_b(op);
    if (found == score.end() && !reads_op) continue;
    const std::optional<ParameterPoint> point = parse_recorded_point(record);
    const Codelet own = record.role == Role::kGemm ? Codelet::kGemm : Codelet::kGemv;
    if (!point || point_codelet(*point) != own) continue;
    if (broken_rule(*point, limits) != nullptr) continue;
    entries.push_back({*point, found == score.end() ? 0.0 : found->second});
  }
  std::stable_sort(entries.begin(), entries.end(),
                   [](const Entry& a, const Entry& b) { return a.score > b.score; });
  std::vector<ParameterPoint> points;
  for (Entry& entry : entries) points.push_back(std::move(entry.point));
  return points;
}

Profile warm_profile(const Profile& profile, Precision precision) {
  return retyped(profile, precision, [&](const KernelRecord& kernel) {
    std::optional<KernelRecord> emitted;
    if (kernel.precision != Precision::kSingle) return emitted;
    if (const std::optional<ParameterPoint> point = parse_recorded_point(kernel)) {
      const ParameterPoint other = with_precision(*point, precision);
      if (broken_structural_rule(other) == nullptr) emitted = emit(other);
    }
    return emitted;
  });
}

std::vector<ParameterPoint> warm_auxiliaries(const Profile& profile,
                                             const ParameterPoint& requirement,
                                             const SpaceLimits& limits) {
  std::vector<ParameterPoint> points;
  for (const KernelRecord& record : profile.kernels) {
    const std::optional<ParameterPoint> point = parse_recorded_point(record);
    if (!point || point_codelet(*point) != point_codelet(requirement) ||
        point_precision(*point) != point_precision(requirement)) {
      continue;
    }
    if (const auto* pack = std::get_if<PackPoint>(&*point)) {
      const auto& wanted = std::get<PackPoint>(requirement);
      if (pack->from != wanted.from || pack->to != wanted.to || pack->image != wanted.image ||
          pack->large != wanted.large) {
        continue;
      }
    }
    if (const auto* activation = std::get_if<ActivationPoint>(&*point)) {
      const auto& wanted = std::get<ActivationPoint>(requirement);
      const auto flat = [](const ActivationPoint& p) { return p.id_order == IdOrder::kFlat; };
      if (activation->bias != wanted.bias || activation->activation != wanted.activation ||
          flat(*activation) != flat(wanted)) {
        continue;
      }
    }
    if (const auto* softmax = std::get_if<SoftmaxPoint>(&*point)) {
      const auto& wanted = std::get<SoftmaxPoint>(requirement);
      if (softmax->activation != wanted.activation) continue;
    }
    if (const auto* reduce = std::get_if<ReducePoint>(&*point)) {
      const auto& wanted = std::get<ReducePoint>(requirement);
      if (reduce->bias != wanted.bias || reduce->activation != wanted.activation) continue;
    }
    if (broken_rule(*point, limits) == nullptr) points.push_back(*point);
  }
  return points;
}

std::vector<Profile> built_in_for(const DeviceInfo& device, Precision precision) {
  std::vector<Profile> profiles = {retyped(built_in_profile(device), precision)};
  for (const DeviceClass value : likely_classes(device)) {
    if (value == likeliest_class(device)) continue;
    profiles.push_back(retyped(built_in_profile(device, value), precision));
  }
  return profiles;
}

}  // namespace tilewright
