#include "runtime/api/class_trial.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "profiles/built_in.hpp"
#include "profiles/profile_text.hpp"
#include "runtime/call/opencl_error.hpp"
#include "runtime/device/device_identity.hpp"
#include "runtime/device/environment.hpp"
#include "runtime/device/executor.hpp"
#include "runtime/plan/operands.hpp"

namespace tilewright {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::int64_t kExtent = 256;  // of a square product
constexpr double kMost_ms = 50.0;      // of all launches together
constexpr int kRounds = 5;

// A class with the kernels that its profile takes for the product.
struct Entrant {
  DeviceClass value;
  Profile profile;
  std::vector<std::unique_ptr<LoadedKernel>> kernels = {};
  std::optional<Route> route = {};  // nullopt: it does not run
  double best_ms = std::numeric_limits<double>::infinity();
};

class Trial {
 public:
  Trial(const cl::Context& context, const cl::Device& device, const ClassFacts& facts);

  // nullopt: nothing runs.
  std::optional<DeviceClass> fastest();

 private:
  void load(Entrant& entrant);
  void run(Entrant& entrant, bool counts);

  Executor executor_;
  TemporaryPool temporaries_;
  ServingLimits limits_;
  cl::CommandQueue queue_;
  cl::Buffer operands_;  // A and B, which are alike, and C behind them
  GemmProblem problem_;
  std::vector<Entrant> entrants_;
  double spent_ms_ = 0.0;
};

Trial::Trial(const cl::Context& context, const cl::Device& device, const ClassFacts& facts)
    : executor_(context, device, default_binary_cache()),
      temporaries_(context, device),
      limits_(serving_limits(device, identify(device).limits)),
      queue_(context, device) {
  constexpr std::size_t kElements = std::size_t{kExtent} * kExtent;
  std::vector<float> ones(2 * kElements, 1.0f);
  operands_ = cl::Buffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                         ones.size() * sizeof(float), ones.data());
  problem_.shape = {kExtent, kExtent, kExtent};
  problem_.a = problem_.b = {operands_(), 0, kExtent};
  problem_.c = {operands_(), kElements, kExtent};
  for (const DeviceClass value : likely_classes(facts)) {
    ClassFacts own = facts;
    own.timed = value;
    entrants_.push_back({value, built_in_profile(own)});
  }
}

void Trial::load(Entrant& entrant) {
  for (GemmPlan& plan : rank_plans({&entrant.profile}, limits_, problem_)) {
    entrant.route = load_route(std::move(plan), [&](const KernelRecord& record) -> LoadedKernel* {
      Loaded loaded = executor_.load(record);
      auto* kernel = std::get_if<std::unique_ptr<LoadedKernel>>(&loaded);
      return kernel == nullptr ? nullptr : entrant.kernels.emplace_back(std::move(*kernel)).get();
    });
    if (entrant.route) return;
  }
}

void Trial::run(Entrant& entrant, bool counts) {
  if (!entrant.route) return;
  try {
    const Clock::time_point begin = Clock::now();
    check_opencl(enqueue(executor_, &temporaries_, queue_, *entrant.route, problem_, {}).wait(),
                 "clWaitForEvents");
    const std::chrono::duration<double, std::milli> took = Clock::now() - begin;
    if (!counts) return;
    spent_ms_ += took.count();
    entrant.best_ms = std::min(entrant.best_ms, took.count());
  } catch (const std::exception&) {
    entrant.route.reset();
    entrant.best_ms = std::numeric_limits<double>::infinity();
  }
}

// The first launch is not counted: some drivers compile then.
std::optional<DeviceClass> Trial::fastest() {
  for (Entrant& entrant : entrants_) {
    load(entrant);
    run(entrant, false);
  }
  for (int round = 0; round < kRounds; ++round) {
    for (Entrant& entrant : entrants_) {
      if (spent_ms_ < kMost_ms) run(entrant, true);
    }
  }
  const Entrant& best =
      *std::min_element(entrants_.begin(), entrants_.end(),
                        [](const Entrant& a, const Entrant& b) { return a.best_ms < b.best_ms; });
  return best.route ? std::optional(best.value) : std::nullopt;
}

// Under which the answer is kept: it holds for these kernels, this device and its driver.
BinaryKey key_of(const cl::Device& device, const std::vector<DeviceClass>& likely) {
  return {binary_key_of_device(device), std::string(generic_profile_text()),
          "the faster class of " + to_text(likely)};
}

}  // namespace

ClassFacts timed_class_facts(const cl::Context& context, const cl::Device& device, const Log& log) {
  return timed_class_facts(context, device, class_facts(device), log);
}

ClassFacts timed_class_facts(const cl::Context& context, const cl::Device& device, ClassFacts facts,
                             const Log& log) {
  const std::vector<DeviceClass> likely = likely_classes(facts);
  if (likely.size() < 2 || environment("TILEWRIGHT_TIMING") == "off") return facts;
  const BinaryKey key = key_of(device, likely);
  const std::shared_ptr<BinaryCache> cache = default_binary_cache();
  if (cache) {
    const auto kept = cache->find(key);
    facts.timed = parse_device_class(kept.value_or(""));
    if (facts.timed) return facts;
  }
  std::string obstacle = "none of them runs";
  try {
    facts.timed = Trial(context, device, facts).fastest();
  } catch (const std::exception& error) {
    obstacle = error.what();
  }
  if (!facts.timed) {
    tell(log, fmt::format("which built-in kernels are faster here is not known: {}", obstacle));
    return facts;
  }
  tell(log, fmt::format("of the built-in kernels, those for devices of class {} are faster here",
                        to_text(*facts.timed)));
  if (cache) cache->store(key, to_text(*facts.timed));
  return facts;
}

}  // namespace tilewright
