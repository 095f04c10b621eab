#include "tuner/bench/benchmark.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <stdexcept>

namespace tilewright {
namespace {

void add_crash(BenchReport& report, std::string sentence) {
  report.missing.push_back(std::move(sentence));
  ++report.crashes;
}

// Excludes the activity in which the worker was lost from the request. Returns false if it is
// excluded already, or if the worker did not announce an activity that can be excluded.
bool leave_out_culprit(const WorkerLost& lost, BenchRequest& request, BenchReport& report) {
  const std::string& what = lost.activity.what;
  if (lost.activity.kind == WorkerActivityKind::kStart || what.empty() ||
      request.is_excluded(what)) {
    return false;
  }
  request.excluded.push_back(what);
  const char* doing =
      lost.activity.kind == WorkerActivityKind::kBuild ? "building or checking" : "running";
  add_crash(report, fmt::format("the measuring process {} while it was {} {}.{}", lost.how, doing,
                                what, last_words_sentence(lost.last_words)));
  return true;
}

// A new process after a crash measures the idle power of a device that has just worked, and does
// not know that a sensor failed before.
void add_energy(BenchEnergy& known, BenchEnergy energy) {
  if (!known.idle_w.empty()) energy.idle_w = known.idle_w;
  if (!known.missing.empty()) energy.missing = known.missing;
  known = std::move(energy);
}

// Returns false if there is no result.
bool run_request(DeviceWorker& worker, BenchRequest& request, BenchReport& report,
                 const ResultLost& result_lost) {
  const auto asked = worker.run(
      [&] {
        return nlohmann::json{{"do", "bench"}, {"request", request}};
      },
      [&](const WorkerLost& lost) {
        const bool left_out = leave_out_culprit(lost, request, report);
        if (left_out) result_lost(lost);
        return left_out;
      });
  if (std::holds_alternative<Stopped>(asked)) {
    throw std::runtime_error("stopped before the measurements were complete");
  }
  const auto& answer = std::get<WorkerAnswer>(asked);
  if (const auto* lost = std::get_if<WorkerLost>(&answer)) {
    result_lost(*lost);
    add_crash(report,
              fmt::format("{} was not measured: the measuring process {}.{}", request.title(),
                          lost->how, last_words_sentence(lost->last_words)));
    return false;
  }
  auto reply = std::get<nlohmann::json>(answer).get<BenchReply>();
  report.waits.add(reply.waits);
  add_energy(report.energy, std::move(reply.energy));
  report.profile = reply.profile;
  report.details.merge(reply.details);
  report.not_here = reply.not_here;
  report.results.push_back(std::move(reply.result));
  return true;
}

}  // namespace

void run_benchmark(DeviceWorker& worker, const std::vector<BenchRequest>& requests,
                   BenchReport& report, const ResultDone& done, const ResultLost& lost) {
  std::vector<std::string> excluded;
  for (BenchRequest request : requests) {
    request.excluded.insert(request.excluded.end(), excluded.begin(), excluded.end());
    if (run_request(worker, request, report, lost)) done(report);
    excluded = std::move(request.excluded);
  }
}

}  // namespace tilewright
