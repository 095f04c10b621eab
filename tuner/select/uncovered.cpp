#include "tuner/select/uncovered.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "profiles/built_in.hpp"
#include "runtime/plan/plan.hpp"
#include "tuner/journal/records/shapes.hpp"
#include "tuner/search/pack_requirements.hpp"

namespace tilewright {
namespace {

// The plans of products with one type of elements, on one device.
class Coverage {
 public:
  Coverage(const Profile& profile, const DeviceInfo& device, Precision precision)
      : device_(device),
        built_in_(built_in_profile(device, profile)),
        profiles_{&profile, &built_in_},
        times_(profiles_),
        precision_(precision) {}

  bool covers(Op op, const GemmShape& shape) const {
    GemmProblem problem = dense_problem(op, shape);
    problem.precision = precision_;
    const std::vector<GemmPlan> plans = rank_plans(profiles_, times_, device_, problem);
    return plans.empty() || plans.front().times.first_because != FirstBecause::kUncovered;
  }

  // Returns true if an uncovered product would be covered if the kernels that pack its operands had
  // been measured.
  bool lacks_packing(Op op, const GemmShape& shape) const {
    GemmProblem problem = dense_problem(op, shape);
    problem.precision = precision_;
    const std::vector<GemmPlan> plans = rank_plans(profiles_, times_, device_, problem);
    return std::any_of(plans.begin(), plans.end(), [&](const GemmPlan& plan) {
      return plan.profile != &built_in_ && plan.kernel().name == plans.front().kernel().name &&
             plan.times.known() && plan.times.doubtful;
    });
  }

  // Returns the least extent that is covered, if the others are those of `shape`, which is covered.
  std::int64_t min_extent(Op op, GemmShape shape, std::int64_t GemmShape::*extent) const {
    std::int64_t covered = shape.*extent;
    std::int64_t uncovered = 0;
    while (covered - uncovered > 1) {
      shape.*extent = uncovered + (covered - uncovered) / 2;
      (covers(op, shape) ? covered : uncovered) = shape.*extent;
    }
    return covered;
  }

 private:
  const DeviceInfo& device_;
  Profile built_in_;
  std::vector<const Profile*> profiles_;
  MeasuredTimes times_;
  Precision precision_;
};

// The measured shape with the most work; nullopt if there is none.
std::optional<GemmShape> largest_shape(const Profile& profile, Precision precision) {
  std::optional<GemmShape> largest;
  for (const ShapeResult& result : profile.results) {
    const KernelRecord* kernel = find_kernel(profile, result.kernel);
    if (kernel == nullptr || kernel->precision != precision) continue;
    const GemmShape shape{result.m, result.n, result.k};
    if (!largest || flops(shape) > flops(*largest)) largest = shape;
  }
  return largest;
}

// " with an extent below 64", " with m below 4, k below 16"; "": all are covered.
std::string part_text(const Coverage& coverage, Op op, const GemmShape& largest) {
  constexpr std::int64_t kLaunchOnly = 4;  // with so small a k, a product is hardly more than that
  const std::int64_t m = coverage.min_extent(op, largest, &GemmShape::m);
  const std::int64_t n = coverage.min_extent(op, largest, &GemmShape::n);
  const std::int64_t k = coverage.min_extent(op, largest, &GemmShape::k);
  std::vector<std::string> parts;
  if (m == n && n == k && m > 1) {
    parts.push_back(fmt::format("an extent below {}", m));
  } else {
    if (m > 1) parts.push_back(fmt::format("m below {}", m));
    if (n > 1) parts.push_back(fmt::format("n below {}", n));
    if (k > kLaunchOnly) parts.push_back(fmt::format("k below {}", k));
  }
  constexpr std::int64_t kFarLarger = 4;  // times each extent
  const GemmShape larger{kFarLarger * largest.m, kFarLarger * largest.n, kFarLarger * largest.k};
  if (!coverage.covers(op, larger)) {
    parts.push_back(fmt::format("far more work than {}", to_text(largest)));
  }
  if (parts.empty()) return "";
  return fmt::format(" with {}", fmt::join(parts, ", "));
}

std::string type_text(const Profile& profile, const DeviceInfo& device, Precision precision) {
  const std::optional<GemmShape> largest = largest_shape(profile, precision);
  if (!largest) return "";
  const Coverage coverage(profile, device, precision);
  std::vector<std::pair<std::string, std::vector<std::string_view>>> parts;  // with their ops
  for (const Op op : {Op::kNN, Op::kNT, Op::kTN}) {
    const bool covers = coverage.covers(op, *largest);
    std::string part;
    if (covers) {
      part = part_text(coverage, op, *largest);
      if (part.empty()) continue;
    } else if (coverage.lacks_packing(op, *largest)) {
      part = " (packing was not measured)";
    }
    auto same = std::find_if(parts.begin(), parts.end(),
                             [&](const auto& other) { return other.first == part; });
    if (same == parts.end()) {
      same = parts.insert(covers ? parts.end() : parts.begin(), {part, {}});
    }
    same->second.push_back(to_text(op));
  }
  std::vector<std::string> texts;
  for (const auto& [part, ops] : parts) {
    texts.push_back(fmt::format("{}{}", fmt::join(ops, ", "), part));
  }
  return fmt::format("{}", fmt::join(texts, "; "));
}

}  // namespace

std::string uncovered_text(const Profile& profile, const DeviceInfo& device) {
  std::vector<std::pair<Precision, std::string>> types;
  for (const Precision precision : kPrecisions) {
    if (largest_shape(profile, precision)) {
      types.emplace_back(precision, type_text(profile, device, precision));
    }
  }
  if (types.size() == 1) return types.front().second;
  std::vector<std::string> texts;
  for (const auto& [precision, text] : types) {
    if (!text.empty()) texts.push_back(fmt::format("{}: {}", elements_text(precision), text));
  }
  return fmt::format("{}", fmt::join(texts, "; "));
}

}  // namespace tilewright
