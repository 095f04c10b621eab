#include "tuner/worker/device_worker.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "profiles/printable.hpp"
#include "tuner/records/tuning_json.hpp"
#include "tuner/terminal/stop_signal.hpp"

namespace tilewright {
namespace {

using nlohmann::json;

json request_message(const char* what, const json& request) {
  return {{"do", what}, {"request", request}};
}

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
    case PhaseKind::kStart:
      text += " before it was at work";
      break;
    case PhaseKind::kBuild:
      text += " while it was building";
      break;
    case PhaseKind::kLaunch:
      text += " while it was launching";
      break;
  }
  if (!lost.phase.what.empty() && lost.phase.what != what) text += " " + lost.phase.what;
  return text;
}

OutcomeClass class_of(const WorkerLost& lost) {
  switch (lost.phase.kind) {
    case PhaseKind::kLaunch:
      return lost.overstayed ? OutcomeClass::kHang : OutcomeClass::kLaunch;
    case PhaseKind::kBuild:
      return lost.answered ? OutcomeClass::kBuild : OutcomeClass::kBuildCrash;
    case PhaseKind::kStart:
      break;
  }
  // Twice in a row, with a health check between: it is the candidate, not the environment.
  return lost.answered ? OutcomeClass::kLaunch : OutcomeClass::kBuildCrash;
}

Outcome outcome_of(const WorkerLost& lost, const KernelId& kernel, const std::string& what) {
  Outcome outcome;
  outcome.kernel = kernel;
  outcome.result = class_of(lost);
  outcome.reason = sentence(lost, what);
  if (outcome.result == OutcomeClass::kBuildCrash) {
    outcome.build_log = lost.last_words;
  } else if (const std::string words = tail(lost.last_words, 300); !words.empty()) {
    outcome.reason += "; its last words: " + words;
  }
  return outcome;
}

std::optional<std::size_t> index_in(const std::string& text) {
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return index;
}

}  // namespace

// Ways of dying that packing may have before a demand is given up.
constexpr int kMostPackLosses = 8;
constexpr int kMostLatePackLosses = 2;  // when the time is over

DeviceWorker::DeviceWorker(WorkerSetup setup, Opening opening)
    : ReplaceableWorker(std::move(setup)) {
  if (opening == Opening::kAtOnce) open();
}

void DeviceWorker::begin(const KernelId& kernel, const std::string& what, Message message) {
  kernel_ = kernel;
  what_ = what;
  asked_again_ = false;
  start(std::move(message));
}

// The one rule for a worker that was lost: once in a request what may be innocent is asked for
// again. That is so where nothing of it has run, or somebody else ended the worker (what went
// before it, or the system, may be to blame), and where no kernel could be left out instead.
bool DeviceWorker::ask_again(const WorkerLost& lost, bool has_culprit) {
  const bool innocent = lost.phase.kind == PhaseKind::kStart || lost.killed || !has_culprit;
  return innocent && !std::exchange(asked_again_, true);
}

// nullopt: a stop was requested.
std::optional<WorkerAnswer> DeviceWorker::wait() {
  for (;;) {
    if (StopSignal::requested()) {
      abandon();
      return std::nullopt;
    }
    if (std::optional<WorkerAnswer> end = ReplaceableWorker::poll()) return end;
    WorkerProcess* const processes[] = {&process()};
    wait_for_any(processes, 1.0);
  }
}

void DeviceWorker::start_prepare(const KernelId& kernel) {
  begin(kernel, kernel.text(), [kernel](bool) {
    return request_message("prepare", {{"point", kernel}});
  });
}

void DeviceWorker::start_trial(const TrialRequest& request) {
  begin(request.kernel, request.kernel.text(),
        [request](bool) { return request_message("trial", request); });
}

// nullopt: the candidate is asked for once more.
std::optional<Outcome> DeviceWorker::judged(const WorkerAnswer& end) {
  Outcome outcome;
  if (const auto* lost = std::get_if<WorkerLost>(&end)) {
    if (ask_again(*lost)) {
      start_again();
      return std::nullopt;
    }
    outcome = outcome_of(*lost, kernel_, what_);
  } else {
    outcome = std::get<json>(end).get<Outcome>();
    outcome.kernel = kernel_;  // what is known of it was not on the way
  }
  outcome.took_s = took_s();
  return outcome;
}

