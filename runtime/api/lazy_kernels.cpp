#include "runtime/api/lazy_kernels.hpp"

#include <fmt/format.h>

#include <chrono>
#include <exception>
#include <utility>

#include "runtime/call/opencl_error.hpp"
#include "runtime/check/kernel_check.hpp"
#include "runtime/device/log.hpp"

namespace tilewright {
namespace {

const char* failure_text(FailureKind kind) {
  switch (kind) {
    case FailureKind::kLimits:
    case FailureKind::kBuild:
      return "it does not compile";
    case FailureKind::kLaunch:
      return "it cannot be launched";
    case FailureKind::kWrong:
      return "its results are wrong on this device";
  }
  return "it fails";
}

}  // namespace

void LazyKernels::add(const Profile& profile, bool check) {
  for (const KernelRecord& record : profile.kernels) kernels_[&record].check = check;
}

Loaded LazyKernels::try_load(const KernelRecord& record, bool check) const {
  Loaded loaded = executor_.load(record);
  auto* kernel = std::get_if<std::unique_ptr<LoadedKernel>>(&loaded);
  if (kernel == nullptr || !check) return loaded;
  // A separate queue, because the application's queue may be waiting for something.
  cl_int code = CL_SUCCESS;
  const cl::CommandQueue queue(executor_.context(), executor_.device(), 0, &code);
  if (code != CL_SUCCESS) {
    return KernelError{
        FailureKind::kLaunch,
        record.name + " cannot be verified: clCreateCommandQueue: " + opencl_code_text(code), code};
  }
  if (auto kernel_error = check_kernel(executor_, queue, **kernel)) return std::move(*kernel_error);
  return loaded;
}

// Loads a kernel, with its check if `check`, and logs the outcome.
Loaded LazyKernels::load_and_log(const KernelRecord& record, bool check) const {
  const auto start = std::chrono::steady_clock::now();
  Loaded loaded = try_load(record, check);
  if (!log_) return loaded;
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
  std::string what;
  Severity severity = Severity::kInfo;
  if (const auto* kernel_error = std::get_if<KernelError>(&loaded)) {
    severity = Severity::kWarning;
    what = fmt::format("is not used, because {}: {}", failure_text(kernel_error->kind),
                       kernel_error->reason);
  } else if (std::get<std::unique_ptr<LoadedKernel>>(loaded)->is_from_cache()) {
    what = fmt::format("loaded from the binary cache in {}", executor_.cache_folder());
  } else {
    what = "built from source";
  }
  const bool verified = check && std::holds_alternative<std::unique_ptr<LoadedKernel>>(loaded);
  write_log(log_, severity,
            fmt::format("kernel {} {}{}, {:.3g} ms", record.name, what,
                        verified ? " and verified" : "", took.count()));
  return loaded;
}

LoadedKernel* LazyKernels::load(const KernelRecord& record, std::string& failures) {
  LazyKernel& lazy = kernels_.at(&record);
  const std::lock_guard lock(lazy.mutex);
  if (!lazy.loaded) {
    Loaded loaded = load_and_log(record, lazy.check);
    const auto* kernel_error = std::get_if<KernelError>(&loaded);
    if (kernel_error != nullptr && lacks_memory(kernel_error->opencl_code)) {
      throw Error(TW_OUT_OF_MEMORY, kernel_error->reason, kernel_error->opencl_code);
    }
    lazy.loaded = std::move(loaded);
  }
  if (const auto* kernel_error = std::get_if<KernelError>(&*lazy.loaded)) {
    failures += "\n" + kernel_error->reason;
    return nullptr;
  }
  return std::get<std::unique_ptr<LoadedKernel>>(*lazy.loaded).get();
}

// Kernels whose launch has not completed yet are skipped.
void LazyKernels::store_binaries() noexcept {
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
