#include "tuner/process/device_worker.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tuner/journal/records/tuning_json.hpp"
#include "tuner/process/stop_signal.hpp"
#include "tuner/process/worker_lines.hpp"

namespace tilewright {
namespace {

constexpr int kMaxFailedChecks = 3;  // in succession, after which the device counts as unusable
// Delay before a new worker opens the device, since a driver needs seconds to reset a GPU.
constexpr double kSettle_s[kMaxFailedChecks] = {0.0, 2.0, 10.0};
// Limits on the worker processes that a request may lose: in total, and after its time is over.
constexpr int kMaxLosses = 8;
constexpr int kMaxLateLosses = 2;

// Returns how the device of a new worker differs from the first one; nullopt if they agree. After a
// crash a driver may list its devices in another order. A tuning of the four cores of a Mali-T628
// must not continue on the device with two cores.
std::optional<std::string> other_device(const DeviceIdentity& first, const DeviceIdentity& now) {
  if (auto mismatch = hard_mismatch(first, now)) return mismatch;
  if (first.compute_units == now.compute_units) return std::nullopt;
  return fmt::format("it has {} compute units instead of {}", now.compute_units,
                     first.compute_units);
}

// Removes the kernel from the request.
void leave_out(const Outcome& outcome, MeasureRequest& request) {
  const auto kernel = std::ranges::find(request.kernels, outcome.kernel);
  if (kernel == request.kernels.end()) {
    std::erase(request.names, outcome.name);
    return;
  }
  const auto place = kernel - request.kernels.begin();
  if (std::cmp_less(place, request.expected_ns.size())) {
    request.expected_ns.erase(request.expected_ns.begin() + place);
  }
  request.kernels.erase(kernel);
}

}  // namespace

DeviceWorker::DeviceWorker(WorkerSetup setup, Opening opening) : setup_(std::move(setup)) {
  if (opening == Opening::kNever) {
    start_process();
    return;
  }
  launch();
  if (opening != Opening::kAtOnce) return;
  try {
    open();
  } catch (...) {
    if (alive()) kill();  // there will be no destructor
    throw;
  }
}

void DeviceWorker::start_process() {
  std::vector<std::string> arguments = {"worker"};
  const auto add = [&](const char* option, const std::string& value) {
    if (!value.empty()) arguments.insert(arguments.end(), {option, value});
  };
  add("--device", setup_.device);
  add("--cache-dir", setup_.cache_dir);
  add("--sysfs", setup_.sysfs);
  add("--icd", setup_.icd_file);
  const double settle_s = kSettle_s[failed_checks_];
  add("--settle", settle_s > 0.0 ? fmt::format("{:g}", settle_s) : "");
  process_ = {launch_worker(setup_.program, arguments)};
}

// Starts a process and has it open the device.
void DeviceWorker::launch() {
  start_process();
  step_ = Step::kOpening;
  write_request({{"do", "hello"}});
}

void DeviceWorker::open() {
  std::optional<WorkerAnswer> answer;
  while (!(answer = poll_process())) {
    if (StopSignal::requested()) {
      abandon();
      throw StoppedBeforeWork("stopped before the device was opened; the journal is unchanged");
    }
    const DeviceWorker* const self = this;
    wait_for_any({&self, 1}, 1.0);
  }
  step_ = Step::kIdle;
  if (const auto* lost = std::get_if<WorkerLost>(&*answer)) {
    if (lost->error) std::rethrow_exception(lost->error);
    throw std::runtime_error(fmt::format("the worker process {} while it opened the device.{}",
                                         lost->how, last_words_sentence(lost->last_words)));
  }
  opened_ = std::get<nlohmann::json>(*answer).get<OpenedDevice>();
  if (setup_.on_failures) setup_.on_failures(opened_.failures);
}

// Sends the message of the current request, to a new worker if there is none.
void DeviceWorker::send() {
  if (!alive()) {
    launch();
    return;
  }
  step_ = Step::kAtWork;
  start_ = std::chrono::steady_clock::now();
  write_request(message_());
}

void DeviceWorker::start(Message message, LeaveOut leave_out) {
  message_ = std::move(message);
  leave_out_ = std::move(leave_out);
  losses_ = late_losses_ = 0;
  asked_again_ = false;
  lost_.clear();
  send();
}

// Returns the end of the request; nullopt while it continues.
std::optional<WorkerAnswer> DeviceWorker::next_answer() {
  while (step_ != Step::kIdle) {
    std::optional<WorkerAnswer> answer = poll_process();
    if (!answer) return std::nullopt;
    if (step_ != Step::kAtWork) {
      advance(*answer);
      continue;
    }
    step_ = Step::kIdle;
    took_s_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    const auto* lost = std::get_if<WorkerLost>(&*answer);
    if (lost == nullptr || !continues_after(*lost)) return answer;
  }
  return std::nullopt;
}

// Returns nullopt if a stop was requested.
std::optional<WorkerAnswer> DeviceWorker::wait() {
  for (;;) {
    if (StopSignal::requested()) {
      abandon();
      return std::nullopt;
    }
    if (std::optional<WorkerAnswer> end = next_answer()) return end;
    const DeviceWorker* const self = this;
    wait_for_any({&self, 1}, 1.0);
  }
}

// Takes a new worker through opening and health check, then sends it the request.
void DeviceWorker::advance(const WorkerAnswer& answer) {
  if (const auto* lost = std::get_if<WorkerLost>(&answer)) {
    health_failed(lost->how + "." + last_words_sentence(lost->last_words));
  } else if (step_ == Step::kOpening) {
    const auto now = std::get<nlohmann::json>(answer).get<OpenedDevice>();
    if (const auto other = other_device(facts().identity, now.device.identity)) {
      health_failed("found another device: " + *other);
    } else {
      step_ = Step::kChecking;
      write_request({{"do", "health"}});
    }
  } else {
    failed_checks_ = 0;
    send();
  }
}

void DeviceWorker::health_failed(const std::string& what) {
  kill();
  if (++failed_checks_ < kMaxFailedChecks) {
    launch();
    return;
  }
  failed_checks_ = 0;
  step_ = Step::kIdle;
  throw DeviceLost(fmt::format(
      "the device does not respond any more: {}{} new worker processes in a row failed the health "
      "check; the last one {} No results are lost. Reboot the board (a GPU that hangs often needs "
      "this; dmesg may show more) and run the same command again to resume",
      last_loss_, kMaxFailedChecks, what));
}

// Decides how a request continues after a loss. Returns false if it ends.
//
// The whole request is sent again, at most once, if the kernel may not be the cause: nothing of the
// request had run yet, or another process or the system killed the worker, or there is nothing to
// leave out. Otherwise the kernel that was running is left out, and the remaining ones are
// requested.
bool DeviceWorker::continues_after(const WorkerLost& lost) {
  last_loss_ = fmt::format("the worker process {}{}.{} ", lost.how,
                           lost.activity.what.empty() ? "" : " while it ran " + lost.activity.what,
                           last_words_sentence(lost.last_words));
  const auto& end = setup_.deadlines.end;
  const bool is_late = lost.out_of_time || (end && std::chrono::steady_clock::now() >= *end);
  late_losses_ += is_late ? 1 : 0;
  const bool is_enough = ++losses_ >= kMaxLosses || late_losses_ >= kMaxLateLosses;
  if (!leave_out_) return false;
  const bool once = !asked_again_ && !(is_late && request_.one_process);
  const bool may_be_innocent = lost.activity.kind == WorkerActivityKind::kStart || lost.killed;
  if ((!once || !may_be_innocent) && leave_out_(lost)) {
    const bool is_all = !expected_.empty() && request_.num_kernels() == 0;
    if (is_enough || is_all || request_.one_process) return false;
  } else {
    asked_again_ = true;
    if (!once || is_enough) return false;
  }
  send();
  return true;
}

void DeviceWorker::abandon() {
  kill();
  step_ = Step::kIdle;
}

void DeviceWorker::start(const MeasureRequest& request) {
  request_ = request;
  is_single_ = request.num_kernels() == 1;
  expected_ = requested_outcomes(request);
  start(
      [this] {
        return nlohmann::json{{"do", "measure"}, {"request", request_}};
      },
      [this](const WorkerLost& lost) { return leave_out_culprit(lost); });
}

// In a request for a single kernel, the culprit is always that kernel.
bool DeviceWorker::leave_out_culprit(const WorkerLost& lost) {
  const auto culprit = is_single_
                           ? expected_.begin()
                           : std::ranges::find(expected_, lost.activity.what, &Outcome::label);
  if (culprit == expected_.end()) return false;
  leave_out(*culprit, request_);
  if (!lost.out_of_time || is_single_) {  // Otherwise it may merely have been late.
    set_loss(lost, lost_.emplace_back(*culprit));
  }
  return true;
}

// Returns the outcomes of the request: those of kernels that killed a worker, and those in its last
// answer `end`, unless the worker was lost. Must be called once per request.
Outcomes DeviceWorker::take_outcomes(const WorkerAnswer& end) {
  Outcomes all = std::exchange(lost_, {});
  if (const auto* reply = std::get_if<nlohmann::json>(&end)) {
    for (Outcome& outcome : reply->at("outcomes").get<Outcomes>()) {
      all.push_back(std::move(outcome));
    }
  }
  Outcomes outcomes;
  for (const Outcome& expected : expected_) {
    const auto found = std::ranges::find(all, expected.label(), &Outcome::label);
    if (found == all.end()) continue;
    found->kernel = expected.kernel;  // it may know its facts already
    outcomes.push_back(std::move(*found));
  }
  if (is_single_ && !outcomes.empty()) outcomes.front().took_s = rounded(took_s_);
  return outcomes;
}

std::optional<Outcome> DeviceWorker::poll() {
  const std::optional<WorkerAnswer> end = next_answer();
  return end ? std::optional(std::move(take_outcomes(*end).at(0))) : std::nullopt;
}

std::variant<Outcome, Stopped> DeviceWorker::trial(const MeasureRequest& request) {
  start(request);
  if (const auto end = wait()) return std::move(take_outcomes(*end).at(0));
  return Stopped{};
}

std::variant<Outcomes, Stopped, OutOfTime> DeviceWorker::run(const MeasureRequest& request) {
  start(request);
  const auto end = wait();
  if (!end) return Stopped{};
  Outcomes outcomes = take_outcomes(*end);
  if (std::holds_alternative<WorkerLost>(*end) && outcomes.empty() && late_losses_ > 0) {
    return OutOfTime{};
  }
  return outcomes;
}

std::variant<WorkerAnswer, Stopped> DeviceWorker::run(Message message, LeaveOut leave_out) {
  request_ = {};
  expected_.clear();
  start(std::move(message), std::move(leave_out));
  if (auto end = wait()) return *std::move(end);
  return Stopped{};
}

std::variant<MeasuredRates, Stopped> DeviceWorker::measure_rates(double max_s,
                                                                 const DeviceRates& known,
                                                                 Precision precision) {
  const auto message = [&] {
    return nlohmann::json{
        {"do", "rates"}, {"seconds", max_s}, {"known", known}, {"precision", precision}};
  };
  const auto answer = run(message, [](const WorkerLost&) { return false; });
  if (std::holds_alternative<Stopped>(answer)) return Stopped{};
  const auto* reply = std::get_if<nlohmann::json>(&std::get<WorkerAnswer>(answer));
  return reply == nullptr ? MeasuredRates{} : reply->get<MeasuredRates>();
}

}  // namespace tilewright
