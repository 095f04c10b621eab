#include "tuner/tuning.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <set>

#include "codelets/emit.hpp"
#include "codelets/generic_profile.hpp"
#include "codelets/space.hpp"
#include "codelets/starting_points.hpp"
#include "profiles/digest.hpp"
#include "profiles/version.hpp"
#include "runtime/opencl_error.hpp"
#include "tuner/finals.hpp"
#include "tuner/pack_tuning.hpp"
#include "tuner/search.hpp"
#include "tuner/shapes.hpp"
#include "tuner/statistics.hpp"

namespace tilewright {
namespace {

constexpr double kFinalsShare = 0.3;  // of an op's time
constexpr double kPackShare = 0.05;   // of the whole time
constexpr int kRandomPoints = 24;     // drawn before the search turns greedy

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

class Tuning {
 public:
  Tuning(const ListedDevice& device, const TuneOptions& options, TuneObserver& observer)
      : device_(device),
        options_(options),
        observer_(observer),
        limits_(space_limits(device)),
        executor_(make_executor(device.device)),
        begin_(Clock::now()) {
    cl_int code = CL_SUCCESS;
    queue_ = cl::CommandQueue(executor_.context(), device.device, CL_QUEUE_PROFILING_ENABLE, &code);
    check_opencl(code, "clCreateCommandQueue");
  }

  Profile run() {
    for (std::size_t i = 0; i < options_.ops.size(); ++i) {
      // What an op leaves goes to those after it.
      const double left = (1.0 - kPackShare) * options_.budget_s - seconds_since(begin_);
      tune_op(options_.ops[i], left / static_cast<double>(options_.ops.size() - i));
    }
    if (auto pack = tune_pack(executor_, queue_, limits_, kPackShare * options_.budget_s)) {
      profile_.kernels.push_back(std::move(*pack));
    } else {
      observer_.note("no pack kernel works on this device: TT is left to the built-in profile");
    }
    profile_.device = device_.identity;
    profile_.provenance = provenance();
    return std::move(profile_);
  }

 private:
  static Executor make_executor(const cl::Device& device) {
    cl_int code = CL_SUCCESS;
    cl::Context context(device, nullptr, nullptr, nullptr, &code);
    check_opencl(code, "clCreateContext");
    return {std::move(context), device};
  }

  void tune_op(Op op, double budget_s);
  std::vector<Screened> search(const Space& space, Op op, double budget_s);
  std::vector<Finalist> load_finalists(const std::vector<Screened>& screened) const;
  void keep_winners(Op op, const std::vector<Finalist>& finalists);
  ShapeResult result_of(Op op, std::size_t shape, const Finalist& finalist) const;
  Provenance provenance() const;

