#include "tuner/worker/device_worker.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "profiles/printable.hpp"
#include "tuner/records/tuning_json.hpp"
#include "tuner/terminal/stop_signal.hpp"

namespace tilewright {
namespace {

using nlohmann::json;

// The end of a text, on one line.
std::string tail(const std::string& text, std::size_t most) {
  const std::size_t last = text.find_last_not_of(" \n");
  if (last == std::string::npos) return "";
  const std::size_t begin = last + 1 > most ? last + 1 - most : 0;
  return printable(text.substr(begin, last + 1 - begin));
}

// "the worker died of SIGSEGV while it was building 'P'".
std::string sentence(const WorkerLost& lost, const std::string& what) {
  std::string text = "the worker " + lost.how;
  switch (lost.phase.kind) {
    case WorkerActivityKind::kStart:
      text += " before it was at work";
      break;
    case WorkerActivityKind::kBuild:
      text += " while it was building";
      break;
    case WorkerActivityKind::kLaunch:
      text += " while it was launching";
      break;
  }
  if (!lost.phase.what.empty() && lost.phase.what != what) text += " " + lost.phase.what;
  return text;
}

OutcomeClass class_of(const WorkerLost& lost) {
  switch (lost.phase.kind) {
    case WorkerActivityKind::kLaunch:
      return lost.overstayed ? OutcomeClass::kHang : OutcomeClass::kLaunch;
    case WorkerActivityKind::kBuild:
      return lost.answered ? OutcomeClass::kBuild : OutcomeClass::kBuildCrash;
    case WorkerActivityKind::kStart:
      break;
  }
  // Twice in a row, with a health check between: it is the candidate, not the environment.
  return lost.answered ? OutcomeClass::kLaunch : OutcomeClass::kBuildCrash;
}

Outcome outcome_of(const WorkerLost& lost, const KernelId& kernel, const std::string& name) {
  Outcome outcome;
  outcome.kernel = kernel;
  outcome.result = class_of(lost);
  outcome.reason = sentence(lost, name);
  if (outcome.result == OutcomeClass::kBuildCrash) {
    outcome.build_log = lost.last_words;
  } else if (const std::string words = tail(lost.last_words, 300); !words.empty()) {
    outcome.reason += "; its last words: " + words;
  }
  return outcome;
}

// A request for some of the kernels, by their places.
MeasureRequest part_of(const MeasureRequest& request, const std::vector<std::size_t>& kernels) {
  MeasureRequest part = request;
  part.kernels.clear();
  part.names.clear();
  part.expected_ns.clear();
  for (const std::size_t kernel : kernels) {
    const auto expected = request.expected_ns.find(kernel);
    if (expected != request.expected_ns.end()) {
      part.expected_ns[part.kernels.size()] = expected->second;
    }
    part.kernels.push_back(request.kernels[kernel]);
    if (!request.names.empty()) part.names.push_back(request.names[kernel]);
  }
  return part;
}

// What a request may cost: ways of dying, and of hanging when the time is over.
constexpr int kMostLosses = 8;
constexpr int kMostLateLosses = 2;

}  // namespace

DeviceWorker::DeviceWorker(WorkerSetup setup, Opening opening)
    : ReplaceableWorker(std::move(setup)) {
  if (opening == Opening::kAtOnce) open();
}

void DeviceWorker::start_trial(const MeasureRequest& request) {
  request_ = request;
  reply_ = {};
  left_.resize(request.kernels.size());
  std::iota(left_.begin(), left_.end(), std::size_t{0});
  losses_ = {[this](const WorkerLost& lost) { return without_culprit(lost); }};
  start(measure_message());
}

json DeviceWorker::measure_message() const {
  return {{"do", "measure"}, {"request", part_of(request_, left_)}};
}

// Of one kernel it is always that one.
std::optional<json> DeviceWorker::without_culprit(const WorkerLost& lost) {
  const bool is_alone = request_.kernels.size() == 1;
  const auto culprit =
      is_alone ? left_.begin() : std::find_if(left_.begin(), left_.end(), [&](std::size_t kernel) {
        return request_.name(kernel) == lost.phase.what;
      });
  if (culprit == left_.end()) return std::nullopt;
  if (!lost.out_of_time || is_alone) {  // else it may merely have been late
    reply_.outcomes[*culprit] =
        outcome_of(lost, request_.kernels[*culprit], request_.name(*culprit));
  }
  left_.erase(culprit);
  return measure_message();
}

// The one rule for a worker that was lost. Once in a request what may be innocent is asked for
// again: where nothing of it has run, or somebody else ended the worker (what went before it, or
// the system, may be to blame), or nobody can be left out instead. Else the culprit is left out,
// and the others are asked for. nullopt: the request goes on.
std::optional<WorkerAnswer> DeviceWorker::ended(WorkerAnswer end) {
  const auto* lost = std::get_if<WorkerLost>(&end);
  if (lost == nullptr) return end;
  const bool is_late = lost->out_of_time || time_is_over();
  reply_.worker_lost = true;
  losses_.late += is_late ? 1 : 0;
  const bool is_enough = ++losses_.all >= kMostLosses || losses_.late >= kMostLateLosses;
  const bool once = !losses_.asked_again && !(is_late && request_.one_process);
  if (!once || !(lost->phase.kind == WorkerActivityKind::kStart || lost->killed)) {
    if (std::optional<json> rest = losses_.left_out(*lost)) {
      if (is_enough || request_.one_process || left_.empty()) return end;
      start(*std::move(rest));
      return std::nullopt;
    }
  }
  losses_.asked_again = true;
  if (!once || is_enough) return end;
  start(message());
  return std::nullopt;
}

// nullopt: a stop was requested.
std::optional<WorkerAnswer> DeviceWorker::wait() {
  for (;;) {
    if (StopSignal::requested()) {
      abandon();
      return std::nullopt;
    }
    if (std::optional<WorkerAnswer> end = ReplaceableWorker::poll()) {
      if (auto answer = ended(*std::move(end))) return answer;
    }
    WorkerProcess* const processes[] = {&process()};
    wait_for_any(processes, 1.0);
  }
}

// What is known of the request's kernels when it has ended.
MeasureReply DeviceWorker::reply_of(const WorkerAnswer& end) {
  if (const auto* answer = std::get_if<json>(&end)) {
    auto last = answer->get<MeasureReply>();
    reply_.device_time = last.device_time;
    reply_.large_bytes = last.large_bytes;
    for (auto& [kernel, outcome] : last.outcomes) {
      const std::size_t asked = left_.at(kernel);
      outcome.kernel = request_.kernels[asked];  // what is known of it was not on the way
      reply_.outcomes[asked] = std::move(outcome);
    }
  }
  return std::move(reply_);
}

Outcome DeviceWorker::outcome_of_one(const WorkerAnswer& end) {
  Outcome outcome = std::move(reply_of(end).outcomes.at(0));
  outcome.took_s = took_s();
  return outcome;
}

void DeviceWorker::start_prepare(const KernelId& kernel) {
  MeasureRequest request;
  request.kernels = {kernel};
  request.verify = false;
  start_trial(request);
}

std::optional<Outcome> DeviceWorker::poll() {
  std::optional<WorkerAnswer> end = ReplaceableWorker::poll();
  if (end) end = ended(*std::move(end));
  return end ? std::optional(outcome_of_one(*end)) : std::nullopt;
}

std::variant<Outcome, Stopped> DeviceWorker::trial(const MeasureRequest& request) {
  start_trial(request);
  if (const auto end = wait()) return outcome_of_one(*end);
  return Stopped{};
}

std::variant<MeasureReply, Stopped, OutOfTime> DeviceWorker::measure(
    const MeasureRequest& request) {
  start_trial(request);
  const auto end = wait();
  if (!end) return Stopped{};
  MeasureReply reply = reply_of(*end);
  if (std::holds_alternative<WorkerLost>(*end) && reply.outcomes.empty() && losses_.late > 0) {
    return OutOfTime{};
  }
  return reply;
}

std::variant<WorkerAnswer, Stopped> DeviceWorker::ask(const json& message,
                                                      const LeftOut& left_out) {
  request_ = {};
  left_ = {0};
  losses_ = {left_out};
  start(message);
  if (auto end = wait()) return *std::move(end);
  return Stopped{};
}

std::variant<RatesReply, Stopped> DeviceWorker::measure_rates(double most_s,
                                                              const DeviceRates& known,
                                                              Precision precision) {
  const auto answer =
      ask({{"do", "rates"}, {"seconds", most_s}, {"known", known}, {"precision", precision}},
          [](const WorkerLost&) { return std::optional<json>(); });
  if (std::holds_alternative<Stopped>(answer)) return Stopped{};
  const auto* reply = std::get_if<json>(&std::get<WorkerAnswer>(answer));
  return reply == nullptr ? RatesReply{} : reply->get<RatesReply>();
}

}  // namespace tilewright
