#include "tuner/process/compilers.hpp"

#include <algorithm>
#include <stdexcept>
#include <thread>

namespace tilewright {
namespace {

// Each compiler has its own context on the device, which may take hundreds of megabytes of host
// memory.
constexpr int kMaxCompilers = 16;

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
  return takes_turns && free < 2 ? 0 : std::min(free, kMaxCompilers);
}

Compilers open_compilers(const WorkerSetup& setup, const DeviceInfo& device, int count) {
  if (setup.cache_dir.empty()) return {};
  const int cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  if (count < 0) count = compilers_for(device.kind, cores);
  Compilers compilers;
  for (int i = 0; i < count; ++i) {
    compilers.push_back(std::make_unique<DeviceWorker>(setup, Opening::kLater));
  }
  std::erase_if(compilers, [](const auto& compiler) { return !opens(*compiler); });
  return compilers;
}

}  // namespace tilewright
