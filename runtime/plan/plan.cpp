#include "runtime/plan/plan.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <tuple>
#include <utility>

#include "profiles/round_up.hpp"
#include "runtime/call/storage.hpp"
#include "runtime/plan/batch.hpp"
#include "runtime/plan/layer_kernels.hpp"
#include "runtime/plan/plan_order.hpp"

namespace tilewright {
namespace {

using Profiles = std::vector<const Profile*>;

// Number of commands before and after the product.
struct Commands {
  std::size_t before = 0;
  std::size_t after = 0;
};

Commands count_commands(const GemmPlan& plan) {
  Commands count;
  for (const StepFacts& facts : kCallSteps) {
    if (facts.step == CallStep::kGemm || !plan.runs(facts.step)) continue;
    ++(facts.step < CallStep::kGemm ? count.before : count.after);
  }
  return count;
}

// True if the device can hold a temporary, and a kernel can count its elements.
bool fits(const Storage& storage, const DeviceInfo& device) {
  if (!is_countable(storage)) return false;
  if (storage.image) {
    return storage.image_width() <= device.max_image_width &&
           storage.image_height() <= device.max_image_height;
  }
  return storage.bytes() <= device.max_buffer_bytes;
}

bool aligned(const MatrixArgument& matrix, int alignment) {
  return matrix.is_aligned(static_cast<std::size_t>(alignment));
}

bool divides(std::int64_t divisor, std::int64_t value) {
  return value % divisor == 0;
}

// Conversion of a matrix from one layout to another.
struct Move {
  Layout from;
  Layout to;
  bool to_image = false;
  PackProblem problem;
  Precision precision = Precision::kSingle;
};

bool can_convert(const KernelRecord& record, const Move& move) {
  const PackProblem& problem = move.problem;
  const bool columns_first = record.layout_a == Layout::C();
  return record.role == Role::kPack && record.precision == move.precision &&
         record.layout_a == move.from && record.layout_c == move.to &&
         record.images.c == move.to_image && divides(record.multiples.m, problem.padded_rows) &&
         divides(record.multiples.n, problem.padded_columns) &&
         (!move.from.is_plain() || aligned(problem.from, record.alignment)) &&
         (!move.to.is_plain() || aligned(problem.to, record.alignment)) &&
         divides(record.alignment, problem.columns) &&
         (!columns_first || divides(record.alignment, problem.rows));
}

bool can_reduce(const KernelRecord& record, const Storage& parts, const GemmProblem& problem,
                const LayerEpilogue& epilogue) {
  return record.role == Role::kReduce && record.precision == problem.precision &&
         implements_epilogue(record, epilogue) && aligned(problem.c, record.alignment) &&
         aligned({nullptr, 0, parts.ld}, record.alignment) &&
         divides(record.alignment, problem.shape.n);
}

// Finds the additional steps that a kernel's product needs.
class Planner {
 public:
  Planner(const Profiles& profiles, const MeasuredTimes& times, const DeviceInfo& device,
          const GemmProblem& problem)
      : profiles_(profiles), times_(times), device_(device), problem_(problem) {}

  // Returns the plan for the problem with a given kernel, or nullopt.
  std::optional<GemmPlan> plan(const Profile& profile, const KernelRecord& record) const;

 private:
  bool bring_operands(GemmPlan& plan) const;
  bool bring_c(GemmPlan& plan) const;
  bool add_parts(GemmPlan& plan) const;
  bool finish(GemmPlan& plan) const;
  TimeEvidence evidence(const Profile& profile, const KernelRecord& record, bool has_time) const;
  void repeat(GemmPlan& plan, bool alone) const;
  bool find_pack(GemmPlan& plan, CallStep step, const Layout& from, const Storage& to,
                 std::int64_t rows, std::int64_t columns, const MatrixArgument& matrix) const;
  template <class Can>
  bool find(const Can& can, GemmPlan::Choices& choices) const;
  bool find_move(GemmPlan& plan, CallStep step, const Move& move) const;

