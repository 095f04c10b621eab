#include "runtime/api/served_kernels.hpp"

#include <fmt/format.h>

#include <chrono>
#include <utility>

#include "runtime/call/opencl_error.hpp"
#include "runtime/check/kernel_check.hpp"
#include "runtime/device/log.hpp"

namespace tilewright {
namespace {

const char* what_of(Stage stage) {
  switch (stage) {
    case Stage::kLimits:
    case Stage::kBuild:
      return "it does not build";
    case Stage::kLaunch:
      return "it does not run";
    case Stage::kWrong:
      return "its results are wrong on this device";
  }
  return "it fails";
}

}  // namespace

void ServedKernels::add(const Profile& profile, bool check) {
  for (const KernelRecord& record : profile.kernels) kernels_[&record].check = check;
}

Loaded ServedKernels::try_load(const KernelRecord& record, bool check) const {
  Loaded loaded = executor_.load(record);
  auto* kernel = std::get_if<std::unique_ptr<LoadedKernel>>(&loaded);
  if (kernel == nullptr || !check) return loaded;
  // A separate queue, because the application's queue may be waiting for something.
  cl_int code = CL_SUCCESS;
  const cl::CommandQueue queue(executor_.context(), executor_.device(), 0, &code);
  if (code != CL_SUCCESS) {
    return Rejection{
        Stage::kLaunch,
        record.name + " cannot be verified: clCreateCommandQueue: " + opencl_code_text(code), code};
  }
  if (auto rejection = check_kernel(executor_, queue, **kernel)) return std::move(*rejection);
  return loaded;
}

// The same, and logs the outcome.
Loaded ServedKernels::told_load(const KernelRecord& record, bool check) const {
  const auto begin = std::chrono::steady_clock::now();
  Loaded loaded = try_load(record, check);
  if (!log_) return loaded;
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
  std::string what;
  if (const auto* rejection = std::get_if<Rejection>(&loaded)) {
    what =
        fmt::format("is passed over, since {}: {}", what_of(rejection->stage), rejection->reason);
  } else if (std::get<std::unique_ptr<LoadedKernel>>(loaded)->is_from_cache()) {
    what = fmt::format("taken from the cache of binaries in {}", executor_.cache_folder());
  } else {
    what = "built from source";
  }
  const bool verified = check && std::holds_alternative<std::unique_ptr<LoadedKernel>>(loaded);
  tell(log_, fmt::format("kernel {} {}{}, {:.3g} ms", record.name, what,
                         verified ? " and verified" : "", took.count()));
  return loaded;
}

LoadedKernel* ServedKernels::load(const KernelRecord& record, std::string& failures) {
  LazyKernel& lazy = kernels_.at(&record);
  const std::lock_guard lock(lazy.mutex);
  if (!lazy.loaded) {
    Loaded loaded = told_load(record, lazy.check);
    const auto* rejection = std::get_if<Rejection>(&loaded);
    if (rejection != nullptr && lacks_memory(rejection->opencl_code)) {
      throw Error(TW_OUT_OF_MEMORY, rejection->reason, rejection->opencl_code);
    }
    lazy.loaded = std::move(loaded);
  }
  if (const auto* rejection = std::get_if<Rejection>(&*lazy.loaded)) {
    failures += "\n" + rejection->reason;
    return nullptr;
  }
  return std::get<std::unique_ptr<LoadedKernel>>(*lazy.loaded).get();
}

std::optional<std::string> ServedKernels::miss(const KernelRecord& record) {
  LazyKernel& lazy = kernels_.at(&record);
  const std::lock_guard lock(lazy.mutex);
  if (!lazy.loaded) return std::nullopt;
  const auto* rejection = std::get_if<Rejection>(&*lazy.loaded);
  if (rejection == nullptr) return std::nullopt;
  return what_of(rejection->stage);
}

// Kernels whose launch has not completed yet are skipped.
void ServedKernels::store_binaries() noexcept {
  try {
    for (auto& [record, lazy] : kernels_) {
      if (!lazy.loaded) continue;
      auto* kernel = std::get_if<std::unique_ptr<LoadedKernel>>(&*lazy.loaded);
      if (kernel != nullptr) executor_.store(**kernel);
    }
  } catch (const std::exception&) {
    return;  // no memory: the next process compiles the kernels again
  }
}

}  // namespace tilewright
