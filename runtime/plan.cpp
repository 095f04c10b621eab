#include "runtime/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>
#include <utility>

#include "runtime/executor.hpp"
#include "runtime/storage.hpp"

namespace tilewright {
namespace {

using Profiles = std::vector<const Profile*>;

bool fits(const KernelRecord& record, const DeviceLimits& limits) {
  const std::int64_t x = record.work_group[0];
  const std::int64_t y = record.work_group[1];
  return x * y <= limits.max_work_group_size && x <= limits.max_work_item_sizes[0] &&
         y <= limits.max_work_item_sizes[1] && record.local_bytes <= limits.local_memory_bytes &&
         (record.images == Images{} || limits.image_support);
}

// Whether the device can hold a temporary, and a kernel count its elements.
bool fits(const Storage& storage, const ServingLimits& limits) {
  const auto is_int = [](auto value) { return std::in_range<int>(value); };
  if (!is_int(storage.rows) || !is_int(storage.columns) || !is_int(storage.ld)) return false;
  if (storage.image) {
    return storage.image_width() <= limits.max_image_width &&
           storage.image_height() <= limits.max_image_height;
  }
  return storage.elements <= limits.max_buffer_bytes / sizeof(float);
}

double log_distance(const ShapeResult& result, const GemmShape& shape) {
  const auto apart = [](std::int64_t a, std::int64_t b) {
    return std::log2(static_cast<double>(std::max<std::int64_t>(a, 1)) /
                     static_cast<double>(std::max<std::int64_t>(b, 1)));
  };
  return std::hypot(apart(result.m, shape.m), apart(result.n, shape.n), apart(result.k, shape.k));
}

// Multiply-adds that the launch does, those of the tiles past the edge included.
double launched_work(const KernelRecord& record, std::int64_t m, std::int64_t n, std::int64_t k) {
  const auto global = global_size(record, m, n);
  return static_cast<double>(global[0]) * static_cast<double>(global[1]) * record.tile.m *
         record.tile.n * static_cast<double>(std::max<std::int64_t>(k, 1));
}

bool aligned(const MatrixArgument& matrix, int alignment) {
  const auto wanted = static_cast<std::size_t>(alignment);
  return matrix.offset % wanted == 0 && matrix.ld % wanted == 0;
}

bool divides(std::int64_t divisor, std::int64_t value) {
  return value % divisor == 0;
}

// A matrix on its way from one layout into another.
struct Way {
  Layout from;
  Layout to;
  bool to_image = false;
  PackProblem problem;
};

bool goes(const KernelRecord& record, const Way& way) {
  const PackProblem& problem = way.problem;
  const bool columns_first = record.layout_a == Layout::C();
  return record.role == Role::kPack && record.layout_a == way.from && record.layout_c == way.to &&
         record.images.c == way.to_image && divides(record.multiples.m, problem.padded_rows) &&
         divides(record.multiples.n, problem.padded_columns) &&
         (!way.from.is_plain() || aligned(problem.from, record.alignment)) &&
         (!way.to.is_plain() || aligned(problem.to, record.alignment)) &&
         divides(record.alignment, problem.columns) &&
         (!columns_first || divides(record.alignment, problem.rows));
}

bool adds_up(const KernelRecord& record, const Storage& parts, const GemmProblem& problem) {
  return record.role == Role::kReduce && record.bias == Dimension::kNone &&
         record.activation == Activation::kIdentity && aligned(problem.c, record.alignment) &&
         aligned({nullptr, 0, parts.ld}, record.alignment) &&
         divides(record.alignment, problem.shape.n);
}

// Finds what must be done beside a kernel's product.
class Planner {
 public:
  Planner(const Profiles& profiles, const ServingLimits& limits, const GemmProblem& problem)
      : profiles_(profiles), limits_(limits), problem_(problem) {}

  // The way to serve the problem with a kernel, if there is one.
  std::optional<GemmPlan> plan(const Profile& profile, const KernelRecord& record) const;

 private:
  bool bring_operands(GemmPlan& plan) const;
  bool bring_c(GemmPlan& plan) const;
  bool add_parts(GemmPlan& plan) const;
  bool find_pack(const Layout& from, const Storage& to, std::int64_t rows, std::int64_t columns,
                 const MatrixArgument& matrix, GemmPlan::Choices& choices) const;
  template <class Can>
  bool find(const Can& can, GemmPlan::Choices& choices) const;