  const ListedDevice& device_;
  const TuneOptions& options_;
  TuneObserver& observer_;
  SpaceLimits limits_;
  Executor executor_;
  cl::CommandQueue queue_;
  Clock::time_point begin_;
  Profile profile_;
  std::string space_digests_;
};

// The first candidates: what is known to do well elsewhere, and the built-in profile's kernels, so
// that a tuning is never worse than none.
std::vector<ParameterPoint> first_points(Op op, const SpaceLimits& limits) {
  std::vector<ParameterPoint> points = starting_points(op, limits);
  for (const KernelRecord& record : generic_profile().kernels) {
    if (record.role != Role::kGemm) continue;
    const ParameterPoint point = parse_point(record.point);
    const bool is_of_op = op_of(record.layout_a, *record.layout_b) == op;
    if (is_of_op && broken_rule(point, limits) == nullptr) points.push_back(point);
  }
  return points;
}

// What a good kernel does in 20 ms: long enough for what caches do to show, on any device.
double most_screening_flops(const TuneOptions& options) {
  constexpr double kSeconds = 0.02;
  constexpr double kUsualGflops = 300.0;
  return kSeconds * 1e9 * (options.peak_gflops > 0.0 ? options.peak_gflops : kUsualGflops);
}

std::vector<Screened> Tuning::search(const Space& space, Op op, double budget_s) {
  const auto begin = Clock::now();
  Screening screening(executor_, queue_, op, options_.shapes, most_screening_flops(options_),
                      options_.seed);
  RandomThenGreedy strategy(space, kRandomPoints, device_hints(device_.device), options_.seed);
  std::vector<ParameterPoint> first = first_points(op, limits_);
  std::vector<Screened> screened;
  std::map<Stage, std::pair<int, std::string>> failures;
  for (int tried = 0; tried == 0 || seconds_since(begin) < budget_s; ++tried) {
    std::optional<ParameterPoint> point;
    if (static_cast<std::size_t>(tried) < first.size()) {
      point = first[static_cast<std::size_t>(tried)];
    } else {
      point = strategy.next();
    }
    if (!point) break;
    ScreenResult result = screening.screen(spelled(*point, options_.spellings));
    if (auto* rejection = std::get_if<Rejection>(&result)) {
      auto& [count, example] = failures[rejection->stage];
      if (++count == 1) example = rejection->reason;
      strategy.report(*point, std::nullopt);
    } else {
      screened.push_back(std::move(std::get<Screened>(result)));
      strategy.report(*point, screened.back().cost);
    }
    observer_.candidate({op, tried + 1, seconds_since(begin), budget_s,
                         options_.budget_s - seconds_since(begin_), screening.best_gflops(),
                         screening.best_kernel()});
  }
  observer_.failures(op, failures);
  if (screened.empty()) {
    throw std::runtime_error(fmt::format(
        "no candidate for {} works on '{}'; the last failure: {}", to_text(op),
        device_.identity.name, failures.empty() ? "none" : failures.rbegin()->second.second));
  }
  return screened;
}

std::vector<Finalist> Tuning::load_finalists(const std::vector<Screened>& screened) const {
  std::vector<Finalist> finalists;
  for (const Screened& candidate : choose_finalists(screened)) {
    Loaded loaded = executor_.load(emit(candidate.point));
    if (std::holds_alternative<Rejection>(loaded))
      continue;  // it loaded before: the driver is moody
    finalists.push_back({candidate, std::move(std::get<std::unique_ptr<LoadedKernel>>(loaded)),
                         std::vector<std::vector<double>>(options_.shapes.size())});
  }
  return finalists;
}

void Tuning::tune_op(Op op, double budget_s) {
  const auto begin = Clock::now();
  // The time of a kernel with a split k is not that of the product: its reduction is not measured.
  // How multiply-adds are spelled is not searched: points get the device's spelling when they are
  // tried.
  const Space space(gemm_point(op), limits_,
                    {.packed = false, .fixed = {"split_k", "multiply_add"}});
  space_digests_ += space.digest();
  const std::vector<Screened> screened = search(space, op, (1.0 - kFinalsShare) * budget_s);
  std::vector<Finalist> finalists = load_finalists(screened);
  observer_.finals(op, finalists.size());
  run_finals(executor_, queue_, op, options_.shapes, finalists, budget_s - seconds_since(begin),
             options_.seed);
  keep_winners(op, finalists);
}

ShapeResult Tuning::result_of(Op op, std::size_t shape, const Finalist& finalist) const {
  const GemmShape& s = options_.shapes[shape];
  const Summary summary = summarize(finalist.samples[shape]);
  return {op,
          s.m,
          s.n,
          s.k,
          kernel_name(finalist.screened.point),
          summary.median,
          summary.low,
          summary.high,
          summary.samples,
          flops(s) / summary.median,
          finalist.screened.max_error};
}

void Tuning::keep_winners(Op op, const std::vector<Finalist>& finalists) {
  std::set<std::size_t> winners;
  for (std::size_t shape = 0; shape < options_.shapes.size(); ++shape) {
    const std::size_t best = winner(finalists, shape);
    winners.insert(best);
    observer_.winner(op, options_.shapes[shape], result_of(op, shape, finalists[best]));
  }
  // Calls that the winners cannot take, for want of alignment, need a kernel, too.
  if (const auto general = best_general(finalists)) winners.insert(*general);
  for (const std::size_t index : winners) {
    const Finalist& finalist = finalists[index];
    profile_.kernels.push_back(emit(finalist.screened.point));
    for (std::size_t shape = 0; shape < options_.shapes.size(); ++shape) {
      if (!finalist.samples[shape].empty()) {
        profile_.results.push_back(result_of(op, shape, finalist));
      }
    }
  }
}

Provenance Tuning::provenance() const {
  Provenance provenance;
  provenance.tool_version = kVersion;
  provenance.command_line = options_.command_line;
  provenance.seed = options_.seed;
  provenance.space_digest = digest_of_bytes(space_digests_);
  provenance.complete = true;
  provenance.statistic = fmt::format(
      "median of device-time samples, each at least {:g} ms of back-to-back launches; low and high "
      "are the "
      "10th and 90th percentiles; caches warm",
      kMinSampleNs / 1e6);
  provenance.date =
      fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::chrono::system_clock::now()));
  return provenance;
}

}  // namespace

Profile tune(const ListedDevice& device, const TuneOptions& options, TuneObserver& observer) {
  return Tuning(device, options, observer).run();
}

}  // namespace tilewright
