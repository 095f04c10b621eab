#include "runtime/plan/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "runtime/call/storage.hpp"
#include "runtime/plan/layer_kernels.hpp"

namespace tilewright {
namespace {

using Profiles = std::vector<const Profile*>;

// Ways that explain() names behind the one that serves.
constexpr std::size_t kExplainedOthers = 3;

std::size_t commands_before(const GemmPlan& plan) {
  const bool packs_b = !plan.pack_b.empty() && !plan.keeps_b;
  return std::size_t{!plan.pack_a.empty()} + std::size_t{packs_b} +
         std::size_t{!plan.pack_c.empty()};
}

std::size_t commands_behind(const GemmPlan& plan) {
  return std::size_t{!plan.unpack_c.empty()} + std::size_t{!plan.reduce.empty()} +
         std::size_t{!plan.finish.empty()};
}

// Whether the device can hold a temporary, and a kernel count its elements.
bool fits(const Storage& storage, const ServingLimits& limits) {
  if (!is_countable(storage)) return false;
  if (storage.image) {
    return storage.image_width() <= limits.max_image_width &&
           storage.image_height() <= limits.max_image_height;
  }
  return storage.elements <= limits.max_buffer_bytes / sizeof(float);
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

bool adds_up(const KernelRecord& record, const Storage& parts, const GemmProblem& problem,
             const Demand& demand) {
  return record.role == Role::kReduce && meets(record, demand) &&
         aligned(problem.c, record.alignment) &&
         aligned({nullptr, 0, parts.ld}, record.alignment) &&
         divides(record.alignment, problem.shape.n);
}

// Finds what must be done beside a kernel's product.
class Planner {
 public:
  Planner(const Profiles& profiles, const MeasuredTimes& times, const ServingLimits& limits,
          const GemmProblem& problem)
      : profiles_(profiles), times_(times), limits_(limits), problem_(problem) {}

  // The way to serve the problem with a kernel, if there is one.
  std::optional<GemmPlan> plan(const Profile& profile, const KernelRecord& record) const;

 private:
  bool bring_operands(GemmPlan& plan) const;
  bool bring_c(GemmPlan& plan) const;
  bool add_parts(GemmPlan& plan) const;
  bool finish(GemmPlan& plan) const;
  // The layout in which C is wanted.
  const Layout& layout_of_c() const {
    return problem_.held && problem_.held->c != nullptr ? *problem_.held->c : plain_;
  }
  bool is_plain_a() const {
    return !problem_.held || problem_.held->a == nullptr || *problem_.held->a == plain_;
  }
  bool find_pack(const Layout& from, const Storage& to, std::int64_t rows, std::int64_t columns,
                 const MatrixArgument& matrix, GemmPlan::Choices& choices, double& ns) const;
  template <class Can>
  bool find(const Can& can, GemmPlan::Choices& choices) const;
  bool find_move(const Way& way, GemmPlan::Choices& choices, double& ns) const;

  const Profiles& profiles_;
  const MeasuredTimes& times_;
  const ServingLimits& limits_;
  const GemmProblem& problem_;
  const Layout plain_ = Layout::R();
};

// Collects the kernels that fit and can; false if there are none. What they take is predicted for
// the first: the others only serve where it does not build.
template <class Can>
bool Planner::find(const Can& can, GemmPlan::Choices& choices) const {
  for (const Profile* profile : profiles_) {
    for (const KernelRecord& record : profile->kernels) {
      if (fits(record, limits_.device) && can(record)) choices.push_back(&record);
    }
  }
  return !choices.empty();
}

// The pack kernels that go that way: measured ones before others, those measured on a matrix of
// about this size before the rest, the fastest first.
bool Planner::find_move(const Way& way, GemmPlan::Choices& choices, double& ns) const {
  if (!find([&](const auto& record) { return goes(record, way); }, choices)) return false;
  constexpr double kNever = std::numeric_limits<double>::infinity();
  const double elements = elements_of(way.problem);
  const auto order = [&](const KernelRecord* record) {
    return times_.moved_pace(*record, elements).value_or(MovedPace{kNever, kNever});
  };
  std::stable_sort(choices.begin(), choices.end(),
                   [&](const auto* a, const auto* b) { return order(a) < order(b); });
  ns = times_.pack_ns(*choices.front(), way.problem);
  return true;
}

bool Planner::find_pack(const Layout& from, const Storage& to, std::int64_t rows,
                        std::int64_t columns, const MatrixArgument& matrix,
                        GemmPlan::Choices& choices, double& ns) const {
  const Way way{from, to.layout, to.image, pack_problem(to, rows, columns, matrix)};
  if (!fits(to, limits_)) return false;
  return find_move(way, choices, ns);
}

bool Planner::bring_operands(GemmPlan& plan) const {
  const KernelRecord& record = *plan.kernel;
  const GemmShape& shape = problem_.shape;
  // Nothing is read then, and there is nothing that could be packed; but an image must be one.
  if (shape.k == 0) return !record.images.a && !record.images.b;
  return (takes_a(record, problem_) ||
          (is_plain_a() && find_pack(layout_a_of(problem_.op), storage_a(record, shape), shape.m,
                                     shape.k, problem_.a, plan.pack_a, plan.times.pack_a_ns))) &&
         (takes_b(record, problem_) ||
          find_pack(layout_b_of(problem_.op), storage_b(record, shape), extents_b(problem_).rows,
                    extents_b(problem_).columns, problem_.b, plan.pack_b, plan.times.pack_b_ns));
}

bool Planner::bring_c(GemmPlan& plan) const {
  const KernelRecord& record = *plan.kernel;
  if (takes_c(record, problem_)) return true;
  if (layout_of_c() != Layout::R()) return false;
  const GemmShape& shape = problem_.shape;
  const Storage storage = storage_c(record, shape);
  const Way back{storage.layout, Layout::R(), false,
                 unpack_problem(storage, shape.m, shape.n, problem_.c)};
  if (!fits(storage, limits_)) return false;
  if (!find_move(back, plan.unpack_c, plan.times.unpack_c_ns)) return false;
  return problem_.beta == 0.0f || find_pack(Layout::R(), storage, shape.m, shape.n, problem_.c,
                                            plan.pack_c, plan.times.pack_c_ns);
}

bool Planner::add_parts(GemmPlan& plan) const {
  const Storage parts = storage_parts(*plan.kernel, problem_.shape);
  if (!fits(parts, limits_)) return false;
  plan.times.reduce_ns = times_.reduce_ns(parts, problem_);
  const auto add_with = [&](const Demand& demand) {
    return find([&](const auto& other) { return adds_up(other, parts, problem_, demand); },
                plan.reduce);
  };
  if (add_with(problem_.demand)) return true;
  return !problem_.demand.empty() && add_with({}) && finish(plan);
}

// What is demanded, in a pass of its own over C.
bool Planner::finish(GemmPlan& plan) const {
  const GemmShape& shape = problem_.shape;
  const bool gaps = layout_of_c() == Layout::R() && std::cmp_not_equal(problem_.c.ld, shape.n);
  LayerChoices choices =
      activations_in(profiles_, times_, limits_.device, problem_.demand, layout_of_c(), gaps);
  if (choices.kernels.empty()) return false;
  plan.finish = std::move(choices.kernels);
  plan.finish_along_memory = choices.along_memory;
  plan.times.finish_ns = times_.layer_ns(*plan.finish.front(), shape.m, shape.n);
  return true;
}

std::optional<GemmPlan> Planner::plan(const Profile& profile, const KernelRecord& record) const {
  const bool product = record.role == Role::kGemm || record.role == Role::kGemv;
  const bool fused = meets(record, problem_.demand);
  if (!product || !(fused || meets(record, {})) || !record.layout_b ||
      !fits(record, limits_.device) || !serves(record, problem_.shape) ||
      !(problem_.demand.empty() || problem_.beta == 0.0f)) {
    return std::nullopt;
  }
  // Parts are added up, and results unpacked, to rows only.
  const bool to_rows = layout_of_c() == plain_;
  if (!to_rows && (record.split_k > 1 || record.layout_c != layout_of_c())) return std::nullopt;
  GemmPlan plan;
  plan.shape = problem_.shape;
  plan.kernel = &record;
  plan.profile = &profile;
  plan.keeps_b = problem_.keeps_b;
  if (!bring_operands(plan)) return std::nullopt;
  if (plan.keeps_b) plan.times.pack_b_ns = 0.0;
  const bool split = record.split_k > 1;
  if (!(split ? add_parts(plan) : bring_c(plan))) return std::nullopt;
  if (!split && !fused && !finish(plan)) return std::nullopt;
  const Op op = op_of(record.layout_a, *record.layout_b);
  plan.times.kernel_ns = times_.kernel_ns(record, op, problem_.shape);
  plan.times.doubt_ns =
      plan.times.kernel_ns.value_or(0.0) * times_.doubt(record, op, problem_.shape);
  plan.times.compared = times_.is_compared(profile, op);
  plan.times.launches_ns = times_.commands().of(commands_before(plan), commands_behind(plan));
  return plan;
}

std::string microseconds(double ns) {
  return fmt::format("{:.3g} us", ns / 1e3);
}

std::string time_of(const GemmPlan& plan) {
  const PlanTimes& times = plan.times;
  if (!times.compared) {
    return "of a tuning that ended before it was compared with the built-in kernels";
  }
  if (times.kernel_ns && times.doubt_ns > 0.0) {
    return fmt::format("predicted {} (ranked as {}, for want of a result near this shape)",
                       microseconds(times.total_ns()), microseconds(times.ranking_ns()));
  }
  if (times.kernel_ns) return "predicted " + microseconds(times.total_ns());
  return plan.profile->kind == ProfileKind::kGeneric ? "built-in kernel, never measured"
                                                     : "no measured result for this op";
}

}  // namespace

std::vector<GemmPlan> rank_plans(const Profiles& profiles, const ServingLimits& limits,
                                 const GemmProblem& problem) {
  return rank_plans(profiles, MeasuredTimes(profiles), limits, problem);
}

std::vector<GemmPlan> rank_plans(const Profiles& profiles, const MeasuredTimes& times,
                                 const ServingLimits& limits, const GemmProblem& problem) {
  const Planner planner(profiles, times, limits, problem);
  std::vector<GemmPlan> plans;
  for (const Profile* profile : profiles) {
    for (const KernelRecord& record : profile->kernels) {
      if (auto plan = planner.plan(*profile, record)) plans.push_back(std::move(*plan));
    }
  }
  std::stable_sort(plans.begin(), plans.end(), [](const GemmPlan& a, const GemmPlan& b) {
    const auto key = [](const GemmPlan& plan) {
      return std::pair(plan.times.rank(), plan.times.ranking_ns());
    };
    return key(a) < key(b);
  });
  return plans;
}

std::string reason_of(const GemmPlan& plan) {
  const PlanTimes& times = plan.times;
  std::string reason = time_of(plan);
  const auto add = [&](bool done, const std::string& what, double ns) {
    if (done) reason += fmt::format(", {} ({})", what, microseconds(ns));
  };
  // Alone, the kernel's time is the sum.
  const bool alone = commands_before(plan) + commands_behind(plan) == 0;
  add(times.kernel_ns && !alone, "kernel", times.kernel_ns.value_or(0.0));
  add(!plan.pack_a.empty(), "A is packed first", times.pack_a_ns);
  add(!plan.pack_b.empty() && !plan.keeps_b, "B is packed first", times.pack_b_ns);
  if (!plan.pack_b.empty() && plan.keeps_b) reason += ", B is packed once";
  add(!plan.pack_c.empty(), "C is packed first", times.pack_c_ns);
  add(!plan.unpack_c.empty(), "C is unpacked after", times.unpack_c_ns);
  add(!plan.reduce.empty(), fmt::format("k is split into {} parts", plan.kernel->split_k),
      times.reduce_ns);
  add(!plan.finish.empty(), "bias and activation after it", times.finish_ns);
  add(times.launches_ns > 0.0, "launching the rest", times.launches_ns);
  return reason;
}

std::string explain(const std::vector<GemmPlan>& plans, const KernelRecord& served,
                    const std::function<std::string(const GemmPlan&)>& why_passed_over) {
  std::string winner;
  std::string others;
  std::size_t after = 0;
  for (const GemmPlan& plan : plans) {
    if (plan.kernel == &served) {
      winner = fmt::format("{}: {}", served.name, reason_of(plan));
    } else if (winner.empty()) {
      others += fmt::format("\n  passed over, since {}: {}: {}", why_passed_over(plan),
                            plan.kernel->name, time_of(plan));
    } else if (after++ < kExplainedOthers) {
      others += fmt::format("\n  next: {}: {}", plan.kernel->name, time_of(plan));
    }
  }
  return winner + others;
}

std::size_t alignment_of(const MatrixArgument& matrix, std::size_t most) {
  return std::gcd(std::gcd(matrix.offset, matrix.ld), most);
}

}  // namespace tilewright
