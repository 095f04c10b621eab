// Compiles and launches kernels.
//
// This is the only launch path of the project: the tuner and the library both use it, so what was
// measured is what runs. A record that fails to build or launch is reported as a value
// (KernelError), because the tuner tries candidates that may fail, and the library falls back to
// other kernels.
#pragma once

#include "runtime/opencl/clhpp.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <variant>

#include "profiles/kernel_record.hpp"
#include "runtime/device/binary_cache.hpp"
#include "runtime/device/launch.hpp"

namespace tilewright {

// How a kernel failed.
enum class FailureKind {
  kLimits,  // the device does not support its work-group, local memory or images
  kBuild,   // the compiler rejected it
  kLaunch,  // the driver rejected the launch, or the kernel failed while running
  kWrong,   // its result is wrong
};
const char* to_text(FailureKind);

// Why a kernel cannot be used.
struct KernelError {
  FailureKind kind = FailureKind::kBuild;
  std::string reason;  // a sentence; for kBuild including the build log
  cl_int opencl_code = CL_SUCCESS;
};

// A compiled kernel with its launch facts. Thread-safe.
class LoadedKernel {
 public:
  LoadedKernel(KernelRecord record, cl::Kernel kernel, const std::array<std::int64_t, 3>& group)
      : record_(std::move(record)), kernel_(std::move(kernel)) {
    std::copy(group.begin(), group.end(), group_.begin());
  }

  const KernelRecord& record() const { return record_; }
  // True if the program came from the binary cache.
  bool is_from_cache() const { return from_cache_; }

 private:
  friend class Executor;
  KernelRecord record_;
  cl::Kernel kernel_;
  // The local size: the record's, or a smaller one that the device supports. {0, 0, 1}: the driver
  // chooses.
  std::array<std::size_t, 3> group_{};
  bool from_cache_ = false;
  // Arguments are state of the cl_kernel, so setting them and enqueueing must not be interleaved.
  std::mutex mutex_;
  bool in_cache_ = false;  // its binary is in the cache; guarded by mutex_
  // Event of the first launch, until its binary is in the cache; guarded by mutex_.
  cl::Event first_launch_;
};

// Results of loading and of launching a kernel.
using Loaded = std::variant<std::unique_ptr<LoadedKernel>, KernelError>;
using Launched = std::variant<cl::Event, KernelError>;

// True if the driver (PoCL) compiles kernels completely only at their first launch. Such a driver
// also has its own cache of compiled kernels on disk.
bool compiles_at_launch(const cl::Device& device);

// Thread-safe.
class Executor {
 public:
  // `cache` is the cache of program binaries, or null.
  Executor(cl::Context context, cl::Device device, std::shared_ptr<BinaryCache> cache = nullptr);

  const cl::Context& context() const { return context_; }
  const cl::Device& device() const { return device_; }

  // Folder of the binary cache, and why it is not used; "" without a cache.
  std::string cache_folder() const { return cache_ ? cache_->folder() : ""; }
  std::string cache_obstacle() const { return cache_ ? cache_->obstacle() : ""; }

  // Loads the record's binary from the cache or compiles it for the device.
  Loaded load(const KernelRecord& record) const;

  // Puts the binary of a kernel that was compiled from source into the cache, once. load() calls
  // this itself for drivers that compile at build time. A driver that compiles at the first launch
  // (PoCL) must be asked for the binary only after this launch, because it returns the same binary
  // forever once it was asked. So callers call this after a kernel has run; calling it too early
  // has no effect.
  void store(LoadedKernel& kernel) const;

  // Enqueues a kernel. The matrices must be stored as the record requires (storage.hpp). Returns a
  // KernelError if a number does not fit into the kernel's int, or if a bias is missing.
  Launched launch(const cl::CommandQueue& queue, LoadedKernel& kernel, const KernelLaunch& launch,
                  std::span<const cl::Event> wait_list) const;
  // Enqueues a kernel for a problem of the type that belongs to its role: GemmProblem, PackProblem
  // ... (see make_launch()).
  template <class Problem>
  Launched launch(const cl::CommandQueue& queue, LoadedKernel& kernel, const Problem& problem,
                  std::span<const cl::Event> wait_list) const {
    return launch(queue, kernel, make_launch(kernel.record(), problem), wait_list);
  }

 private:
  std::unique_ptr<LoadedKernel> load_cached(const KernelRecord& record) const;
  Loaded finish(const KernelRecord& record, const cl::Program& program) const;
  Launched record_first_launch(LoadedKernel& kernel, Launched launched) const;
  BinaryKey make_binary_key(const KernelRecord& record) const;

  cl::Context context_;
  cl::Device device_;
  std::shared_ptr<BinaryCache> cache_;
  std::string device_key_;           // "" without a cache
  bool compiles_at_launch_ = false;  // the driver does; always false without a cache
};

}  // namespace tilewright
