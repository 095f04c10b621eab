#include "tuner/bench/benchmark.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>

#include "runtime/call/opencl_error.hpp"
#include "runtime/check/host_product.hpp"
#include "runtime/complex/complex_product.hpp"
#include "runtime/device/own_buffer.hpp"
#include "tuner/bench/product_request.hpp"
#include "tuner/bench/profile_choice.hpp"
#include "tuner/bench/profile_plans.hpp"
#include "tuner/measure/turns.hpp"
#include "tuner/rates/launch_floor.hpp"
#include "tuner/records/shapes.hpp"

namespace tilewright {
namespace {

constexpr int kCheckedElements = 32;
// Of a machine that is slow beyond doubt: what waits for it is to be patient.
constexpr double kSlowFlopsPerSecond = 1e9;
constexpr double kSlowElementsPerSecond = 1e7;  // made up and copied

double operand_elements(const GemmShape& shape) {
  return static_cast<double>(shape.m * shape.k + shape.k * shape.n + shape.m * shape.n);
}

// So that a competitor which writes nothing is not taken for right on what the one before it wrote.
void poison(const cl::CommandQueue& queue, const Matrix& c) {
  // NaN in every precision.
  const std::vector<std::byte> nan(c.buffer.getInfo<CL_MEM_SIZE>(), std::byte{0xff});
  check_opencl(write_bytes(queue, c.buffer, 0, nan), "filling a buffer (C)");
}

// Random elements of C with their right values.
struct Checks {
  std::vector<std::pair<std::int64_t, std::int64_t>> at;
  std::vector<ProductElement> expected;
};

Checks make_checks(const cl::CommandQueue& queue, const Workload& workload,
                   std::mt19937_64& random) {
  const Precision precision = workload.problem().precision;
  const bool complex = workload.problem().complex.has_value();
  const HostMatrix a{download(queue, workload.a().buffer, precision), 0, workload.a().ld};
  const HostMatrix b{download(queue, workload.b().buffer, precision), 0, workload.b().ld};
  Checks checks;
  for (int i = 0; i < kCheckedElements; ++i) {
    const auto row =
        static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(workload.shape().m));
    const auto column =
        static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(workload.shape().n));
    if (complex) {
      for (const bool imaginary : {false, true}) {
        checks.at.emplace_back(row, 2 * column + (imaginary ? 1 : 0));
        checks.expected.push_back(host_complex_product(workload.problem().op, workload.shape(), a,
                                                       b, row, column, imaginary, precision));
      }
      continue;
    }
    checks.at.emplace_back(row, column);
    checks.expected.push_back(host_product(workload.problem().op, workload.shape(), 1.0, a, b, 0.0,
                                           {}, row, column, precision));
  }
  return checks;
}

void check_result(Competitor& competitor, const GemmProblem& problem, const Checks& checks) {
  const int half_sums = problem.precision == Precision::kHalf ? competitor.half_sums() : 0;
  const std::vector<double> got = competitor.result_at(checks.at);
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double bound = with_half_sums(checks.expected[i], half_sums, problem.shape.k, 1.0).bound;
    if (!(std::abs(got[i] - checks.expected[i].value) <= bound)) {
      throw Error(TW_INTERNAL,
                  fmt::format("{} computes C({}, {}) = {} instead of {} +- {}: nothing is measured",
                              competitor.name(), checks.at[i].first, checks.at[i].second, got[i],
                              checks.expected[i].value, bound));
    }
  }
}

// Says before each launch what is launched, for the process may die of it.
Calls announced(Calls calls, const std::string& what, double first_s, const Announce& announce) {
  return [calls = std::move(calls), what, call_s = first_s, announce](int count) mutable {
    announce({WorkerActivityKind::kLaunch, what, count * call_s});
    const double seconds = calls(count);
    call_s = seconds / count;
    return seconds;
  };
}

// Who takes part: a competitor, and what to call it where its process dies of it.
struct Entrant {
  std::unique_ptr<Competitor> competitor;
  std::string what;
  WorkerActivityKind first =
      WorkerActivityKind::kLaunch;  // kBuild: rivals compile at their first call
  double call_s = 0.0;              // of its first call
};

