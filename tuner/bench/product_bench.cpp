// Measures a product: its operands, the check of its results, and the competitors.
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "runtime/call/opencl_error.hpp"
#include "runtime/check/host_product.hpp"
#include "runtime/complex/complex_product.hpp"
#include "runtime/device/allocate_buffer.hpp"
#include "runtime/device/profile_search.hpp"
#include "tuner/bench/bench_worker.hpp"
#include "tuner/journal/records/shapes.hpp"
#include "tuner/measure/device/profile_choice.hpp"
#include "tuner/process/worker_lines.hpp"

namespace tilewright {
namespace {

constexpr int kCheckedElements = 32;
// Elements per second that even a slow machine generates and copies.
constexpr double kSlowElementsPerSecond = 1e7;

// A matrix as stored; `ld` counts complex numbers, whose parts are interleaved.
struct HostMatrix {
  std::vector<double> elements;
  std::size_t ld = 1;
};

// A random sample of the elements of C with their correct values.
class ProductCheck {
 public:
  ProductCheck(const ProductArena& arena, std::mt19937_64& random);

  // Fills C with NaN. Otherwise a competitor that writes nothing would pass with the result of the
  // previous one.
  void spoil_c() const {
    const Matrix& c = arena_.workload.c();
    const std::vector<std::byte> nan(c.buffer.getInfo<CL_MEM_SIZE>(), std::byte{0xff});
    check_opencl(write_bytes(arena_.on.queue, c.buffer, 0, nan), "filling a buffer (C)");
  }
  // Throws WrongResult if an element is wrong.
  void check(const std::string& name, ProductCompetitor& competitor) const;

 private:
  const ProductArena& arena_;
  Elements at_;
  std::vector<ProductElement> expected_;
};

// The real or imaginary part of a complex element is a product of 2 k reals.
ProductElement expected_element(const GemmProblem& problem, const HostMatrix& a,
                                const HostMatrix& b, std::int64_t row, std::int64_t column,
                                bool imaginary) {
  const std::size_t reals = problem.complex ? 2 : 1;
  const auto at = [&](const HostMatrix& matrix, bool transposed, std::int64_t i, std::int64_t j) {
    if (transposed) std::swap(i, j);
    return &matrix.elements[reals * (static_cast<std::size_t>(i) * matrix.ld +
                                     static_cast<std::size_t>(j))];
  };
  std::vector<double> xs;
  std::vector<double> ys;
  for (std::int64_t p = 0; p < problem.shape.k; ++p) {
    const double* x = at(a, op_layout_a(problem.op) == Layout::C(), row, p);
    const double* y = at(b, op_layout_b(problem.op) == Layout::C(), p, column);
    xs.insert(xs.end(), x, x + reals);
    ys.push_back(imaginary ? y[1] : y[0]);
    if (problem.complex) ys.push_back(imaginary ? y[0] : -y[1]);
  }
  const GemmShape shape{1, 1, static_cast<std::int64_t>(xs.size())};
  return host_product(shape, 1.0, xs, ys, 0.0, {}, problem.precision).front();
}

ProductCheck::ProductCheck(const ProductArena& arena, std::mt19937_64& random) : arena_(arena) {
  const Workload& workload = arena.workload;
  const GemmProblem& problem = workload.problem();
  const auto host = [&](const Matrix& matrix) {
    return HostMatrix{download(arena.on.queue, matrix.buffer, problem.precision), matrix.ld};
  };
  const HostMatrix a = host(workload.a());
  const HostMatrix b = host(workload.b());
  const auto below = [&](std::int64_t end) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(end));
  };
  for (int i = 0; i < kCheckedElements; ++i) {
    const std::int64_t row = below(problem.shape.m);
    const std::int64_t column = below(problem.shape.n);
    const int parts = problem.complex ? 2 : 1;
    for (int part = 0; part < parts; ++part) {
      at_.emplace_back(row, parts * column + part);
      expected_.push_back(expected_element(problem, a, b, row, column, part == 1));
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
    throw WrongResult(fmt::format("{} computes C({}, {}) = {} instead of {} +- {}", name,
                                  at_[i].first, at_[i].second, got[i], expected_[i].value, bound));
  }
}

// The product computed by one plan, which need not be the library's choice.
class PlanProduct : public DeviceProduct {
 public:
  PlanProduct(const Executor& executor, TemporaryPool& pool, Route route, const ProductArena& arena)
      : DeviceProduct(arena), executor_(executor), pool_(pool), route_(std::move(route)) {}

  std::vector<std::string> kernels() override {
    std::vector<std::string> names;
    for (const LoadedKernel* kernel : route_.in_order()) names.push_back(kernel->record().name);
    return names;
  }

  int half_sums() const override {
    int steps = 0;
    for (const LoadedKernel* kernel : route_.in_order()) {
      steps = std::max(steps, kernel->record().accumulate_k);
    }
    return steps;
  }

  void run() override {
    check_opencl(
        enqueue(executor_, &pool_, arena_.on.queue, route_, arena_.workload.problem(), {}).wait(),
        "clWaitForEvents");
  }