  const Profiles& profiles_;
  const ServingLimits& limits_;
  const GemmProblem& problem_;
};

// Collects the kernels that fit and can; false if there are none.
template <class Can>
bool Planner::find(const Can& can, GemmPlan::Choices& choices) const {
  for (const Profile* profile : profiles_) {
    for (const KernelRecord& record : profile->kernels) {
      if (fits(record, limits_.device) && can(record)) choices.push_back(&record);
    }
  }
  return !choices.empty();
}

bool Planner::find_pack(const Layout& from, const Storage& to, std::int64_t rows,
                        std::int64_t columns, const MatrixArgument& matrix,
                        GemmPlan::Choices& choices) const {
  const Way way{from, to.layout, to.image, pack_problem(to, rows, columns, matrix)};
  return fits(to, limits_) && find([&](const auto& record) { return goes(record, way); }, choices);
}

bool Planner::bring_operands(GemmPlan& plan) const {
  const KernelRecord& record = *plan.kernel;
  const GemmShape& shape = problem_.shape;
  // Nothing is read then, and there is nothing that could be packed; but an image must be one.
  if (shape.k == 0) return !record.images.a && !record.images.b;
  return (takes_a(record, problem_) || find_pack(layout_a_of(problem_.op), storage_a(record, shape),
                                                 shape.m, shape.k, problem_.a, plan.pack_a)) &&
         (takes_b(record, problem_) || find_pack(layout_b_of(problem_.op), storage_b(record, shape),
                                                 shape.k, shape.n, problem_.b, plan.pack_b));
}

bool Planner::bring_c(GemmPlan& plan) const {
  const KernelRecord& record = *plan.kernel;
  if (takes_c(record, problem_)) return true;
  const GemmShape& shape = problem_.shape;
  const Storage storage = storage_c(record, shape);
  const Way back{storage.layout, Layout::R(), false,
                 unpack_problem(storage, shape.m, shape.n, problem_.c)};
  return fits(storage, limits_) &&
         find([&](const auto& other) { return goes(other, back); }, plan.unpack_c) &&
         (problem_.beta == 0.0f ||
          find_pack(Layout::R(), storage, shape.m, shape.n, problem_.c, plan.pack_c));
}

bool Planner::add_parts(GemmPlan& plan) const {
  const Storage parts = storage_parts(*plan.kernel, problem_.shape);
  return fits(parts, limits_) &&
         find([&](const auto& other) { return adds_up(other, parts, problem_); }, plan.reduce);
}

std::optional<GemmPlan> Planner::plan(const Profile& profile, const KernelRecord& record) const {
  const bool product = record.role == Role::kGemm || record.role == Role::kGemv;
  const bool plain_result =
      record.bias == Dimension::kNone && record.activation == Activation::kIdentity;
  if (!product || !plain_result || !record.layout_b || !fits(record, limits_.device) ||
      !serves(record, problem_.shape)) {
    return std::nullopt;
  }
  GemmPlan plan;
  plan.kernel = &record;
  plan.profile = &profile;
  if (!bring_operands(plan)) return std::nullopt;
  if (!(record.split_k > 1 ? add_parts(plan) : bring_c(plan))) return std::nullopt;
  plan.predicted_ns =
      predict_ns(profile, record, op_of(record.layout_a, *record.layout_b), problem_.shape);
  return plan;
}

// Elements that are moved beside the product.
double packed_elements(const GemmPlan& plan, const GemmShape& shape) {
  const auto m = static_cast<double>(shape.m);
  const auto n = static_cast<double>(shape.n);
  const auto k = static_cast<double>(shape.k);
  return (plan.pack_a.empty() ? 0.0 : m * k) + (plan.pack_b.empty() ? 0.0 : k * n) +
         (plan.pack_c.empty() ? 0.0 : m * n) + (plan.unpack_c.empty() ? 0.0 : m * n);
}

}  // namespace

std::optional<double> predict_ns(const Profile& profile, const KernelRecord& kernel, Op op,
                                 const GemmShape& shape) {
  const ShapeResult* nearest = nullptr;
  double least = 0.0;
  for (const ShapeResult& result : profile.results) {
    if (result.op != op || result.kernel != kernel.name) continue;
    const double distance = log_distance(result, shape);
    if (nearest == nullptr || distance < least) {
      nearest = &result;
      least = distance;
    }
  }
  if (nearest == nullptr) return std::nullopt;
  return nearest->median_ns * launched_work(kernel, shape.m, shape.n, shape.k) /
         launched_work(kernel, nearest->m, nearest->n, nearest->k);
}

std::vector<GemmPlan> rank_plans(const Profiles& profiles, const ServingLimits& limits,
                                 const GemmProblem& problem) {
  const Planner planner(profiles, limits, problem);
  std::vector<GemmPlan> plans;
  for (const Profile* profile : profiles) {
    for (const KernelRecord& record : profile->kernels) {
      if (auto plan = planner.plan(*profile, record)) plans.push_back(std::move(*plan));
    }
  }
  std::stable_sort(plans.begin(), plans.end(), [&](const GemmPlan& a, const GemmPlan& b) {
    const auto key = [&](const GemmPlan& plan) {
      return std::tuple(!plan.predicted_ns, packed_elements(plan, problem.shape),
                        plan.predicted_ns);
    };
    return key(a) < key(b);
  });
  return plans;
}

std::string reason_of(const GemmPlan& plan) {
  std::string reason =
      plan.predicted_ns ? fmt::format("predicted {:.3g} us", *plan.predicted_ns / 1e3)
      : plan.profile->kind == ProfileKind::kGeneric ? "built-in kernel, never measured"
                                                    : "no measured result for this op";
  if (!plan.pack_a.empty()) reason += ", A is packed first";
  if (!plan.pack_b.empty()) reason += ", B is packed first";
  if (!plan.pack_c.empty()) reason += ", C is packed first";
  if (!plan.unpack_c.empty()) reason += ", C is unpacked after";
  if (!plan.reduce.empty()) {
    reason += fmt::format(", k is split into {} parts", plan.kernel->split_k);
  }
  return reason;
}

std::size_t alignment_of(const MatrixArgument& matrix, std::size_t most) {
  return std::gcd(std::gcd(matrix.offset, matrix.ld), most);
}

}  // namespace tilewright
