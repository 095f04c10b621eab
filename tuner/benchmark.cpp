#include "tuner/benchmark.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>

#include "runtime/opencl_error.hpp"
#include "tuner/host_product.hpp"
#include "tuner/profile_ways.hpp"
#include "tuner/shapes.hpp"

namespace tilewright {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kMinSampleSeconds = 2e-3;
constexpr int kLeastRounds = 9;
constexpr int kMostRounds = 101;
constexpr int kCheckedElements = 32;

// Seconds of one product: enough calls, each waited for, to fill a sample.
double sample_seconds(Contender& contender, int calls) {
  const auto begin = Clock::now();
  for (int i = 0; i < calls; ++i) contender.multiply();
  return std::chrono::duration<double>(Clock::now() - begin).count() / calls;
}

// So that a contender which writes nothing is not taken for right on what the one before it wrote.
void poison(const cl::CommandQueue& queue, const Matrix& c) {
  const std::vector<float> nan(c.buffer.getInfo<CL_MEM_SIZE>() / sizeof(float),
                               std::numeric_limits<float>::quiet_NaN());
  check_opencl(
      queue.enqueueWriteBuffer(c.buffer, CL_TRUE, 0, nan.size() * sizeof(float), nan.data()),
      "clEnqueueWriteBuffer");
}

// Random elements of C with their right values.
struct Checks {
  std::vector<std::pair<std::int64_t, std::int64_t>> at;
  std::vector<ProductElement> expected;
};

Checks make_checks(const cl::CommandQueue& queue, const Workload& workload,
                   std::mt19937_64& random) {
  const HostMatrix a{download(queue, workload.a().buffer), 0, workload.a().ld};
  const HostMatrix b{download(queue, workload.b().buffer), 0, workload.b().ld};
  Checks checks;
  for (int i = 0; i < kCheckedElements; ++i) {
    const auto row =
        static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(workload.shape().m));
    const auto column =
        static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(workload.shape().n));
    checks.at.emplace_back(row, column);
    checks.expected.push_back(
        host_product(workload.problem().op, workload.shape(), 1.0f, a, b, 0.0f, {}, row, column));
  }
  return checks;
}

void check_result(Contender& contender, const Checks& checks) {
  const std::vector<float> got = contender.result_at(checks.at);
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (!(std::abs(got[i] - checks.expected[i].value) <= checks.expected[i].bound)) {
      throw Error(TW_INTERNAL,
                  fmt::format("{} computes C({}, {}) = {} instead of {} +- {}: nothing is measured",
                              contender.name(), checks.at[i].first, checks.at[i].second, got[i],
                              checks.expected[i].value, checks.expected[i].bound));
    }
  }
}

// Rounds of one sample each, in random order. Returns seconds per product, per contender.
std::vector<std::vector<double>> take_turns(std::vector<std::unique_ptr<Contender>>& contenders,
                                            double seconds, std::mt19937_64& random) {
  std::vector<int> calls;
  for (auto& contender : contenders) {
    const double once = sample_seconds(*contender, 1);
    calls.push_back(std::max(1, static_cast<int>(std::ceil(kMinSampleSeconds / once))));
  }
  std::vector<std::vector<double>> samples(contenders.size());
  std::vector<std::size_t> order(contenders.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  const auto begin = Clock::now();
  const auto time_left = [&] {
    return std::chrono::duration<double>(Clock::now() - begin).count() < seconds;
  };
  for (int round = 0; round < kMostRounds && (round < kLeastRounds || time_left()); ++round) {
    std::shuffle(order.begin(), order.end(), random);
    for (const std::size_t i : order)
      samples[i].push_back(sample_seconds(*contenders[i], calls[i]));
  }
  return samples;
}

Summary gflops_of(const GemmShape& shape, std::vector<double> seconds) {
  for (double& sample : seconds) sample = flops(shape) / sample / 1e9;
  return summarize(seconds);
}

// `ways`: null unless all plans are asked for.
BenchResult bench_product(Library& library, ProfileWays* ways, const Arena& arena,
                          const BenchOptions& options, std::mt19937_64& random) {
  const GemmProblem& problem = arena.workload.problem();
  std::vector<std::unique_ptr<Contender>> contenders;
  contenders.push_back(library_contender("tilewright", library, arena));
  for (const std::string& rival : options.rivals) contenders.push_back(make_rival(rival, arena));
  std::vector<BenchWay> plans;
  if (ways != nullptr) {
    for (ServingWay& way : ways->of(arena)) {
      plans.push_back({way.contender->name(), way.predicted_ns, {}});
      contenders.push_back(std::move(way.contender));
    }
  }
  const Checks checks = make_checks(arena.queue, arena.workload, random);
  for (auto& contender : contenders) {
    poison(arena.queue, arena.workload.c());
    contender->multiply();  // also the warm-up: compiles kernels, touches memory
    check_result(*contender, checks);
  }
  const auto samples = take_turns(contenders, options.seconds_per_product, random);

  const GemmShape& shape = problem.shape;
  const std::vector<std::string> kernels = library.kernels_for(call_of(problem));
  BenchResult result{problem.op,
                     shape,
                     fmt::format("{}", fmt::join(kernels, "+")),
                     gflops_of(shape, samples[0]),
                     {}};
  std::size_t at = 1;
  for (; at <= options.rivals.size(); ++at) {
    result.rivals[contenders[at]->name()] = gflops_of(shape, samples[at]);
  }
  for (BenchWay& plan : plans) plan.gflops = gflops_of(shape, samples[at++]);
  result.ways = std::move(plans);
  return result;
}

// Rivals that this build has; what there is to say of them and which are missing goes to the
// report.
std::vector<std::string> present_rivals(const std::vector<std::string>& asked, const Arena& arena,
                                        BenchReport& report) {
  std::vector<std::string> present;
  for (const std::string& rival : asked) {
    const auto contender = make_rival(rival, arena);
    (contender ? present : report.missing_rivals).push_back(rival);
    if (contender && !contender->details().empty())
      report.rival_details[rival] = contender->details();
  }
  return present;
}

nlohmann::ordered_json to_json(const Summary& summary) {
  return {{"median", summary.median}, {"low", summary.low}, {"high", summary.high}};
}

}  // namespace

