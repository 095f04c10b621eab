#include "tuner/worker/workers.hpp"

#include <algorithm>
#include <stdexcept>
#include <thread>

namespace tilewright {
namespace {

// Each has a context on the device, which may take hundreds of megabytes of the host.
constexpr int kMostCompilers = 16;

int cores_here() {
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

// There may be no room for so many contexts: fewer compilers then do, since one can be measured on.
bool opens(DeviceWorker& compiler) {
  try {
    compiler.open();
    return true;
  } catch (const StoppedBeforeWork&) {
    throw;
  } catch (const std::runtime_error&) {
    return false;
  }
}

}  // namespace

int compilers_for(DeviceKind kind, int cores) {
  const bool takes_turns = kind == DeviceKind::kCpu;
  const int free = takes_turns ? cores : cores - 1;
  return takes_turns && free < 2 ? 0 : std::min(free, kMostCompilers);
}

Workers::Workers(const WorkerSetup& setup, int compilers)
    : measurer_(std::make_unique<DeviceWorker>(setup)) {
  if (setup.cache_dir.empty()) return;
  const int count = compilers < 0 ? compilers_for(facts().kind, cores_here()) : compilers;
  for (int i = 0; i < count; ++i) {
    compilers_.push_back(std::make_unique<DeviceWorker>(setup, Opening::kLater));
  }
  std::erase_if(compilers_, [](const auto& compiler) { return !opens(*compiler); });
}

void Workers::on_phase(const std::function<void(const WorkerActivity&)>& report) {
  measurer_->on_phase = report;
  for (const auto& compiler : compilers_) compiler->on_phase = report;
}

void Workers::wait(double most_s) {
  std::vector<WorkerProcess*> busy;
  if (measurer_->busy()) busy.push_back(&measurer_->process());
  for (const auto& compiler : compilers_) {
    if (compiler->busy()) busy.push_back(&compiler->process());
  }
  wait_for_any(busy, most_s);
}

void Workers::drop_compilers() {
  for (const auto& compiler : compilers_) {
    if (compiler->busy()) compiler->abandon();
  }
}

}  // namespace tilewright
