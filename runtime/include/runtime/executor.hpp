// How is a kernel record compiled and launched?
//
// This is the project's one launch path: the tuner measures and the library serves through it, so
// what was measured is what runs. A record that does not build or launch is a value (Rejection),
// since trying is the tuner's business and falling back the library's.
#pragma once

#include <CL/opencl.hpp>

#include <memory>
#include <mutex>
#include <string>
#include <variant>
#include <vector>

#include "profiles/kernel_record.hpp"
#include "runtime/gemm_problem.hpp"

namespace tilewright {

// Where a candidate failed.
enum class Stage {
  kLimits,  // the device cannot hold its work-group
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

 private:
  friend class Executor;
  KernelRecord record_;
  cl::Kernel kernel_;
  std::mutex mutex_;  // arguments are state of the cl_kernel: setting them and enqueuing is one act
};

using Loaded = std::variant<std::unique_ptr<LoadedKernel>, Rejection>;
using Launched = std::variant<cl::Event, Rejection>;

class Executor {
 public:
  Executor(cl::Context context, cl::Device device)
      : context_(std::move(context)), device_(std::move(device)) {}

  const cl::Context& context() const { return context_; }
  const cl::Device& device() const { return device_; }

  // Compiles a record for the device.
  Loaded load(const KernelRecord& record) const;

  // Enqueues a kernel of role kGemm. The problem's operands must lie as the record says, and its
  // extents be multiples of the record's.
  Launched gemm(const cl::CommandQueue& queue, LoadedKernel& kernel, const GemmProblem& problem,
                const std::vector<cl::Event>& wait_list) const;

  // Enqueues a kernel of role kPack: the rows x columns matrix `from`, in layout_a, goes to `to`,
  // in layout_c.
  Launched pack(const cl::CommandQueue& queue, LoadedKernel& kernel, std::int64_t rows,
                std::int64_t columns, const MatrixArgument& from, const MatrixArgument& to,
                const std::vector<cl::Event>& wait_list) const;

 private:
  cl::Context context_;
  cl::Device device_;
};

// Work-items along dimensions 0 and 1 that cover an m x n result: whole work-groups.
std::array<std::size_t, 2> global_size(const KernelRecord& record, std::int64_t m, std::int64_t n);

}  // namespace tilewright
