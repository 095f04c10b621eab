// How a product is measured: its operands, the check of its results, and who takes part.
#include <fmt/format.h>

#include <cmath>

#include "runtime/call/opencl_error.hpp"
#include "runtime/check/host_product.hpp"
#include "runtime/complex/complex_product.hpp"
#include "runtime/device/allocate_buffer.hpp"
#include "tuner/bench/bench_worker.hpp"
#include "tuner/bench/profile_choice.hpp"
#include "tuner/journal/records/shapes.hpp"

namespace tilewright {
namespace {

constexpr int kCheckedElements = 32;
// Operand elements made and copied, on a machine that is slow beyond doubt.
constexpr double kSlowElementsPerSecond = 1e7;

double operand_elements(const GemmShape& shape) {
  return static_cast<double>(shape.m * shape.k + shape.k * shape.n + shape.m * shape.n);
}

// A product of complex numbers has four products of their parts, and adds as many.
double count_operations(const GemmProblem& problem) {
  return (problem.complex ? 4.0 : 1.0) * flops(problem.shape);
}

// Random elements of C with their right values.
class ProductCheck {
 public:
  ProductCheck(const ProductArena& arena, std::mt19937_64& random);

  // NaN in all of C, so that a competitor which writes nothing does not pass with the result of the
  // one before it.
  void spoil_c() const {
    const Matrix& c = arena_.workload.c();
    const std::vector<std::byte> nan(c.buffer.getInfo<CL_MEM_SIZE>(), std::byte{0xff});
    check_opencl(write_bytes(arena_.on.queue, c.buffer, 0, nan), "filling a buffer (C)");
  }
  // Throws Error if an element is wrong.
  void check(const std::string& name, ProductCompetitor& competitor) const;

 private:
  const ProductArena& arena_;
  Elements at_;
  std::vector<ProductElement> expected_;
};

ProductCheck::ProductCheck(const ProductArena& arena, std::mt19937_64& random) : arena_(arena) {
  const Workload& workload = arena.workload;
  const GemmProblem& problem = workload.problem();
  const auto host = [&](const Matrix& matrix) {
    return HostMatrix{download(arena.on.queue, matrix.buffer, problem.precision), 0, matrix.ld};
  };
  const HostMatrix a = host(workload.a());
  const HostMatrix b = host(workload.b());
  const auto below = [&](std::int64_t end) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(end));
  };
  for (int i = 0; i < kCheckedElements; ++i) {
    const std::int64_t row = below(problem.shape.m);
    const std::int64_t column = below(problem.shape.n);
    if (!problem.complex) {
      at_.emplace_back(row, column);
      expected_.push_back(host_product(problem.op, problem.shape, 1.0, a, b, 0.0, {}, row, column,
                                       problem.precision));
      continue;
    }
    for (const bool imaginary : {false, true}) {
      at_.emplace_back(row, 2 * column + (imaginary ? 1 : 0));
      expected_.push_back(host_complex_product(problem.op, problem.shape, a, b, row, column,
                                               imaginary, problem.precision));
    }
  }
}

void ProductCheck::check(const std::string& name, ProductCompetitor& competitor) const {
  const GemmProblem& problem = arena_.workload.problem();
  const int half_sums = problem.precision == Precision::kHalf ? competitor.half_sums() : 0;
  const std::vector<double> got = competitor.result_at(at_);
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double bound = with_half_sums(expected_[i], half_sums, problem.shape.k, 1.0).bound;
    if (std::abs(got[i] - expected_[i].value) <= bound) continue;
    throw Error(TW_INTERNAL,
                fmt::format("{} computes C({}, {}) = {} instead of {} +- {}: nothing is measured",
                            name, at_[i].first, at_[i].second, got[i], expected_[i].value, bound));
  }
}

}  // namespace

ProductBench::ProductBench(BenchSession& session, const BenchRequest& request)
    : session_(session),
      plans_(session.on.context, session.device, choose_profile(request.profile)) {}

void ProductBench::measure(const BenchRequest& request, BenchReply& reply) {
  const Announce& announce = session_.announce;
  const std::string title = request.title();
  announce({WorkerActivityKind::kStart, "operands of " + title,
            operand_elements(request.shape) / kSlowElementsPerSecond});
  const Workload workload(session_.on.context, request.precision, request.op, request.shape,
                          request.seed, request.complex);
  const ProductArena arena{session_.on, workload};
  const GemmProblem& problem = workload.problem();
  const ProductCheck check(arena, session_.random);
  const auto item = [&](BenchFigure figure, const std::string& what,
                        std::shared_ptr<ProductCompetitor> competitor) {
    figure.work = count_operations(problem);
    BenchItem made = make_item(std::move(figure), what, competitor);
    made.prepare = [&check] { check.spoil_c(); };
    made.check = [&check, competitor, name = made.figure.name] { check.check(name, *competitor); };
    return made;
  };
  std::vector<BenchItem> items;
  const std::string label = fmt::format(
      "the kernels that serve {}, first of all {}", title,
      plans_.first_kernel(problem.complex ? *equivalent_real_product(problem) : problem));
  if (!request.is_excluded(label)) {
    announce({WorkerActivityKind::kBuild, label});
    const std::vector<std::string> kernels = session_.library.kernels_for(to_gemm_call(problem));
    const std::string what = fmt::format("{} on {}", fmt::join(kernels, "+"), title);
    if (!request.is_excluded(what)) {
      items.push_back(item({FigureKind::kOwn, "tilewright", kernels}, what,
                           library_product(session_.library, plans_.half_sums(), arena)));
    }
  }
  session_.add_competitors(
      request, reply,
      [&](const std::string& name) { return session_.competitors.product(name, arena); }, item,
      items);
  if (request.all_plans) {
    const PlanLimits limits{request.max_dispatch_ns, request.excluded, request.max_plans};
    for (RunnablePlan& plan : plans_.of(arena, limits, announce, reply.result.left_out)) {
      const std::string name = fmt::format("{}", fmt::join(plan.kernels, "+"));
      const std::string what = fmt::format("{} on {}", name, title);
      BenchFigure figure{FigureKind::kPlan, name, plan.kernels};
      figure.predicted_ns = plan.predicted_ns;
      if (request.is_excluded(what)) continue;
      items.push_back(item(std::move(figure), what, std::move(plan.competitor)));
    }
  }
  items.push_back(session_.floor_item());
  reply.result.figures = measure_in_turns(items, request.seconds, session_.random, announce);
}

}  // namespace tilewright