  const Profiles& profiles_;
  const MeasuredTimes& times_;
  const DeviceInfo& device_;
  const GemmProblem& problem_;
};

// Collects the kernels that fit and for which `can` returns true; returns false if there are none.
// Times are predicted for the first one; the others are used only if it does not build.
template <class Can>
bool Planner::find(const Can& can, GemmPlan::Choices& choices) const {
  for (const Profile* profile : profiles_) {
    for (const KernelRecord& record : profile->kernels) {
      if (fits(record, device_.identity.limits) && can(record)) choices.push_back(&record);
    }
  }
  return !choices.empty();
}

// Finds the pack kernels for a conversion. Measured kernels come before others, and those measured
// on a matrix of about this size before the rest; then the fastest first.
bool Planner::find_move(GemmPlan& plan, CallStep step, const Move& move) const {
  GemmPlan::Choices& choices = plan.choices[step];
  if (!find([&](const auto& record) { return can_convert(record, move); }, choices)) return false;
  constexpr double kNever = std::numeric_limits<double>::infinity();
  const double elements = written_elements(move.problem);
  const auto order = [&](const KernelRecord* record) {
    return times_.auxiliary_rate(*record, elements).value_or(AuxiliaryRate{kNever, kNever});
  };
  std::stable_sort(choices.begin(), choices.end(),
                   [&](const auto* a, const auto* b) { return order(a) < order(b); });
  plan.times.ns[step] = times_.pack_ns(*choices.front(), move.problem);
  const bool counts = !(plan.b_prepacked && step == CallStep::kPackB);
  if (counts && !times_.auxiliary_rate(*choices.front(), elements)) plan.times.doubtful = true;
  return true;
}

bool Planner::find_pack(GemmPlan& plan, CallStep step, const Layout& from, const Storage& to,
                        std::int64_t rows, std::int64_t columns,
                        const MatrixArgument& matrix) const {
  const Move move{from, to.layout, to.image, pack_problem(to, rows, columns, matrix),
                  problem_.precision};
  return fits(to, device_) && find_move(plan, step, move);
}

bool Planner::bring_operands(GemmPlan& plan) const {
  const KernelRecord& record = plan.kernel();
  const GemmShape& shape = problem_.shape;
  // If k is 0, nothing is read and nothing can be packed. Kernels that read images are excluded,
  // because an image must exist.
  if (shape.k == 0) return !record.images.a && !record.images.b;
  return (accepts_a(record, problem_) ||
          find_pack(plan, CallStep::kPackA, op_layout_a(problem_.op), storage_a(record, shape),
                    shape.m, shape.k, problem_.a)) &&
         (accepts_b(record, problem_) ||
          find_pack(plan, CallStep::kPackB, op_layout_b(problem_.op), storage_b(record, shape),
                    shape.k, shape.n, problem_.b));
}

bool Planner::bring_c(GemmPlan& plan) const {
  const KernelRecord& record = plan.kernel();
  if (accepts_c(record, problem_)) return true;
  const GemmShape& shape = problem_.shape;
  const Storage storage = storage_c(record, shape);
  const Move back{storage.layout, Layout::R(), false,
                  unpack_problem(storage, shape.m, shape.n, problem_.c), problem_.precision};
  if (!fits(storage, device_)) return false;
  if (!find_move(plan, CallStep::kUnpackC, back)) return false;
  return problem_.beta == 0.0 ||
         find_pack(plan, CallStep::kPackC, Layout::R(), storage, shape.m, shape.n, problem_.c);
}

bool Planner::add_parts(GemmPlan& plan) const {
  const Storage parts = storage_parts(plan.kernel(), problem_.shape, plan.parts);
  if (!fits(parts, device_)) return false;
  plan.times.ns[CallStep::kReduce] = times_.reduce_ns(parts, plan.parts, problem_);
  const auto add_with = [&](const LayerEpilogue& epilogue) {
    return find([&](const auto& other) { return can_reduce(other, parts, problem_, epilogue); },
                plan.choices[CallStep::kReduce]);
  };
  if (add_with(problem_.epilogue)) return true;
  return !problem_.epilogue.empty() && add_with({}) && finish(plan);
}

// Applies the epilogue in a separate pass over C.
bool Planner::finish(GemmPlan& plan) const {
  const GemmShape& shape = problem_.shape;
  GemmPlan::Choices choices =
      rank_activations(profiles_, times_, device_.identity.limits, problem_.precision,
                       problem_.epilogue, std::cmp_not_equal(problem_.c.ld, shape.n));
  if (choices.empty()) return false;
  plan.times.ns[CallStep::kFinish] = times_.layer_ns(*choices.front(), shape.m, shape.n);
  plan.choices[CallStep::kFinish] = std::move(choices);
  return true;
}

// Computes the times of a whole batch, or of the part that fits into one launch. If only a batched
// kernel runs, one launch computes all products, as if they were stacked in one matrix; otherwise
// the products run one after the other. Measured results are for a single product.
void Planner::repeat(GemmPlan& plan, bool alone) const {
  const KernelRecord& record = plan.kernel();
  PlanTimes& times = plan.times;
  const auto count =
      static_cast<std::int64_t>(std::min(problem_.batch.count, kMaxProductsPerLaunch));
  if (alone && record.batched) {
    GemmShape all = plan.shape;
    all.m = count * round_up(all.m, record.tile.m);
    times.ns[CallStep::kGemm] = times_.kernel_ns(record, all).value_or(0.0);
    if (times.known()) times.evidence = TimeEvidence::kPredicted;
  } else {
    const double launch_ns = times_.commands().after_ns;
    for (const StepFacts& facts : kCallSteps) times.ns[facts.step] *= static_cast<double>(count);
    times.launches_ns += static_cast<double>(count - 1) * (times.launches_ns + launch_ns);
  }
}

TimeEvidence Planner::evidence(const Profile& profile, const KernelRecord& record,
                               bool has_time) const {
  if (profile.kind == ProfileKind::kGeneric) {
    return has_time ? TimeEvidence::kGuessed : TimeEvidence::kUnmeasuredBuiltIn;
  }
  if (!has_time) return TimeEvidence::kUnmeasured;
  if (times_.is_measured_on(record, problem_.shape)) return TimeEvidence::kMeasuredHere;
  if (!times_.reaches(record, problem_.shape)) return TimeEvidence::kLargerOnly;
  return times_.is_tuned(problem_.precision, problem_.op, problem_.shape)
             ? TimeEvidence::kUntuned
             : TimeEvidence::kPredicted;
}

std::optional<GemmPlan> Planner::plan(const Profile& profile, const KernelRecord& record) const {
  const bool product = is_product(record.role);
  const bool fused = implements_epilogue(record, problem_.epilogue);
  if (!product || record.precision != problem_.precision ||
      !(fused || implements_epilogue(record, {})) || !record.layout_b ||
      !fits(record, device_.identity.limits) || !supports(record, problem_.shape) ||
      !(problem_.epilogue.empty() || problem_.beta == 0.0) ||
      (record.accumulate_k > 0 && (problem_.float_sums || !problem_.epilogue.empty()))) {
    return std::nullopt;
  }
  GemmPlan plan;
  plan.shape = problem_.shape;
  plan.choices[CallStep::kGemm] = {&record};
  plan.profile = &profile;
  plan.b_prepacked = problem_.b_prepacked;
  if (record.stream_k > 0) {
    if (!problem_.epilogue.empty()) return std::nullopt;
    plan.division = divide_for_units(record, problem_.shape, device_.identity.compute_units);
    plan.parts = partial_products(*plan.division);
  } else if (record.split_k > 1) {
    plan.parts.count = record.split_k;
  }
  if (!bring_operands(plan)) return std::nullopt;
  if (plan.b_prepacked) plan.times.ns[CallStep::kPackB] = 0.0;
  const bool has_parts = plan.parts.count > 0;
  if (record.split_k == 1 && !bring_c(plan)) return std::nullopt;
  if (has_parts && (plan.runs(CallStep::kUnpackC) || !add_parts(plan))) return std::nullopt;
  if (!has_parts && !fused && !finish(plan)) return std::nullopt;
  const std::optional<double> kernel_ns = times_.kernel_ns(record, problem_.shape);
  plan.times.ns[CallStep::kGemm] = kernel_ns.value_or(0.0);
  plan.times.evidence = evidence(profile, record, kernel_ns.has_value());
  plan.times.doubtful = plan.times.doubtful || times_.is_far(record, problem_.shape);
  plan.times.model_error = times_.model_error(record);
  const Commands commands = count_commands(plan);
  plan.times.launches_ns = times_.commands().of(commands.before, commands.after);
  if (problem_.batch.count > 1) repeat(plan, commands.before + commands.after == 0);
  return plan;
}

// The kernel that runs without the tuned profile; null: there is none.
const KernelRecord* kernel_without_tuned(const MeasuredTimes::BuiltIn& built_in,
                                         const DeviceInfo& device, const GemmProblem& problem) {
  const Planner planner(built_in.profiles, built_in.times, device, problem);
  std::optional<GemmPlan> best;
  for (const Profile* profile : built_in.profiles) {
    for (const KernelRecord& record : profile->kernels) {
      auto plan = planner.plan(*profile, record);
      if (plan && (!best || goes_before(*plan, *best))) best = std::move(plan);
    }
  }
  return best ? &best->kernel() : nullptr;
}

}  // namespace

std::uint64_t temporary_bytes(const GemmPlan& plan) {
  const KernelRecord& kernel = plan.kernel();
  std::uint64_t bytes = 0;
  if (plan.runs(CallStep::kPackA)) bytes += storage_a(kernel, plan.shape).bytes();
  if (plan.runs(CallStep::kPackB)) bytes += storage_b(kernel, plan.shape).bytes();
  if (plan.runs(CallStep::kReduce)) {
    bytes += storage_parts(kernel, plan.shape, plan.parts).bytes();
  }
  if (plan.runs(CallStep::kUnpackC)) bytes += storage_c(kernel, plan.shape).bytes();
  return bytes;
}

std::vector<GemmPlan> rank_plans(const Profiles& profiles, const DeviceInfo& device,
                                 const GemmProblem& problem) {
  return rank_plans(profiles, MeasuredTimes(profiles), device, problem);
}

std::vector<GemmPlan> rank_plans(const Profiles& profiles, const MeasuredTimes& times,
                                 const DeviceInfo& device, const GemmProblem& problem) {
  const Planner planner(profiles, times, device, problem);
  std::vector<GemmPlan> plans;
  for (const Profile* profile : profiles) {
    for (const KernelRecord& record : profile->kernels) {
      if (auto plan = planner.plan(*profile, record)) plans.push_back(std::move(*plan));
    }
  }
  std::stable_sort(plans.begin(), plans.end(), goes_before);
  if (const MeasuredTimes::BuiltIn* built_in = times.without_tuned()) {
    const KernelRecord* kernel = kernel_without_tuned(*built_in, device, problem);
    if (kernel != nullptr) prefer_covering_profile(plans, profiles, *kernel);
  }
  return plans;
}

std::size_t common_alignment(const MatrixArgument& matrix, std::size_t most) {
  return std::gcd(std::gcd(std::gcd(matrix.offset, matrix.ld), matrix.start_alignment), most);
}

}  // namespace tilewright
