// How is a kernel record compiled and launched?
//
// This is the project's one launch path: the tuner measures and the library serves through it, so
// what was measured is what runs. A record that does not build or launch is a value (Rejection),
// since trying is the tuner's business and falling back the library's.
#pragma once

#include <CL/opencl.hpp>

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

// Where a candidate failed.
enum class Stage {
  kLimits,  // the device cannot hold its work-group or local memory, or has no images
  kBuild,   // the compiler refuses it
  kLaunch,  // the driver refuses to run it, or it fails while running
  kWrong,   // its result is not the product
};
const char* to_text(Stage);

struct Rejection {
  Stage stage = Stage::kBuild;
  std::string reason;  // a sentence; for kBuild with the build log
  cl_int opencl_code = CL_SUCCESS;
};

// A compiled kernel with the facts of its launch. Thread-safe.
class LoadedKernel {
 public:
  LoadedKernel(KernelRecord record, cl::Kernel kernel, const std::array<std::int64_t, 3>& group)
      : record_(std::move(record)), kernel_(std::move(kernel)) {
    std::copy(group.begin(), group.end(), group_.begin());
  }

  const KernelRecord& record() const { return record_; }
  // Its program was in the cache of binaries.
  bool is_from_cache() const { return from_cache_; }

 private:
  friend class Executor;
  KernelRecord record_;
  cl::Kernel kernel_;
  // Its local size: the record's, or what the device can run of it. {0, 0, 1}: the driver chooses.
  std::array<std::size_t, 3> group_{};
  bool from_cache_ = false;
  std::mutex mutex_;  // arguments are state of the cl_kernel: setting them and enqueuing is one act
  bool in_cache_ = false;   // its binary; guarded by the mutex, too
  cl::Event first_launch_;  // of a kernel that is not in the cache; guarded likewise
};

using Loaded = std::variant<std::unique_ptr<LoadedKernel>, Rejection>;
using Launched = std::variant<cl::Event, Rejection>;

// Does the driver compile a kernel whole only at its first launch? PoCL does. It also keeps what it
// has compiled on disk, by itself.
bool compiles_at_launch(const cl::Device& device);

class Executor {
 public:
  // With a cache of program binaries, or without (null).
  Executor(cl::Context context, cl::Device device, std::shared_ptr<BinaryCache> cache = nullptr);

  const cl::Context& context() const { return context_; }
  const cl::Device& device() const { return device_; }

  // Of the cache of binaries, and why it is not used; "" without one.
  std::string cache_folder() const { return cache_ ? cache_->folder() : ""; }
  std::string cache_obstacle() const { return cache_ ? cache_->obstacle() : ""; }

  // Compiles a record for the device, or takes its binary from the cache.
  Loaded load(const KernelRecord& record) const;

  // Puts the binary of a kernel that was compiled from source into the cache, once: load() calls
  // this itself where the driver compiles when it builds. One that goes on compiling at the first
  // launch (PoCL) is asked for the binary only after that: it answers what it has compiled when it
  // is first asked, for ever. So callers call this once a kernel has run; too early does nothing.
  void store(LoadedKernel& kernel) const;

  // Enqueues a kernel. The matrices must lie as the record says (storage.hpp). Numbers that do not
  // fit the kernel's int, and a bias that is missing, are rejected.
  Launched launch(const cl::CommandQueue& queue, LoadedKernel& kernel, const KernelLaunch& launch,
                  std::span<const cl::Event> wait_list) const;
  // The same for a problem of its role: GemmProblem, PackProblem ... (launch_of()).
  template <class Problem>
  Launched launch(const cl::CommandQueue& queue, LoadedKernel& kernel, const Problem& problem,
                  std::span<const cl::Event> wait_list) const {
    return launch(queue, kernel, launch_of(kernel.record(), problem), wait_list);
  }

 private:
  std::optional<cl::Program> cached_program(const KernelRecord& record) const;
  Loaded finish(const KernelRecord& record, const cl::Program& program) const;
  Launched noted(LoadedKernel& kernel, Launched launched) const;
  BinaryKey key_of(const KernelRecord& record) const;

  cl::Context context_;
  cl::Device device_;
  std::shared_ptr<BinaryCache> cache_;
  std::string device_key_;           // "" without a cache
  bool compiles_at_launch_ = false;  // the driver does; false without a cache
};

}  // namespace tilewright
