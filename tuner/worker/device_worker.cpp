#include "tuner/worker/device_worker.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "profiles/printable.hpp"
#include "tuner/records/tuning_json.hpp"
#include "tuner/terminal/stop_signal.hpp"
#include "tuner/worker/replaceable_worker.hpp"

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
std::string sentence(const LostRequest& lost, const std::string& candidate) {
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
  if (!lost.phase.what.empty() && lost.phase.what != candidate) text += " " + lost.phase.what;
  return text;
}

OutcomeClass class_of(const LostRequest& lost) {
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

Outcome outcome_of(const LostRequest& lost, const std::string& point) {
  Outcome outcome;
  outcome.point = point;
  outcome.result = class_of(lost);
  outcome.reason = sentence(lost, point);
  if (outcome.result == OutcomeClass::kBuildCrash) {
    outcome.build_log = lost.last_words;
  } else if (const std::string words = tail(lost.last_words, 300); !words.empty()) {
    outcome.reason += "; its last words: " + words;
  }
  return outcome;
}

// Nothing of the candidate has run, or somebody else ended the worker: what went before it, or the
// system, may be to blame. It is asked for once more.
bool may_be_innocent(const LostRequest& lost) {
  return lost.phase.kind == PhaseKind::kStart || lost.killed;
}

std::optional<std::size_t> index_in(const std::string& text) {
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return index;
}

}  // namespace

struct DeviceWorker::State {
  explicit State(WorkerSetup setup) : worker(std::move(setup)) {}

  void start_candidate(const std::string& point, ReplaceableWorker::Message message);
  std::optional<RequestEnd> wait();
  bool time_is_over() const;
  template <class Reply>
  std::variant<Reply, Stopped> ask_twice(const json& message);

  ReplaceableWorker worker;
  Lineup lineup;  // of the last round
  std::string candidate;
  ReplaceableWorker::Message message;  // of the candidate
  bool asked_again = false;
  std::optional<std::chrono::steady_clock::time_point> ends_at;
};

void DeviceWorker::State::start_candidate(const std::string& point,
                                          ReplaceableWorker::Message message_of_it) {
  candidate = point;
  message = std::move(message_of_it);
  asked_again = false;
  worker.start(message);
}

// nullopt: a stop was requested.
std::optional<RequestEnd> DeviceWorker::State::wait() {
  for (;;) {
    if (StopSignal::requested()) {
      worker.abandon();
      return std::nullopt;
    }
    if (std::optional<RequestEnd> end = worker.poll()) return end;
    WorkerProcess* const processes[] = {&worker.process()};
    wait_for_any(processes, 1.0);
  }
}

bool DeviceWorker::State::time_is_over() const {
  return ends_at && std::chrono::steady_clock::now() >= *ends_at;
}

// Ways of dying that packing may have before a demand is given up.
constexpr int kMostPackLosses = 8;
constexpr int kMostLatePackLosses = 2;  // when the time is over

template <class Reply>
std::variant<Reply, Stopped> DeviceWorker::State::ask_twice(const json& message_of_it) {
  for (int i = 0; i < 2; ++i) {
    worker.start([&](bool) { return message_of_it; });
    const std::optional<RequestEnd> end = wait();
    if (!end) return Stopped{};
    if (const auto* reply = std::get_if<json>(&*end)) return reply->get<Reply>();
  }
  return Reply{};
}

DeviceWorker::DeviceWorker(WorkerSetup setup) : state_(std::make_unique<State>(std::move(setup))) {
  state_->worker.open();
  state_->worker.on_phase = [this](const Phase& phase) {
    if (on_phase) on_phase(phase);
  };
}

DeviceWorker::~DeviceWorker() = default;

const DeviceFacts& DeviceWorker::facts() const {
  return state_->worker.facts();
}
bool DeviceWorker::busy() const {
  return state_->worker.busy();
}
WorkerProcess& DeviceWorker::process() {
  return state_->worker.process();
}
void DeviceWorker::abandon() {
  state_->worker.abandon();
}
void DeviceWorker::end_by(std::optional<std::chrono::steady_clock::time_point> end) {
  state_->ends_at = end;
  state_->worker.end_by(end);
}