BenchReport run_benchmark(const ListedDevice& device, const BenchOptions& asked,
                          const std::function<void(const BenchResult&)>& done) {
  cl_int code = CL_SUCCESS;
  const cl::Context context(device.device, nullptr, nullptr, nullptr, &code);
  check_opencl(code, "clCreateContext");
  const cl::CommandQueue queue(context, device.device, 0, &code);
  check_opencl(code, "clCreateCommandQueue");
  Library library = Library::open(context, device.device, asked.profile);
  BenchReport report{
      device.identity.name, device.identity.platform, library.profile_origin(), {}, {}, {}};
  BenchOptions options = asked;
  const Workload probe(context, queue, Op::kNN, {1, 1, 1}, asked.seed);
  options.rivals = present_rivals(asked.rivals, {context, queue, probe}, report);
  std::optional<ProfileWays> ways;
  if (options.all_plans) ways.emplace(context, device, options.profile);
  std::mt19937_64 random(options.seed);
  for (const Op op : options.ops) {
    for (const GemmShape& shape : options.shapes) {
      const Workload workload(context, queue, op, shape, options.seed);
      report.results.push_back(bench_product(library, ways ? &*ways : nullptr,
                                             {context, queue, workload}, options, random));
      done(report.results.back());
    }
  }
  return report;
}

std::string to_json(const BenchReport& report) {
  nlohmann::ordered_json json{{"device", report.device},
                              {"platform", report.platform},
                              {"profile", report.profile},
                              {"unit", "GFLOPS, wall time of one call to finished C"},
                              {"missing_rivals", report.missing_rivals},
                              {"rival_details", report.rival_details},
                              {"results", nlohmann::ordered_json::array()}};
  for (const BenchResult& result : report.results) {
    nlohmann::ordered_json rivals = nlohmann::ordered_json::object();
    for (const auto& [name, summary] : result.rivals) rivals[name] = to_json(summary);
    nlohmann::ordered_json ways = nlohmann::ordered_json::array();
    for (const BenchWay& way : result.ways) {
      nlohmann::ordered_json predicted_us;  // null: never measured
      if (way.predicted_ns) predicted_us = *way.predicted_ns / 1e3;
      ways.push_back({{"kernel", way.kernels},
                      {"predicted_us", predicted_us},
                      {"gflops", to_json(way.gflops)}});
    }
    json["results"].push_back({{"op", to_text(result.op)},
                               {"m", result.shape.m},
                               {"n", result.shape.n},
                               {"k", result.shape.k},
                               {"kernel", result.kernel},
                               {"gflops", to_json(result.gflops)},
                               {"rivals", rivals}});
    if (!result.ways.empty()) json["results"].back()["ways"] = ways;
  }
  return json.dump(2);
}

}  // namespace tilewright