 private:
  const Executor& executor_;
  TemporaryPool& pool_;
  Route route_;
};

}  // namespace

ProductBench::ProductBench(BenchSession& session, const BenchRequest& request)
    : ProductBench(session,
                   find_profile(request.source(), default_search_path(), session.device.identity)) {
}

ProductBench::ProductBench(BenchSession& session, FoundProfile found)
    : session_(session),
      plans_(session.on.context, session.device, std::move(found.profile), false,
             take_fallback(found)),
      temporaries_(session.on.context, session.device.device) {}

template <class MakeItem>
void ProductBench::add_plans(const BenchRequest& request, const ProductArena& arena,
                             const MakeItem& item, BenchReply& reply,
                             std::vector<BenchItem>& items) {
  std::size_t added = 0;
  for (const GemmPlan& plan : plans_.rank(arena.workload.problem())) {
    if (request.max_plans > 0 && added == request.max_plans) break;
    // Of the built-in profile, only the plan that would run without another profile.
    if (added > 0 && plan.profile != &plans_.profile()) continue;
    const std::string& kernel = plan.kernel().name;
    if (request.is_excluded(kernel) || request.is_excluded(plan.kernel().point)) continue;
    if (plan.times.total_ns() > request.max_dispatch_ns) {
      reply.result.left_out.push_back(
          fmt::format("{} ({:.0f} ms)", kernel, 1e-6 * plan.times.total_ns()));
      continue;
    }
    session_.announce({WorkerActivityKind::kBuild, kernel, 0.0, plan.kernel().point});
    std::string why;
    auto route = plans_.load(plan, why);
    if (!route) continue;
    ++added;
    auto product =
        std::make_shared<PlanProduct>(plans_.executor(), temporaries_, std::move(*route), arena);
    BenchFigure figure{FigureKind::kPlan, "", product->kernels()};
    figure.name = fmt::format("{}", fmt::join(figure.kernels, "+"));
    if (plan.times.has_time()) figure.predicted_ns = plan.times.total_ns();
    const std::string what = fmt::format("{} on {}", figure.name, request.title());
    if (!request.is_excluded(what)) items.push_back(item(std::move(figure), what, product));
  }
}

void ProductBench::answer(const BenchRequest& request, BenchReply& reply) {
  const Announce& announce = session_.announce;
  const std::string title = request.title();
  const auto& [m, n, k] = request.shape;
  announce({WorkerActivityKind::kStart, "operands of " + title,
            static_cast<double>(m * k + k * n + m * n) / kSlowElementsPerSecond});
  const Workload workload(session_.on.context, request.precision, request.op, request.shape,
                          request.seed, request.complex);
  const ProductArena arena{session_.on, workload};
  const GemmProblem& problem = workload.problem();
  const ProductCheck check(arena, session_.random);
  const auto item = [&](BenchFigure figure, const std::string& what,
                        std::shared_ptr<ProductCompetitor> competitor) {
    // A complex product has the operations of four real products.
    figure.work = (problem.complex ? 4.0 : 1.0) * flops(problem.shape);
    BenchItem made = competitor_item(std::move(figure), what, competitor);
    made.prepare = [&check] { check.spoil_c(); };
    made.check = [&check, competitor, name = made.figure.name] { check.check(name, *competitor); };
    const KernelRecord* kernel = product_kernel(competitor->kernels(), plans_.profiles());
    if (kernel != nullptr) made.kernel = kernel->point;
    return made;
  };
  std::vector<BenchItem> items;
  const std::vector<GemmPlan> plans =
      plans_.rank(problem.complex ? *equivalent_real_product(problem) : problem);
  const std::string building = fmt::format("the kernels for {}, the best predicted one {}", title,
                                           plans.empty() ? "none" : plans[0].kernel().name);
  if (!request.is_excluded(building)) {
    announce(
        {WorkerActivityKind::kBuild, building, 0.0, plans.empty() ? "" : plans[0].kernel().point});
    const std::vector<std::string> kernels = session_.library->kernels_for(to_gemm_call(problem));
    const std::string what = fmt::format("{} on {}", fmt::join(kernels, "+"), title);
    if (!request.is_excluded(what)) {
      items.push_back(
          item({FigureKind::kOwn, "tilewright", kernels}, what,
               library_product(session_.library, max_half_sums(plans_.profile()), arena)));
    }
  }
  session_.add_competitors(
      request, reply,
      [&](const std::string& name) { return session_.competitors.product(name, arena); }, item,
      items);
  if (request.all_plans) add_plans(request, arena, item, reply, items);
  std::erase_if(items, [&](const BenchItem& each) { return request.is_excluded(each.kernel); });
  items.push_back(session_.floor_item());
  reply.result.figures =
      measure_in_turns(items, request.seconds, session_.random, announce, reply.waits);
  if (!session_.energy) return;
  session_.energy->measure(items, session_.random, announce, reply.result.figures);
  reply.energy = session_.energy->conditions();
}

}  // namespace tilewright
