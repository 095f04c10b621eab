// How is a kernel record compiled and launched?
//
// This is the project's one launch path: the tuner measures and the library serves through it, so
// what was measured is what runs. A record that does not build or launch is a value (Rejection),
// since trying is the tuner's business and falling back the library's.
//
// The arguments of kernels, by role; offsets and leading dimensions count elements:
//
//   gemm, gemv  (int m, int n, int k, float alpha, A, ulong offset_a, int lda,
//               B, ulong offset_b, int ldb, float beta, C, ulong offset_c, int ldc
//               [, bias, ulong offset_bias]   if the record's bias is not none
//               [, float ...])                if its activation has arguments
//   pack        (int m, int n, int padded_m, int padded_n, in, ulong offset_in, int ld_in,
//               out, ulong offset_out, int ld_out)   m x n elements, zeros up to padded_m x
//               padded_n
//   reduce      (int m, int n, int parts, float alpha, in, ulong offset_in, int ld_in,
//               float beta, C, ulong offset_c, int ldc [, bias, ulong offset_bias] [, float ...])
//   activation  (int m, int n, int padded_m, int padded_n, X, ulong offset_x, int ldx,
//               Y, ulong offset_y, int ldy [, bias, ulong offset_bias] [, float ...])
//               m x n elements, zeros up to padded_m x padded_n; Y may be X
//   softmax     (int m, int n, int padded_m, int padded_n, X, ulong offset_x, int ldx,
//               Y, ulong offset_y, int ldy)   likewise
//
// C, X and Y are buffers; A, B, in and out are buffers, or images where the record says so (offset
// and ld are then not looked at; packing fills whole pixels, also where the padded extents end
// within one). m, n and k are the extents without padding. A kernel with split_k runs with split_k
// work-groups in dimension 2; what group z makes of the product, unscaled, goes to C + offset_c + z
// * m * ldc, a plain row-major matrix.
#pragma once

#include <CL/opencl.hpp>

#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <variant>

#include "profiles/kernel_record.hpp"
#include "runtime/call/gemm_problem.hpp"
#include "runtime/call/layer_problem.hpp"
#include "runtime/device/binary_cache.hpp"

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
  LoadedKernel(KernelRecord record, cl::Kernel kernel)
      : record_(std::move(record)), kernel_(std::move(kernel)) {}

  const KernelRecord& record() const { return record_; }
  // Its program was in the cache of binaries.
  bool is_from_cache() const { return from_cache_; }

 private:
  friend class Executor;
  KernelRecord record_;
  cl::Kernel kernel_;
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

  // Of the cache of binaries; "" without one.
  std::string cache_folder() const { return cache_ ? cache_->folder() : ""; }

  // Compiles a record for the device, or takes its binary from the cache.
  Loaded load(const KernelRecord& record) const;

  // Puts the binary of a kernel that was compiled from source into the cache, once: load() calls
  // this itself where the driver compiles when it builds. One that goes on compiling at the first
  // launch (PoCL) is asked for the binary only after that: it answers what it has compiled when it
  // is first asked, for ever. So callers call this once a kernel has run; too early does nothing.
  void store(LoadedKernel& kernel) const;

  // Each enqueues a kernel of its roles: kGemm and kGemv, kPack, kReduce, kActivation, kSoftmax.
  // The matrices must lie as the record says (storage.hpp). Numbers that do not fit the kernel's
  // int, and a bias that is missing, are rejected.
  Launched gemm(const cl::CommandQueue& queue, LoadedKernel& kernel, const GemmProblem& problem,
                std::span<const cl::Event> wait_list) const;
  Launched pack(const cl::CommandQueue& queue, LoadedKernel& kernel, const PackProblem& problem,
                std::span<const cl::Event> wait_list) const;
  Launched reduce(const cl::CommandQueue& queue, LoadedKernel& kernel, const ReduceProblem& problem,
                  std::span<const cl::Event> wait_list) const;
  Launched activation(const cl::CommandQueue& queue, LoadedKernel& kernel,
                      const ActivationProblem& problem, std::span<const cl::Event> wait_list) const;
  Launched softmax(const cl::CommandQueue& queue, LoadedKernel& kernel,
                   const SoftmaxProblem& problem, std::span<const cl::Event> wait_list) const;

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

// Work-items along dimensions 0 and 1 that cover an m x n result (of a pack or activation kernel:
// with its padding): whole work-groups. Of a softmax kernel n is 1: a row's work-items share it.
std::array<std::size_t, 2> global_size(const KernelRecord& record, std::int64_t m, std::int64_t n);

}  // namespace tilewright