// What takes turns: the entrants and, last, launches of nothing.
std::vector<Calls> calls_of(const std::vector<Entrant>& entrants, LaunchFloor& floor,
                            const Announce& announce) {
  std::vector<Calls> all;
  for (const Entrant& entrant : entrants) {
    all.push_back(announced([&entrant](int calls) { return entrant.competitor->seconds_of(calls); },
                            entrant.what, entrant.call_s, announce));
  }
  all.push_back(announced([&floor](int calls) { return floor.seconds_of(calls); },
                          "the empty kernel", 0.0, announce));
  if (std::any_of(entrants.begin(), entrants.end(),
                  [](const Entrant& entrant) { return entrant.competitor->is_foreign(); })) {
    for (Calls& calls : all) calls = after_one_call(std::move(calls));
  }
  return all;
}

// A product of complex numbers has four of their parts, and adds as many.
double operations_of(const GemmProblem& problem) {
  return (problem.complex ? 4.0 : 1.0) * flops(problem.shape);
}

Summary gflops_of(double operations, std::vector<double> seconds) {
  for (double& sample : seconds) sample = operations / sample / 1e9;
  return summarize(seconds);
}

Summary in_ns(std::vector<double> seconds) {
  for (double& sample : seconds) sample *= 1e9;
  return summarize(seconds);
}

bool is_in(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string text_of(const GemmProblem& problem) {
  return fmt::format("{} {}", to_text(problem.op), to_text(problem.shape));
}

// Its first call, which is also the warm-up: compiles kernels, touches memory.
void call_first(const Announce& announce, const Arena& arena, Entrant& entrant,
                const Checks& checks) {
  announce(
      {entrant.first, entrant.what, operations_of(arena.workload.problem()) / kSlowFlopsPerSecond});
  poison(arena.queue, arena.workload.c());
  const auto begin = std::chrono::steady_clock::now();
  entrant.competitor->multiply();
  entrant.call_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  check_result(*entrant.competitor, arena.workload.problem(), checks);
}

}  // namespace

struct ProductBench::Run {
  Run(const ListedDevice& device, const ProductRequest& asked, Announce announced);

  ProductReply answer(const ProductRequest& request);
  // What serves, and the rivals: built, but for what a rival builds at its first call.
  std::vector<Entrant> entrants(const ProductRequest& request, const Arena& arena);
  void add_plans(const ProductRequest& request, const Arena& arena, std::vector<Entrant>& entrants,
                 BenchResult& result);
  BenchResult measure(const ProductRequest& request, const Arena& arena);

  Announce announce;
  cl::Context context;
  cl::CommandQueue queue;
  Library library;
  Rivals rivals;
  LaunchFloor floor;
  ProfilePlans plans;
  std::mt19937_64 random;
  std::vector<std::string> missing_rivals = {};
  std::map<std::string, std::string> rival_details = {};
};

namespace {

cl::Context context_of(const cl::Device& device) {
  cl_int code = CL_SUCCESS;
  cl::Context context(device, nullptr, nullptr, nullptr, &code);
  check_opencl(code, "clCreateContext");
  return context;
}

cl::CommandQueue queue_of(const cl::Context& context, const cl::Device& device) {
  cl_int code = CL_SUCCESS;
  cl::CommandQueue queue(context, device, 0, &code);
  check_opencl(code, "clCreateCommandQueue");
  return queue;
}

}  // namespace

// Which rivals this machine lacks, and what there is to say of the others, goes to the reports.
ProductBench::Run::Run(const ListedDevice& device, const ProductRequest& asked, Announce announced)
    : announce(std::move(announced)),
      context(context_of(device.device)),
      queue(queue_of(context, device.device)),
      library(Library::open(context, device.device, choose_profile(asked.profile))),
      floor(context, queue),
      plans(context, device, choose_profile(asked.profile)),
      random(asked.seed) {
  const Workload probe(context, asked.precision, Op::kNN, {1, 1, 1}, asked.seed, asked.complex);
  for (const std::string& rival : asked.rivals) {
    if (is_in(asked.excluded, rival)) continue;
    announce({WorkerActivityKind::kBuild, rival});
    const auto competitor = rivals.make(rival, {context, queue, probe});
    if (!competitor) missing_rivals.push_back(rival);
    if (competitor && !competitor->details().empty()) rival_details[rival] = competitor->details();
  }
}

