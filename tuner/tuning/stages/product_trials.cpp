#include "tuner/tuning/stages/product_trials.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <stdexcept>
#include <utility>

#include "profiles/built_in.hpp"
#include "profiles/profile_text.hpp"
#include "tuner/bench/benchmark.hpp"
#include "tuner/bench/device_plans.hpp"
#include "tuner/journal/records/shapes.hpp"
#include "tuner/journal/records/tuning_json.hpp"
#include "tuner/process/stop_signal.hpp"
#include "tuner/process/worker_loss.hpp"
#include "tuner/search/pack_requirements.hpp"
#include "tuner/select/baseline.hpp"

namespace tilewright {
namespace {

constexpr double kRounds = 9.0;
constexpr double kSample_ns = 2e6;    // at least, of each competitor in each round
constexpr double kElement_ns = 50.0;  // to make, copy and check an element of an operand

double num_elements(const GemmShape& shape) {
  const auto m = static_cast<double>(shape.m);
  const auto n = static_cast<double>(shape.n);
  const auto k = static_cast<double>(shape.k);
  return m * k + k * n + m * n;
}

using End = ProductTrials::End;

constexpr double kSeconds = 0.15;  // of each product, at least; nine rounds take longer
constexpr int kMaxUnmeasured = 3;  // in a row, after which no further product is tried

// The 10th percentile of the rounds: few short samples on a busy CPU have medians that are off by
// factors.
double undisturbed_ns(const BenchFigure& figure) {
  return figure.is_measured() ? rounded(figure.ns().low) : 0.0;
}

// Records what is about to run, in place of the worker's usual announcements.
class Announcements {
 public:
  Announcements(DeviceWorker& worker, TuningJournal& journal, const std::function<void()>& working)
      : worker_(worker), journal_(journal), usual_(std::move(worker.on_activity)) {
    worker_.on_activity = [this, working](const WorkerActivity& activity) {
      // The kernels were built before, so that building them is not announced.
      if (activity.kind == WorkerActivityKind::kLaunch && !activity.kernel.empty()) {
        in_flight_ = parse_kernel(activity.kernel).text();
        journal_.append(TrialStarted{in_flight_, activity.kind});
      }
      working();
    };
  }
  Announcements(const Announcements&) = delete;
  Announcements& operator=(const Announcements&) = delete;
  ~Announcements() { worker_.on_activity = std::move(usual_); }

  // Nothing runs any more, and the product has no line: a later reboot is not a kernel's fault.
  void end() {
    if (!in_flight_.empty()) journal_.append(TrialIdle{std::exchange(in_flight_, "")});
  }

