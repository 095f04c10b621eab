#include "tuner/bench/benchmark.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "profiles/profile_text.hpp"
#include "runtime/device/profile_search.hpp"
#include "tuner/bench/product_request.hpp"
#include "tuner/bench/profile_choice.hpp"
#include "tuner/records/shapes.hpp"
#include "tuner/records/shares.hpp"

namespace tilewright {
namespace {

std::string sentence(const WorkerLost& lost) {
  const char* doing =
      lost.phase.kind == WorkerActivityKind::kBuild ? "building or checking" : "running";
  return fmt::format("the process that measures {} while it was {} {}.{}", lost.how, doing,
                     lost.phase.what, last_words_sentence(lost.last_words));
}

// What is asked for without what the worker was lost in; nullopt: it is excluded already, or
// nothing was at work.
std::optional<nlohmann::json> without(const WorkerLost& lost, ProductRequest& request,
                                      std::vector<std::string>& crashes) {
  const std::string& what = lost.phase.what;
  const bool is_known =
      std::find(request.excluded.begin(), request.excluded.end(), what) != request.excluded.end();
  if (lost.phase.kind == WorkerActivityKind::kStart || what.empty() || is_known)
    return std::nullopt;
  request.excluded.push_back(what);
  crashes.push_back(sentence(lost));
  return nlohmann::json{{"do", "bench"}, {"request", request}};
}

// False: it has no result.
bool measure(DeviceWorker& worker, ProductRequest& request, BenchReport& report) {
  const nlohmann::json message = {{"do", "bench"}, {"request", request}};
  const auto asked = worker.ask(
      message, [&](const WorkerLost& lost) { return without(lost, request, report.crashes); });
  if (std::holds_alternative<Stopped>(asked)) {
    throw std::runtime_error("stopped before all was measured");
  }
  const auto& answer = std::get<WorkerAnswer>(asked);
  if (const auto* lost = std::get_if<WorkerLost>(&answer)) {
    report.crashes.push_back(fmt::format("{} {} is not measured: the process that measures {}.{}",
                                         to_text(request.op), to_text(request.shape), lost->how,
                                         last_words_sentence(lost->last_words)));
    return false;
  }
  auto reply = std::get<nlohmann::json>(answer).get<ProductReply>();
  report.profile = reply.profile;
  report.missing_rivals = reply.missing_rivals;
  report.rival_details = reply.rival_details;
  report.results.push_back(std::move(reply.result));
  return true;
}

}  // namespace

double BenchResult::launch_share() const {
  if (gflops.samples == 0) return 0.0;
  const double call_ns = operations / gflops.median;
  return tilewright::launch_share(launch_floor_ns.median, call_ns);
}

std::optional<double> BenchResult::ratio(const std::string& rival) const {
  const auto found = rivals.find(rival);
  if (gflops.samples == 0 || found == rivals.end() || found->second.samples == 0) {
    return std::nullopt;
  }
  return speed_ratio(1.0 / gflops.median, 1.0 / found->second.median);
}

BenchReport run_benchmark(DeviceWorker& worker, const BenchOptions& options,
                          const std::function<void(const BenchReport&)>& done) {
  const DeviceIdentity& device = worker.facts().identity;
  const FoundProfile found =
      find_profile(choose_profile(options.profile), default_search_path(), device);
  BenchReport report;
  report.conditions = conditions_of(device, options.command);
  report.precision = options.precision;
  report.complex = options.complex;
  report.profile = found.origin;
  report.profile_digest = digest_of(found.profile);
  report.rates = found.profile.rates;
  ProductRequest request;
  request.profile = options.profile;
  request.rivals = options.rivals;
  request.precision = options.precision;
  request.complex = options.complex;
  request.seconds = options.seconds_per_product;
  request.seed = options.seed;
  request.all_plans = options.all_plans;
  request.max_dispatch_ns = options.max_dispatch_ns;
  for (const Op op : options.ops) {
    for (const GemmShape& shape : options.shapes) {
      request.op = op;
      request.shape = shape;
      if (measure(worker, request, report)) done(report);
    }
  }
  return report;
}

}  // namespace tilewright
