// Which kernels can serve on this device?
//
// A kernel is compiled when it is first needed. One of a profile that was tuned under other
// software is then checked, too, before it serves. A kernel that does not load, or is wrong, stays
// a miss: what it would have served goes to the next best.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>

#include <tilewright/library.hpp>
#include "profiles/profile.hpp"
#include "runtime/device/executor.hpp"

namespace tilewright {

// Thread-safe but for add().
class ServedKernels {
 public:
  // Both must outlive it. The log is told of each kernel that is loaded, or not.
  ServedKernels(const Executor& executor, const Log& log) : executor_(executor), log_(log) {}
  ServedKernels(const ServedKernels&) = delete;
  ServedKernels& operator=(const ServedKernels&) = delete;

  // The profile must outlive it. `check`: its kernels are checked at their first use.
  void add(const Profile& profile, bool check);

  // The kernel of a record of these profiles, which lives as long as this; null if it is a miss,
  // and its reason is added to `failures`. Throws Error TW_OUT_OF_MEMORY: that is of the moment,
  // not of the kernel.
  LoadedKernel* load(const KernelRecord& record, std::string& failures);

  // Why the kernel is a miss, as "it does not build"; nullopt: it is none, or was not needed yet.
  std::optional<std::string> miss(const KernelRecord& record);

  // Puts binaries that the driver only completed when kernels ran into the cache.
  void store_binaries() noexcept;

 private:
  // Not std::call_once: with a body that throws, later calls hang on some systems (GCC bug 66146).
  struct LazyKernel {
    std::mutex mutex;
    bool check = false;
    std::optional<Loaded> loaded;
  };
  Loaded try_load(const KernelRecord& record, bool check) const;
  Loaded told_load(const KernelRecord& record, bool check) const;

  const Executor& executor_;
  const Log& log_;
  std::map<const KernelRecord*, LazyKernel> kernels_;  // add() apart, only its values change
};

}  // namespace tilewright
