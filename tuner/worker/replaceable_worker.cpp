#include "tuner/worker/replaceable_worker.hpp"

#include <fmt/format.h>

#include "tuner/device/device_choice.hpp"
#include "tuner/records/tuning_json.hpp"
#include "tuner/terminal/stop_signal.hpp"
#include "tuner/worker/worker_lines.hpp"

namespace tilewright {
namespace {

using nlohmann::json;

constexpr int kMostFailedChecks = 3;
// Before a new worker opens the device: a driver that resets a GPU takes seconds.
constexpr double kSettle_s[kMostFailedChecks] = {0.0, 2.0, 10.0};

std::string error_text(const json& message) {
  return message.at("error").value("message", "it did not say which");
}

std::string what_it_did(const WorkerAnswer& answer) {
  if (const auto* lost = std::get_if<WorkerLost>(&answer)) {
    return lost->how + "." + last_words_sentence(lost->last_words);
  }
  return "reported an error: " + error_text(std::get<json>(answer)) + ".";
}

// A driver that names its devices in another order after a crash must not give a tuning of a
// Mali-T628's four cores its two.
std::optional<std::string> other_device(const DeviceIdentity& first, const DeviceIdentity& now) {
  if (auto mismatch = hard_mismatch(first, now)) return mismatch;
  if (first.compute_units == now.compute_units) return std::nullopt;
  return fmt::format("it has {} compute units instead of {}", now.compute_units,
                     first.compute_units);
}

}  // namespace

ReplaceableWorker::ReplaceableWorker(WorkerSetup setup) : setup_(std::move(setup)) {
  launch();
}

void ReplaceableWorker::launch() {
  std::vector<std::string> arguments = {"worker"};
  const auto add = [&](const char* option, const std::string& value) {
    if (!value.empty()) arguments.insert(arguments.end(), {option, value});
  };
  add("--device", setup_.device);
  add("--cache-dir", setup_.cache_dir);
  add("--sysfs", setup_.sysfs);
  const double settle_s = kSettle_s[failed_checks_];
  add("--settle", settle_s > 0.0 ? fmt::format("{:g}", settle_s) : "");
  // A new worker gets its time in any case, and its health check too: a device that is back is
  // worth knowing, and one that is merely slow must not be given up.
  Deadlines deadlines = setup_.deadlines;
  deadlines.end.reset();
  process_ = std::make_unique<WorkerProcess>(setup_.program, arguments, deadlines);
  process_->on_phase = [this](const WorkerActivity& phase) {
    if (step_ == Step::kAtWork && on_phase) on_phase(phase);
  };
  step_ = Step::kOpening;
  process_->send({{"do", "hello"}});
}

void ReplaceableWorker::open() {
  for (;;) {
    if (StopSignal::requested()) {
      process_->kill();
      throw StoppedBeforeWork("stopped before the device was open; nothing was added");
    }
    WorkerProcess* const processes[] = {process_.get()};
    wait_for_any(processes, 1.0);
    const std::optional<WorkerAnswer> answer = process_->poll();
    if (!answer) continue;
    if (const auto* lost = std::get_if<WorkerLost>(&*answer)) {
      throw std::runtime_error(fmt::format("the worker process {} while it opened the device.{}",
                                           lost->how, last_words_sentence(lost->last_words)));
    }
    const json& message = std::get<json>(*answer);
    if (message.contains("error")) throw_error(message["error"]);
    const json& reply = message.at("reply");
    facts_ = reply.get<DeviceInfo>();
    say_failures(reply.value("failures", std::vector<std::string>()));
    step_ = Step::kIdle;
    return;
  }
}

void ReplaceableWorker::start(json message) {
  message_ = std::move(message);
  if (!process_->alive()) {
    launch();
    return;
  }
  step_ = Step::kAtWork;
  begin_ = std::chrono::steady_clock::now();
  process_->end_by(setup_.deadlines.end);
  process_->send(message_);
}

std::optional<WorkerAnswer> ReplaceableWorker::poll() {
  while (step_ != Step::kIdle) {
    const std::optional<WorkerAnswer> answer = process_->poll();
    if (!answer) return std::nullopt;
    if (step_ != Step::kAtWork) {
      advance(*answer);
      continue;
    }
    step_ = Step::kIdle;
    took_s_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
    if (const auto* lost = std::get_if<WorkerLost>(&*answer)) return lose(*lost);
    return request_end(std::get<json>(*answer));
  }
  return std::nullopt;
}

WorkerAnswer ReplaceableWorker::request_end(const json& message) {
  const auto reply = message.find("reply");
  if (reply != message.end()) return *reply;
  // A context that has seen an error may fail for everything that comes after it.
  process_->kill();
  WorkerLost lost;
  lost.phase = process_->phase();
  lost.how = "reported an error: " + error_text(message);
  lost.answered = true;
  return lose(std::move(lost));
}

WorkerLost ReplaceableWorker::lose(WorkerLost lost) {
  last_loss_ = fmt::format("the worker process {}{}.{} ", lost.how,
                           lost.phase.what.empty() ? "" : " at work on " + lost.phase.what,
                           last_words_sentence(lost.last_words));
  return lost;
}

// A new worker on its way to the request.
void ReplaceableWorker::advance(const WorkerAnswer& answer) {
  const auto* message = std::get_if<json>(&answer);
  if (message == nullptr || !message->contains("reply")) {
    health_failed(what_it_did(answer));
  } else if (step_ == Step::kOpening) {
    const auto now = message->at("reply").get<DeviceInfo>();
    const std::optional<std::string> other = other_device(facts_.identity, now.identity);
    if (other) {
      health_failed("found another device: " + *other);
    } else {
      step_ = Step::kChecking;
      process_->send({{"do", "health"}});
    }
  } else {
    failed_checks_ = 0;
    start(std::move(message_));
  }
}

void ReplaceableWorker::health_failed(const std::string& what) {
  process_->kill();
  if (++failed_checks_ < kMostFailedChecks) {
    launch();
    return;
  }
  failed_checks_ = 0;
  step_ = Step::kIdle;
  throw DeviceLost(fmt::format(
      "the device does not answer any more: {}{} new workers in a row failed their health check; "
      "the last one {} Nothing that was measured is lost. Reboot the board (a GPU that hangs often "
      "needs it; dmesg may say more) and run the same command again: it continues where it stopped",
      last_loss_, kMostFailedChecks, what));
}

void ReplaceableWorker::end_by(std::optional<std::chrono::steady_clock::time_point> end) {
  setup_.deadlines.end = end;
  if (step_ == Step::kIdle || step_ == Step::kAtWork) process_->end_by(end);
}

bool ReplaceableWorker::time_is_over() const {
  const auto& end = setup_.deadlines.end;
  return end && std::chrono::steady_clock::now() >= *end;
}

void ReplaceableWorker::abandon() {
  process_->kill();
  step_ = Step::kIdle;
}

}  // namespace tilewright