std::optional<Outcome> DeviceWorker::poll() {
  const std::optional<WorkerAnswer> end = ReplaceableWorker::poll();
  return end ? judged(*end) : std::nullopt;
}

std::variant<Outcome, Stopped> DeviceWorker::check(const CheckRequest& request) {
  begin({}, request.kernel, [request](bool) { return request_message("check", request); });
  return wait_for_outcome();
}

std::variant<Outcome, Stopped> DeviceWorker::trial(const TrialRequest& request) {
  start_trial(request);
  return wait_for_outcome();
}

std::variant<Outcome, Stopped> DeviceWorker::wait_for_outcome() {
  while (const std::optional<WorkerAnswer> end = wait()) {
    if (std::optional<Outcome> outcome = judged(*end)) return *std::move(outcome);
  }
  return Stopped{};
}

std::variant<RoundReply, Stopped, OutOfTime> DeviceWorker::round(const RoundRequest& request) {
  if (!request.lineup.finalists.empty()) lineup_ = request.lineup;
  RoundRequest asked = request;
  std::map<std::size_t, std::string> failures;
  asked_again_ = false;
  for (;;) {
    start([&](bool fresh) {
      RoundRequest sent = asked;
      if (fresh) sent.lineup = lineup_;  // it never heard of it
      return request_message("round", sent);
    });
    const std::optional<WorkerAnswer> end = wait();
    if (!end) return Stopped{};
    if (const auto* answer = std::get_if<json>(&*end)) {
      auto reply = answer->get<RoundReply>();
      reply.failures.merge(failures);
      return reply;
    }
    const WorkerLost& lost = std::get<WorkerLost>(*end);
    const bool over = lost.out_of_time || time_is_over();
    if (!over && ask_again(lost)) continue;
    const std::optional<std::size_t> finalist = index_in(lost.phase.what);
    if (finalist && !lost.out_of_time && std::erase(asked.runs, *finalist) > 0) {
      failures[*finalist] =
          fmt::format("{}: {}", to_text(class_of(lost)), sentence(lost, lost.phase.what));
      if (!over) continue;
    }
    if (over && failures.empty()) return OutOfTime{};
    RoundReply reply;  // no finalist is to blame, or there is no time for the others
    reply.round.block = request.block;
    reply.round.round = request.round;
    reply.round.shape = request.shape;
    reply.failures = failures;
    return reply;
  }
}

std::variant<PackReply, Stopped> DeviceWorker::tune_pack(const PackRequest& request) {
  PackRequest left = request;
  asked_again_ = false;
  int late_losses = 0;
  for (int losses = 0; losses < kMostPackLosses && late_losses < kMostLatePackLosses; ++losses) {
    start([&](bool) { return request_message("pack", left); });
    const std::optional<WorkerAnswer> end = wait();
    if (!end) return Stopped{};
    if (const auto* reply = std::get_if<json>(&*end)) return reply->get<PackReply>();
    const WorkerLost& lost = std::get<WorkerLost>(*end);
    if (!ask_again(lost)) {
      const KernelId kernel = parse_kernel(lost.phase.what);
      left.excluded.push_back(kernel);
      const bool known = !kernel.empty() && !lost.out_of_time;
      if (known && on_lost_pack) on_lost_pack(outcome_of(lost, kernel, kernel.text()));
    }
    if (time_is_over()) ++late_losses;
  }
  return PackReply{};
}

std::variant<RatesReply, Stopped> DeviceWorker::measure_rates(double most_s,
                                                              const DeviceRates& known) {
  const json message = {{"do", "rates"}, {"seconds", most_s}, {"known", known}};
  begin({}, kMicroBenchmarks, [message](bool) { return message; });
  while (const std::optional<WorkerAnswer> end = wait()) {
    if (const auto* reply = std::get_if<json>(&*end)) return reply->get<RatesReply>();
    if (!ask_again(std::get<WorkerLost>(*end), false)) return RatesReply{};
    start_again();
  }
  return Stopped{};
}

}  // namespace tilewright