std::vector<Entrant> ProductBench::Run::entrants(const ProductRequest& request,
                                                 const Arena& arena) {
  const GemmProblem& problem = arena.workload.problem();
  const std::string product = text_of(problem);
  std::vector<Entrant> all;
  const auto add = [&](std::unique_ptr<Competitor> competitor, const std::string& what,
                       WorkerActivityKind first) {
    if (!is_in(request.excluded, what)) all.push_back({std::move(competitor), what, first});
  };
  const std::string served =
      fmt::format("the kernels that serve {}, first of all {}", product,
                  plans.first_kernel(problem.complex ? *real_twin(problem) : problem));
  if (!is_in(request.excluded, served)) {
    announce({WorkerActivityKind::kBuild, served});
    const std::vector<std::string> kernels = library.kernels_for(call_of(problem));
    add(library_competitor("tilewright", library, plans.half_sums(), arena),
        fmt::format("{} on {}", fmt::join(kernels, "+"), product), WorkerActivityKind::kLaunch);
  }
  for (const std::string& rival : request.rivals) {
    if (is_in(missing_rivals, rival) || is_in(request.excluded, rival)) continue;
    announce({WorkerActivityKind::kBuild, rival});
    add(rivals.make(rival, arena), rival + " on " + product, WorkerActivityKind::kBuild);
  }
  return all;
}

void ProductBench::Run::add_plans(const ProductRequest& request, const Arena& arena,
                                  std::vector<Entrant>& entrants, BenchResult& result) {
  const PlanLimits limits{request.max_dispatch_ns, request.excluded};
  for (ServingPlan& plan : plans.of(arena, limits, announce, result.left_out)) {
    const std::string name = plan.competitor->name();
    const std::string what = name + " on " + text_of(arena.workload.problem());
    if (is_in(request.excluded, what)) continue;
    result.plans.push_back({name, plan.predicted_ns, {}});
    entrants.push_back({std::move(plan.competitor), what});
  }
}

BenchResult ProductBench::Run::measure(const ProductRequest& request, const Arena& arena) {
  BenchResult result;
  result.op = request.op;
  result.shape = request.shape;
  result.operations = operations_of(arena.workload.problem());
  std::vector<Entrant> all = entrants(request, arena);
  const std::size_t others = all.size();
  if (request.all_plans) add_plans(request, arena, all, result);
  const Checks checks = make_checks(arena.queue, arena.workload, random);
  for (Entrant& entrant : all) call_first(announce, arena, entrant, checks);
  const auto samples = take_turns(calls_of(all, floor, announce), request.seconds, random);
  for (std::size_t at = 0; at < all.size(); ++at) {
    const Summary gflops = gflops_of(result.operations, samples[at]);
    const std::string name = all[at].competitor->name();
    if (at >= others) {
      result.plans[at - others].gflops = gflops;
    } else if (name == "tilewright") {
      result.gflops = gflops;
      const auto kernels = library.kernels_for(call_of(arena.workload.problem()));
      result.kernel = fmt::format("{}", fmt::join(kernels, "+"));
    } else {
      result.rivals[name] = gflops;
    }
  }
  result.launch_floor_ns = in_ns(samples.back());
  return result;
}

ProductReply ProductBench::Run::answer(const ProductRequest& request) {
  announce({WorkerActivityKind::kStart,
            fmt::format("operands of {} {}", to_text(request.op), to_text(request.shape)),
            operand_elements(request.shape) / kSlowElementsPerSecond});
  const Workload workload(context, request.precision, request.op, request.shape, request.seed,
                          request.complex);
  return {measure(request, {context, queue, workload}), library.profile_origin(), missing_rivals,
          rival_details};
}

ProductBench::ProductBench(const ListedDevice& device, Announce announce)
    : device_(device), announce_(std::move(announce)) {}
ProductBench::~ProductBench() = default;

nlohmann::json ProductBench::answer(const nlohmann::json& request) {
  const auto asked = request.get<ProductRequest>();
  if (!run_) run_ = std::make_unique<Run>(device_, asked, announce_);
  return run_->answer(asked);
}

}  // namespace tilewright
