// Loads the kernels of a library when they are first needed.
//
// Kernels of a profile that was tuned with other software are also verified before they are used. A
// kernel that fails to load or verify is not retried; the next-best kernel is used.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "profiles/profile.hpp"
#include "runtime/device/executor.hpp"
#include "runtime/device/log.hpp"

namespace tilewright {

// Thread-safe, except for add().
class LazyKernels {
 public:
  // Executor and log must outlive this object. The outcome of each load is logged.
  LazyKernels(const Executor& executor, const Log& log) : executor_(executor), log_(log) {}
  LazyKernels(const LazyKernels&) = delete;
  LazyKernels& operator=(const LazyKernels&) = delete;

  // The profile must outlive this object. `check`: verify its kernels at their first use.
  void add(const Profile& profile, bool check);

  // Returns the kernel of a record of these profiles, valid as long as this object. Returns null if
  // it cannot be used, and appends the reason to `failures`. Throws Error TW_OUT_OF_MEMORY, because
  // this is a temporary condition and not a property of the kernel.
  LoadedKernel* load(const KernelRecord& record, std::string& failures);

  // Stores the binaries of the loaded kernels in the cache. Call it after kernels have run: some
  // drivers (PoCL) compile at the first launch (Executor::store()).
  void store_binaries() noexcept;

 private:
  // Not std::call_once: if its function throws, later calls hang on some systems (GCC bug 66146).
  struct LazyKernel {
    std::mutex mutex;
    bool check = false;
    std::optional<Loaded> loaded;
  };
  // Loads the kernel and, with `check`, verifies it.
  Loaded try_load(const KernelRecord& record, bool check) const;
  // Like try_load(), and logs the outcome.
  Loaded load_and_log(const KernelRecord& record, bool check) const;

  const Executor& executor_;
  const Log& log_;
  std::map<const KernelRecord*, LazyKernel> kernels_;  // only the values change after add()
};

}  // namespace tilewright
