#include "tuner/process/device_worker.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "tuner/journal/records/tuning_json.hpp"
#include "tuner/process/worker_lines.hpp"

namespace tilewright {
namespace {

// Delays before new workers open the device, since a driver needs seconds to reset a GPU. If all of
// these workers fail, the device counts as unusable.
constexpr double kSettle_s[] = {0.0, 2.0, 10.0};
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
  start_process(0.0);
  if (opening == Opening::kAtOnce) open();
  process_.is_ready = true;
}

void DeviceWorker::start_process(double settle_s) {
  std::vector<std::string> arguments = {"worker"};
  const auto add = [&](const char* option, const std::string& value) {
    if (!value.empty()) arguments.insert(arguments.end(), {option, value});
  };
  add("--device", setup_.device);
  add("--cache-dir", setup_.cache_dir);
  add("--sysfs", setup_.sysfs);
  add("--icd", setup_.icd_file);
  add("--settle", settle_s > 0.0 ? fmt::format("{:g}", settle_s) : "");
  process_ = {launch_worker(setup_.program, arguments)};
}

void DeviceWorker::open() {
  const std::optional<WorkerAnswer> answer = ask({{"do", "hello"}});
  if (!answer) {
    throw StoppedBeforeWork("stopped before the device was opened; the journal is unchanged");
  }
  if (const auto* lost = std::get_if<WorkerLost>(&*answer)) {
    if (lost->error) std::rethrow_exception(lost->error);
    throw std::runtime_error(fmt::format("the worker process {} while it opened the device.{}",
                                         lost->how, last_words_sentence(lost->last_words)));
  }
  try {
    opened_ = std::get<nlohmann::json>(*answer).get<OpenedDevice>();
    if (setup_.on_failures) setup_.on_failures(opened_.failures);
  } catch (...) {
    kill();  // there will be no destructor
    throw;
  }
}

// Starts processes until one opens the same device and passes the health check. Returns false if
// the request is to end early.
bool DeviceWorker::replace_process() {
  std::string failure;
  for (const double settle_s : kSettle_s) {
    if (is_interrupted()) return false;
    start_process(settle_s);
    std::optional<WorkerAnswer> answer = ask({{"do", "hello"}});
    if (const auto* reply = answer ? std::get_if<nlohmann::json>(&*answer) : nullptr) {
      const auto now = reply->get<OpenedDevice>();
      if (const auto other = other_device(facts().identity, now.device.identity)) {
        failure = "found another device: " + *other;
        kill();
        continue;
      }
      answer = ask({{"do", "health"}});
    }
    if (!answer) return false;
    const auto* lost = std::get_if<WorkerLost>(&*answer);
    if (lost == nullptr) {
      process_.is_ready = true;
      return true;
    }
    failure = lost->how + "." + last_words_sentence(lost->last_words);
  }
  throw DeviceLost(fmt::format(
      "the device does not respond any more: {}{} new worker processes in a row failed the health "
      "check; the last one {} No results are lost. Reboot the board (a GPU that hangs often needs "
      "this; dmesg may show more) and run the same command again to resume",
      last_loss_, std::size(kSettle_s), failure));
}

// Sends one message and returns the answer; nullopt if the request is to end early.
std::optional<WorkerAnswer> DeviceWorker::ask(const nlohmann::json& request) {
  write_request(request);
  while (!is_interrupted()) {
    if (std::optional<WorkerAnswer> answer = read_process()) return answer;
    wait_for_process();
  }
  abandon();
  return std::nullopt;
}

// Sends a request, after losses to new processes, until it has an answer. Returns nullopt if it is
// to end early.
std::optional<WorkerAnswer> DeviceWorker::complete(const Message& message,
                                                   const LeaveOut& leave_out) {
  losses_ = late_losses_ = 0;
  asked_again_ = false;
  while (alive() || replace_process()) {
    const auto start = std::chrono::steady_clock::now();
    std::optional<WorkerAnswer> answer = ask(message());
    took_s_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    const auto* lost = answer ? std::get_if<WorkerLost>(&*answer) : nullptr;
    if (lost == nullptr || !continues_after(*lost, leave_out)) return answer;
  }
  return std::nullopt;
}

// Decides how a request continues after a loss. Returns false if it ends.
//
// The whole request is sent again, at most once, if the kernel may not be the cause: nothing of the
// request had run yet, or another process or the system killed the worker, or there is nothing to
// leave out. Otherwise the kernel that was running is left out, and the remaining ones are
// requested.
bool DeviceWorker::continues_after(const WorkerLost& lost, const LeaveOut& leave_out) {
  last_loss_ = fmt::format("the worker process {}{}.{} ", lost.how,
                           lost.activity.what.empty() ? "" : " while it ran " + lost.activity.what,
                           last_words_sentence(lost.last_words));
  const auto& end = setup_.deadlines.end;
  const bool is_late = lost.out_of_time || (end && std::chrono::steady_clock::now() >= *end);
  late_losses_ += is_late ? 1 : 0;
  const bool is_enough = ++losses_ >= kMaxLosses || late_losses_ >= kMaxLateLosses;
  if (!leave_out) return false;
  const bool once = !asked_again_ && !(is_late && request_.one_process);
  const bool may_be_innocent = lost.activity.kind == WorkerActivityKind::kStart || lost.killed;
  if ((!once || !may_be_innocent) && leave_out(lost)) {
    const bool is_all = !expected_.empty() && request_.num_kernels() == 0;
    if (is_enough || is_all || request_.one_process) return false;
  } else {
    asked_again_ = true;
    if (!once || is_enough) return false;
  }
  return true;
}

std::optional<WorkerAnswer> DeviceWorker::measure(
    const MeasureRequest& request, std::chrono::steady_clock::time_point give_up_at) {
  give_up_at_ = give_up_at;
  request_ = request;
  expected_ = requested_outcomes(request);
  lost_.clear();
  return complete(
      [this] {
        return nlohmann::json{{"do", "measure"}, {"request", request_}};
      },
      [this](const WorkerLost& lost) { return leave_out_culprit(lost); });
}

// In a request for a single kernel, the culprit is always that kernel.
bool DeviceWorker::leave_out_culprit(const WorkerLost& lost) {
  const bool is_single = expected_.size() == 1;
  const auto culprit = is_single
                           ? expected_.begin()
                           : std::ranges::find(expected_, lost.activity.what, &Outcome::label);
  if (culprit == expected_.end()) return false;
  leave_out(*culprit, request_);
  if (!lost.out_of_time || is_single) {  // Otherwise it may merely have been late.
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
  if (expected_.size() == 1 && !outcomes.empty()) outcomes.front().took_s = rounded(took_s_);
  return outcomes;
}

std::variant<Outcome, Stopped> DeviceWorker::trial(
    const MeasureRequest& request, std::chrono::steady_clock::time_point give_up_at) {
  const auto end = measure(request, give_up_at);
  if (!end) return Stopped{};
  return std::move(take_outcomes(*end).at(0));
}

std::variant<Outcomes, Stopped, OutOfTime> DeviceWorker::run(const MeasureRequest& request) {
  const auto end = measure(request, kNeverGivenUp);
  if (!end) return Stopped{};
  Outcomes outcomes = take_outcomes(*end);
  if (std::holds_alternative<WorkerLost>(*end) && outcomes.empty() && late_losses_ > 0) {
    return OutOfTime{};
  }
  return outcomes;
}

std::variant<WorkerAnswer, Stopped> DeviceWorker::run(const Message& message,
                                                      const LeaveOut& leave_out) {
  give_up_at_ = kNeverGivenUp;
  request_ = {};
  expected_.clear();
  if (auto end = complete(message, leave_out)) return *std::move(end);
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
