#include "runtime/api/class_trial.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <utility>
#include <variant>

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
constexpr double kEnough_ms = 50.0;    // of all launches that count
constexpr int kMostRounds = 5;
constexpr double kClearlyFaster = 0.9;

// A class with the kernels that its profile takes for the product.
struct Entrant {
  TimedClass timed;
  Profile profile;
  std::vector<std::unique_ptr<LoadedKernel>> kernels = {};
  std::optional<Route> route = {};  // nullopt: it does not run
};

class Trial {
 public:
  Trial(const cl::Context& context, const cl::Device& device, const ClassFacts& facts);

  std::vector<TimedClass> run();

 private:
  void load(Entrant& entrant);
  double launch(const Entrant& entrant);

  Executor executor_;
  TemporaryPool temporaries_;
  ServingLimits limits_;
  cl::CommandQueue queue_;
  cl::Buffer operands_;  // A and B, which are alike, and C behind them
  GemmProblem problem_;
  std::vector<Entrant> entrants_;
};

Trial::Trial(const cl::Context& context, const cl::Device& device, const ClassFacts& facts)
    : executor_(context, device, default_binary_cache()),
      temporaries_(context, device),
      limits_(serving_limits(device, identify(device).limits)) {
  cl_int code = CL_SUCCESS;
  queue_ = cl::CommandQueue(context, device, 0, &code);
  check_opencl(code, "clCreateCommandQueue");
  constexpr std::size_t kElements = std::size_t{kExtent} * kExtent;
  std::vector<float> ones(2 * kElements, 1.0f);
  operands_ = cl::Buffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                         ones.size() * sizeof(float), ones.data(), &code);
  check_opencl(code, "clCreateBuffer");
  problem_.shape = {kExtent, kExtent, kExtent};
  problem_.a = problem_.b = {operands_(), 0, kExtent};
  problem_.c = {operands_(), kElements, kExtent};
  for (const DeviceClass value : likely_classes(facts)) {
    ClassFacts own = facts;
    own.timed = value;
    entrants_.push_back({{value, std::nullopt}, built_in_profile(own)});
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

// From enqueueing to the end, in ms.
double Trial::launch(const Entrant& entrant) {
  const Clock::time_point begin = Clock::now();
  check_opencl(enqueue(executor_, &temporaries_, queue_, *entrant.route, problem_, {}).wait(),
               "clWaitForEvents");
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

// Rounds have a launch of each class. The first launches do not count: some drivers compile then.
std::vector<TimedClass> Trial::run() {
  double spent_ms = 0.0;
  for (int round = -1; round < kMostRounds && spent_ms < kEnough_ms; ++round) {
    for (Entrant& entrant : entrants_) {
      try {
        if (round < 0) load(entrant);
        if (!entrant.route) continue;
        const double took_ms = launch(entrant);
        if (round < 0) continue;
        spent_ms += took_ms;
        entrant.timed.best_ms = std::min(entrant.timed.best_ms.value_or(took_ms), took_ms);
      } catch (const std::exception&) {
        entrant.route.reset();
        entrant.timed.best_ms.reset();
      }
    }
  }
  std::vector<TimedClass> timed;
  for (const Entrant& entrant : entrants_) timed.push_back(entrant.timed);
  return timed;
}

// Kept from another time, or timed now and then kept.
std::optional<DeviceClass> timed_class(const cl::Context& context, const cl::Device& device,
                                       const ClassFacts& facts, const Log& log) {
  const BinaryKey key = class_trial_key(device, likely_classes(facts));
  const std::shared_ptr<BinaryCache> cache = default_binary_cache();
  if (cache) {
    const std::optional<std::string> kept = cache->find(key);
    if (const auto known = parse_device_class(kept.value_or(""))) return known;
  }
  const std::optional<DeviceClass> faster = faster_class(Trial(context, device, facts).run());
  if (!faster) return std::nullopt;
  tell(log, fmt::format("the built-in kernels for devices of class {} were timed, and serve",
                        to_text(*faster)));
  if (cache) cache->store(key, to_text(*faster));
  return faster;
}

}  // namespace

std::optional<DeviceClass> faster_class(const std::vector<TimedClass>& classes) {
  const TimedClass* best = nullptr;
  for (const TimedClass& timed : classes) {
    if (!timed.best_ms) continue;
    if (best == nullptr || *timed.best_ms < kClearlyFaster * *best->best_ms) best = &timed;
  }
  return best == nullptr ? std::nullopt : std::optional(best->value);
}

BinaryKey class_trial_key(const cl::Device& device, const std::vector<DeviceClass>& likely) {
  return {binary_key_of_device(device), std::string(generic_profile_text()),
          "the faster class of " + to_text(likely)};
}

ClassFacts serving_class_facts(const cl::Context& context, const cl::Device& device,
                               ProfileKind kind, const Log& log) {
  return serving_class_facts(context, device, class_facts(device), kind, log);
}

ClassFacts serving_class_facts(const cl::Context& context, const cl::Device& device,
                               ClassFacts facts, ProfileKind kind, const Log& log) {
  const bool open = kind == ProfileKind::kGeneric && likely_classes(facts).size() > 1;
  if (!open || environment("TILEWRIGHT_TIMING") == "off") return facts;
  try {
    facts.timed = timed_class(context, device, facts, log);
  } catch (const std::exception& error) {
    tell(log, fmt::format("which built-in kernels are faster here is not known: {}", error.what()));
  }
  return facts;
}

}  // namespace tilewright
