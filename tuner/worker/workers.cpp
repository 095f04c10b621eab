#include "tuner/worker/workers.hpp"

#include <algorithm>
#include <thread>

namespace tilewright {
namespace {

constexpr int kMostCompilers = 4;

// Beside a GPU one core feeds it, and the others can compile; a CPU's own cores all compile while
// it is not measured.
int compilers_for(const DeviceFacts& facts) {
  const int cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  const int free = facts.type == "cpu" ? cores : cores - 1;
  return free < 2 && facts.type == "cpu" ? 0 : std::min(free, kMostCompilers);
}

}  // namespace

Workers::Workers(const WorkerSetup& setup, int compilers)
    : measurer_(std::make_unique<DeviceWorker>(setup)) {
  if (setup.cache_dir.empty()) return;
  const int count = compilers < 0 ? compilers_for(facts()) : compilers;
  for (int i = 0; i < count; ++i) compilers_.push_back(std::make_unique<DeviceWorker>(setup));
}

void Workers::on_phase(const std::function<void(const Phase&)>& report) {
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
