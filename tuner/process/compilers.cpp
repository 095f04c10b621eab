#include "tuner/process/compilers.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <stdexcept>
#include <system_error>
#include <utility>
#include <variant>

#include "tuner/process/stop_signal.hpp"

namespace tilewright {
namespace {

// Each compiler has its own context on the device, which may take hundreds of megabytes of host
// memory.
constexpr int kMaxCompilers = 16;

}  // namespace

int compilers_for(DeviceKind kind, int cores) {
  const bool takes_turns = kind == DeviceKind::kCpu;
  const int free = takes_turns ? cores : cores - 1;
  return takes_turns && free < 2 ? 0 : std::min(free, kMaxCompilers);
}

Compilers::Compilers(DeviceKind kind)
    : takes_turns_(kind == DeviceKind::kCpu), cancel_(::eventfd(0, EFD_CLOEXEC)) {
  if (cancel_ < 0) throw std::system_error(errno, std::generic_category(), "eventfd");
}

// Delegates, so that the destructor ends the threads if this one throws.
Compilers::Compilers(const WorkerSetup& setup, const DeviceInfo& device, int count)
    : Compilers(device.kind) {
  if (setup.cache_dir.empty()) return;
  const int cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  if (count < 0) count = compilers_for(device.kind, cores);
  WorkerSetup own = setup;
  own.on_failures = {};  // the worker that measures meets the same ones
  own.cancel = cancel_;
  num_opening_ = static_cast<std::size_t>(count);
  for (int i = 0; i < count; ++i) threads_.emplace_back(&Compilers::work, this, own);
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return num_opening_ == 0; });
  if (failure_) std::rethrow_exception(failure_);
}

Compilers::~Compilers() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  cancel();
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
  ::close(cancel_);
}

// What each thread does, until ends_ is set or it fails. Its worker process ends with it.
void Compilers::work(WorkerSetup setup) {
  std::optional<DeviceWorker> worker;
  std::exception_ptr failure;
  try {
    worker.emplace(std::move(setup));
    worker->on_activity = [this](const WorkerActivity& activity) {
      if (on_activity) on_activity(activity);
    };
  } catch (const StoppedBeforeWork&) {
    failure = std::current_exception();
  } catch (const std::exception&) {
    // There is one compiler less.
  }
  std::unique_lock lock(mutex_);
  --num_opening_;
  size_ += worker ? 1 : 0;
  if (failure && !failure_) failure_ = failure;
  changed_.notify_all();
  while (worker && !failure) {
    changed_.wait(lock, [&] { return ends_ || !requests_.empty(); });
    if (ends_) return;
    const MeasureRequest request = std::move(requests_.front());
    requests_.pop_front();
    ++num_building_;
    lock.unlock();
    std::variant<Outcome, Stopped> built;
    try {
      built = worker->trial(request);
      const auto* outcome = std::get_if<Outcome>(&built);
      if (outcome != nullptr && on_built) on_built(outcome->kernel);
    } catch (...) {
      failure = std::current_exception();
    }
    lock.lock();
    --num_building_;
    if (failure) {
      if (!failure_) failure_ = failure;
    } else if (auto* outcome = std::get_if<Outcome>(&built)) {
      const bool works = outcome->result == OutcomeClass::kOk;
      built_.insert(works ? built_.end() : built_.begin(), std::move(*outcome));
    }
    changed_.notify_all();
  }
}

void Compilers::build(MeasureRequest request) {
  const std::lock_guard lock(mutex_);
  requests_.push_back(std::move(request));
  changed_.notify_all();
}

std::size_t Compilers::num_pending() const {
  const std::lock_guard lock(mutex_);
  return num_unbuilt() + built_.size();
}

std::optional<Outcome> Compilers::next(double max_s) {
  const auto is_built = [&] {
    if (built_.empty()) return false;
    return !takes_turns_ || num_unbuilt() == 0 || built_.front().result != OutcomeClass::kOk;
  };
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, std::chrono::duration<double>(max_s),
                    [&] { return failure_ || StopSignal::requested() || is_built(); });
  if (failure_) std::rethrow_exception(failure_);
  if (!is_built()) return std::nullopt;
  Outcome outcome = std::move(built_.front());
  built_.pop_front();
  return outcome;
}

void Compilers::cancel() {
  std::unique_lock lock(mutex_);
  requests_.clear();
  ::eventfd_write(cancel_, 1);
  changed_.wait(lock, [&] { return num_building_ == 0; });
  eventfd_t value = 0;
  if (!ends_) ::eventfd_read(cancel_, &value);  // otherwise threads may still open the device
  built_.clear();
}

}  // namespace tilewright