void DeviceWorker::start_prepare(const std::string& point) {
  state_->start_candidate(point, [point](bool) {
    return request_message("prepare", {{"point", point}});
  });
}

void DeviceWorker::start_trial(const TrialRequest& request) {
  state_->start_candidate(request.point,
                          [request](bool) { return request_message("trial", request); });
}

std::optional<Outcome> DeviceWorker::poll() {
  State& state = *state_;
  const std::optional<RequestEnd> end = state.worker.poll();
  if (!end) return std::nullopt;
  Outcome outcome;
  if (const auto* lost = std::get_if<LostRequest>(&*end)) {
    if (may_be_innocent(*lost) && !state.asked_again) {
      state.asked_again = true;
      state.worker.start(state.message);
      return std::nullopt;
    }
    outcome = outcome_of(*lost, state.candidate);
  } else {
    outcome = std::get<json>(*end).get<Outcome>();
  }
  outcome.took_s = state.worker.took_s();
  return outcome;
}

std::variant<Outcome, Stopped> DeviceWorker::check(const CheckRequest& request) {
  state_->start_candidate(request.kernel,
                          [request](bool) { return request_message("check", request); });
  return wait_for_outcome();
}

std::variant<Outcome, Stopped> DeviceWorker::trial(const TrialRequest& request) {
  start_trial(request);
  return wait_for_outcome();
}

std::variant<Outcome, Stopped> DeviceWorker::wait_for_outcome() {
  for (;;) {
    if (StopSignal::requested()) {
      abandon();
      return Stopped{};
    }
    if (std::optional<Outcome> outcome = poll()) return *std::move(outcome);
    WorkerProcess* const processes[] = {&process()};
    wait_for_any(processes, 1.0);
  }
}

std::variant<RoundReply, Stopped, OutOfTime> DeviceWorker::round(const RoundRequest& request) {
  State& state = *state_;
  if (!request.lineup.finalists.empty()) state.lineup = request.lineup;
  RoundRequest asked = request;
  std::map<std::size_t, std::string> failures;
  bool asked_again = false;
  for (;;) {
    state.worker.start([&](bool fresh) {
      RoundRequest sent = asked;
      if (fresh) sent.lineup = state.lineup;  // it never heard of it
      return request_message("round", sent);
    });
    const std::optional<RequestEnd> end = state.wait();
    if (!end) return Stopped{};
    if (const auto* answer = std::get_if<json>(&*end)) {
      auto reply = answer->get<RoundReply>();
      reply.failures.merge(failures);
      return reply;
    }
    const LostRequest& lost = std::get<LostRequest>(*end);
    const bool over = lost.out_of_time || state.time_is_over();
    if (may_be_innocent(lost) && !asked_again && !over) {
      asked_again = true;
      continue;
    }
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
  bool asked_again = false;
  int late_losses = 0;
  for (int losses = 0; losses < kMostPackLosses && late_losses < kMostLatePackLosses; ++losses) {
    state_->worker.start([&](bool) { return request_message("pack", left); });
    const std::optional<RequestEnd> end = state_->wait();
    if (!end) return Stopped{};
    if (const auto* reply = std::get_if<json>(&*end)) return reply->get<PackReply>();
    const LostRequest& lost = std::get<LostRequest>(*end);
    if (may_be_innocent(lost) && !asked_again) {
      asked_again = true;
    } else {
      left.excluded.push_back(lost.phase.what);
      const bool known = !lost.phase.what.empty() && !lost.out_of_time;
      if (known && on_lost_pack) on_lost_pack(outcome_of(lost, lost.phase.what));
    }
    if (state_->time_is_over()) ++late_losses;
  }
  return PackReply{};
}

std::variant<DeviceRates, Stopped> DeviceWorker::measure_rates(double most_s) {
  return state_->ask_twice<DeviceRates>({{"do", "rates"}, {"seconds", most_s}});
}

}  // namespace tilewright