 private:
  DeviceWorker& worker_;
  TuningJournal& journal_;
  std::function<void(const WorkerActivity&)> usual_;
  std::string in_flight_;  // text of the kernel
};

// The profile at this path; nullopt if there is none, or it cannot be read.
std::optional<Profile> readable_profile(const std::string& path) {
  if (path.empty()) return std::nullopt;
  try {
    return load_profile(path);
  } catch (const ProfileError&) {
    return std::nullopt;
  }
}

// The outcome of the kernel whose plan the worker was lost in; nullopt: none is to blame.
std::optional<Outcome> failed_outcome(const WorkerLost& lost) {
  if (lost.out_of_time || lost.activity.kernel.empty()) return std::nullopt;
  Outcome outcome;
  outcome.kernel = parse_kernel(lost.activity.kernel);
  outcome.task = kValidating;
  set_loss(lost, outcome);
  return outcome;
}

}  // namespace

ProductForecasts::ProductForecasts(const Profile& tuned, const Profile& built_in,
                                   const Profile* other, const DeviceInfo& device,
                                   Precision precision, double max_dispatch_ns)
    : tuned_({&tuned, &built_in}),
      built_in_({&built_in}),
      device_(device),
      precision_(precision),
      max_dispatch_ns_(max_dispatch_ns) {
  if (other != nullptr) other_.emplace(std::vector<const Profile*>{other, &built_in});
}

ProductForecast ProductForecasts::forecast(const RandomProduct& product, bool held_out) const {
  GemmProblem problem = dense_problem(product.op, product.shape);
  problem.precision = precision_;
  const auto rank = [&](const Ranking& ranking) {
    return rank_plans(ranking.profiles, ranking.times, device_, problem);
  };
  const std::vector<GemmPlan> plans = rank(tuned_);
  // The tuned profile knows the times of built-in kernels better.
  const auto known_ns = [&](const GemmPlan& plan) {
    const auto same = std::find_if(plans.begin(), plans.end(), [&](const GemmPlan& other) {
      return other.kernel().name == plan.kernel().name;
    });
    return (same == plans.end() ? plan : *same).times.total_ns();
  };
  ProductForecast forecast;
  double calls_ns = 0.0;
  const auto add = [&](double ns) { calls_ns += ns + std::max(ns, kSample_ns); };  // and warm-up
  const auto add_call = [&](const std::vector<GemmPlan>& ranked) {
    if (ranked.empty()) return;
    const double ns = known_ns(ranked.front());
    add(ns);
    forecast.longest_call_ns = std::max(forecast.longest_call_ns, ns);
  };
  add_call(plans);
  add_call(rank(built_in_));
  if (held_out && other_) {
    // Only the comparison is left out if the other profile is too slow.
    const std::vector<GemmPlan> others = rank(*other_);
    const double ns = others.empty() ? 0.0 : known_ns(others.front());
    forecast.compares_other = ns <= max_dispatch_ns_;
    if (forecast.compares_other) add(ns);
  }
  for (std::size_t i = 0; i < std::min(kMeasuredPlans, plans.size()); ++i) {
    const double ns = plans[i].times.total_ns();
    if (ns <= max_dispatch_ns_) add(ns);
  }
  forecast.seconds = 1e-9 * (kRounds * calls_ns + kElement_ns * num_elements(product.shape));
  return forecast;
}

std::optional<ValidatedProduct> validated_product(const BenchResult& result,
                                                  const std::vector<const Profile*>& profiles) {
  ValidatedProduct product;
  product.op = result.op;
  product.shape = result.shape;
  const BenchFigure& own = result.figure(FigureKind::kOwn);
  const KernelRecord* chosen = product_kernel(own.kernels, profiles);
  if (chosen == nullptr || !own.is_measured()) return std::nullopt;
  product.call_ns = undisturbed_ns(own);
  const auto plan = [&](const KernelRecord& kernel, const BenchFigure& figure) {
    Outcome outcome;
    outcome.kernel = parse_kernel(kernel.point);
    outcome.task = kValidating;
    outcome.shapes.emplace_back();
    outcome.shapes[0].shape = result.shape;
    outcome.shapes[0].ns = figure.samples_ns;
    // The times of built-in kernels that the profile does not know are guesses.
    const bool guessed = find_kernel(*profiles.front(), kernel.name) == nullptr;
    outcome.predicted_ns = guessed ? 0.0 : figure.predicted_ns;
    return outcome;
  };
  // Unless the plan that runs is measured as a plan, too, the call stands for it.
  product.plans = {plan(*chosen, own)};
  product.plans[0].predicted_ns = 0.0;
  bool stands_for_it = true;
  for (const BenchFigure* figure : result.all(FigureKind::kPlan)) {
    const KernelRecord* kernel = product_kernel(figure->kernels, profiles);
    if (kernel == nullptr || !figure->is_measured()) continue;
    if (Outcome other = plan(*kernel, *figure); other.kernel != product.plans[0].kernel) {
      product.plans.push_back(std::move(other));
    } else if (std::exchange(stands_for_it, false)) {
      product.plans[0] = std::move(other);
    }
  }
  const BenchFigure& built_in = result.figure(FigureKind::kCompetitor, "builtin");
  product.built_in_ns = undisturbed_ns(built_in);
  product.max_times_call = rounded(max_ratio(built_in.samples_ns, own.samples_ns));
  product.launch_ns = undisturbed_ns(result.figure(FigureKind::kLaunchFloor));
  return product;
}

ProductTrials::ProductTrials(TuneContext& context, Profile profile)
    : context_(context),
      profile_(std::move(profile)),
      built_in_(built_in_profile(context.worker.facts())),
      other_(readable_profile(context.options.other_profile)),
      forecasts_(profile_, built_in_, other_ ? &*other_ : nullptr, context.worker.facts(),
                 context.options.precision, context.options.measure.max_dispatch_ns),
      profile_text_(write_profile(profile_)) {
  context.worker.abandon();  // a process keeps the profile that it has opened
}

ProductTrials::~ProductTrials() {
  context_.worker.abandon();  // and its buffers
}

void ProductTrials::record_unmeasured(const RandomProduct& product, bool held_out,
                                      const std::string& why) {
  ValidatedProduct unmeasured;
  unmeasured.op = product.op;
  unmeasured.shape = product.shape;
  unmeasured.held_out = held_out;
  unmeasured.failure = why;
  context_.journal.append(std::move(unmeasured));
}

bool ProductTrials::record_failures(std::vector<Outcome> failures) {
  bool chooses_again = false;
  for (Outcome& failure : failures) {
    const std::vector<Outcome>& known = context_.journal.contents().outcomes;
    if (failed_later(known).contains(failure.kernel)) continue;
    const bool built_in = built_in_outcome(known, failure.kernel) != nullptr;
    context_.journal.append(Outcomes{std::move(failure)});
    const Outcome& kept = known.back();
    context_.progress.outcome(kept);
    context_.progress.note(fmt::format("{}: {}: {}; {}", to_text(kept.result),
                                       kept.kernel.facts().name, kept.reason,
                                       built_in ? "it is built into the library, so it stays"
                                                : "it is not used, and kernels are chosen again"));
    chooses_again = chooses_again || !built_in;
  }
  return chooses_again;
}

End ProductTrials::measure_one(const RandomProduct& product, bool held_out, bool compares_other) {
  BenchRequest request;
  request.profile_text = profile_text_;
  request.competitors = {"builtin"};
  const std::string& other = context_.options.other_profile;
  if (compares_other) request.competitors.push_back(other);
  request.precision = context_.options.precision;
  request.seconds = kSeconds;
  request.seed = context_.options.seed;
  request.op = product.op;
  request.shape = product.shape;
  request.all_plans = true;
  request.max_plans = kMeasuredPlans;
  request.max_dispatch_ns = context_.options.measure.max_dispatch_ns;
  request.is_new = true;
  for (const KernelId& failed : failed_later(context_.journal.contents().outcomes)) {
    request.excluded.push_back(failed.text());
  }
  BenchReport report;
  std::vector<Outcome> failures;
  bool late = false;
  Announcements announcements(context_.worker, context_.journal,
                              [this] { context_.progress.working(context_.left_s()); });
  try {
    run_benchmark(
        context_.worker, {request}, report, [](const BenchReport&) {},
        [&](const WorkerLost& lost) {
          late = late || lost.out_of_time;
          if (auto failure = failed_outcome(lost)) failures.push_back(*std::move(failure));
        });
  } catch (const std::runtime_error&) {
    if (!StopSignal::requested()) throw;
    announcements.end();
    return End::kStopped;
  }
  std::optional<ValidatedProduct> measured;
  if (!report.results.empty()) measured = validated_product(report.results.back(), profiles_);
  const bool has_line = measured.has_value();
  if (measured) {
    measured->held_out = held_out;
    if (compares_other) {
      measured->other_profile = other;
      measured->other_ns =
          undisturbed_ns(report.results.back().figure(FigureKind::kCompetitor, other));
    }
    context_.journal.append(*std::move(measured));
  } else {
    announcements.end();
  }
  if (record_failures(std::move(failures))) return End::kChooseAgain;
  if (has_line) return End::kDone;
  if (late) return End::kTime;
  record_unmeasured(
      product, held_out,
      report.missing.empty() ? "the plan that runs was not measured" : report.missing.back());
  return End::kDone;
}

End ProductTrials::run(std::vector<RandomProduct>& left, bool held_out, double until_s) {
  const std::vector<ValidatedProduct>& known = context_.journal.contents().products;
  int unmeasured = 0;  // in a row
  End end = End::kDone;
  for (std::size_t i = 0; i < left.size();) {
    if (StopSignal::requested()) return End::kStopped;
    const RandomProduct product = left[i];
    const auto [longest_call_ns, compares_other, seconds] = forecasts_.forecast(product, held_out);
    if (context_.journal.now_s() + seconds > until_s) {
      end = End::kTime;
      ++i;
      continue;
    }
    if (longest_call_ns > context_.options.measure.max_dispatch_ns) {
      record_unmeasured(
          product, held_out,
          fmt::format("{} {}: a call is predicted to take {:.0f} ms, more than "
                      "--max-dispatch allows",
                      to_text(product.op), to_text(product.shape), 1e-6 * longest_call_ns));
      left.erase(left.begin() + static_cast<std::ptrdiff_t>(i));
      continue;
    }
    const End of_product = measure_one(product, held_out, compares_other);
    const bool has_line =
        !known.empty() && known.back().op == product.op && known.back().shape == product.shape;
    if (has_line) left.erase(left.begin() + static_cast<std::ptrdiff_t>(i));
    if (of_product != End::kDone) return of_product;
    unmeasured = has_line && !known.back().is_measured() ? unmeasured + 1 : 0;
    if (unmeasured == kMaxUnmeasured) return End::kTime;
  }
  return end;
}

}  // namespace tilewright
