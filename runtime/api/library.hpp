// An open library: how calls become commands. tilewright.h documents what applications see.
//
// Failures are thrown as Error (error.hpp). If a function throws, nothing has been enqueued, unless
// OpenCL itself failed half-way.
#pragma once

#include <unistd.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <tilewright/tilewright.h>
#include "runtime/api/explanation.hpp"
#include "runtime/api/lazy_kernels.hpp"
#include "runtime/call/gemm_call.hpp"
#include "runtime/complex/complex_product.hpp"
#include "runtime/device/log.hpp"
#include "runtime/device/profile_source.hpp"
#include "runtime/plan/batch.hpp"
#include "runtime/plan/route_cache.hpp"

namespace tilewright {

// A kernel that runs between the products of a network.
struct LayerKernel {
  LoadedKernel* kernel = nullptr;
  std::optional<double> ns_per_element;  // nullopt: never measured
};

class Library;
// Plans, networks and teams keep the library that made them.
using LibraryHandle = std::shared_ptr<Library>;

// Options of Library::open; see tw_options.
struct LibraryOptions {
  ProfileSource source = ProfileSource::automatic();
  Log log;                             // null: stderr if $TILEWRIGHT_VERBOSE is set and not 0
  const char* cache_folder = nullptr;  // used only during the call
  std::size_t max_kept_bytes = TW_DEFAULT_KEPT_BYTES;
};

// Thread-safe: many threads can use one library, each with its own queue.
class Library {
 public:
  // Compiles nothing. Retains context and device. Throws Error TW_INVALID_VALUE for a null context
  // or device, or a device that does not belong to the context, and the errors of tw_open.
  Library(const cl::Context& context, const cl::Device& device, const LibraryOptions& options);
  ~Library() { kernels_.store_binaries(); }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;
  static LibraryHandle open(const cl::Context& context, const cl::Device& device,
                            const ProfileSource& source = ProfileSource::automatic(),
                            Log log = nullptr) {
    return std::make_shared<Library>(context, device, LibraryOptions{source, std::move(log)});
  }

  // True in a process that fork() made after the library was opened.
  bool is_forked() const { return ::getpid() != process_; }
  // Throws Error TW_FORKED if is_forked().
  void require_same_process() const;

  // A sentence: which profile is used, and why.
  const std::string& origin() const { return origin_; }
  // Null if nothing is logged.
  const Log& log() const { return log_; }

  bool supports(Precision precision) const {
    return precision != Precision::kDouble || device_.has_double;
  }

  // Enqueue products, in the library's context and device, and return the event that completes when
  // all results are written. The first use of a kernel compiles it.
  cl::Event gemm(const cl::CommandQueue& queue, const GemmCall& call, const Matrix& a,
                 const Matrix& b, const Matrix& c, const std::vector<cl::Event>& wait_list = {}) {
    return gemm(queue, checked(call, a, b, c), wait_list);
  }
  cl::Event gemv(const cl::CommandQueue& queue, const GemvCall& call, const Matrix& a,
                 const Vector& x, const Vector& y, const std::vector<cl::Event>& wait_list = {});
  cl::Event gemm_strided_batched(const cl::CommandQueue& queue, const GemmCall& call,
                                 const StridedMatrices& a, const StridedMatrices& b,
                                 const StridedMatrices& c, std::size_t count,
                                 const std::vector<cl::Event>& wait_list = {});
  // The lists have one entry per product.
  cl::Event gemm_batched(const cl::CommandQueue& queue, const GemmCall& call,
                         const ListedMatrices& a, const ListedMatrices& b, const ListedMatrices& c,
                         const BatchScalars& scalars = {},
                         const std::vector<cl::Event>& wait_list = {});

  // Checks a call completely and returns its problem.
  GemmProblem checked(const GemmCall& call, const Matrix& a, const Matrix& b,
                      const Matrix& c) const;
  // For a problem that was checked completely.
  cl::Event gemm(const cl::CommandQueue& queue, const GemmProblem& problem,
                 const std::vector<cl::Event>& wait_list);
  // For problems of several products each that were checked completely.
  cl::Event gemm_batches(const cl::CommandQueue& queue, const std::vector<GemmProblem>& batches,
                         const std::vector<cl::Event>& wait_list);

  // Loads the kernels that convert the matrices of a complex product to and from real matrices.
  // Throws Error if the device does not support the precision or a kernel does not load.
  void load_complex_kernels(const GemmProblem& problem) {
    require_type(problem.precision);
    load_kernels(complex_kernels_, problem, true, temporaries_.largest_buffer());
  }

  // Returns the best plan for the problem. With any_beta, returns the best plan for its beta among
  // those that also support reading C. Throws Error TW_BUILD_FAILURE.
  std::shared_ptr<const PlannedRoute> route(const GemmProblem& problem, bool any_beta = false);
  // Returns the best plan that needs no temporaries; null if there is none. It is not remembered.
  std::shared_ptr<const PlannedRoute> route_without_temporaries(const GemmProblem& problem);
  // A table of all plans with the predicted time of each step; the output of tw_explain. Loads the
  // kernels. Of the matrices, only offsets, leading dimensions and alignment are used.
  std::string explain(const GemmCall& call, const Matrix& a, const Matrix& b, const Matrix& c);
  std::string explain(const GemmCall& call);  // of matrices without offsets and gaps
  // The names of the kernels that gemm enqueues, in order: packing, the product, storing C.
  std::vector<std::string> kernels_for(const GemmCall& call, const Matrix& a, const Matrix& b,
                                       const Matrix& c);
  std::vector<std::string> kernels_for(const GemmCall& call);

  // The best kernel that applies an epilogue to a row-major matrix, with gaps or without; and the
  // best softmax kernel (with kLogSoftmax for its logarithm). Throw Error TW_BUILD_FAILURE.
  LayerKernel activation_kernel(Precision precision, const LayerEpilogue& epilogue, bool gaps);
  LayerKernel softmax_kernel(Precision precision, Activation applied);

  std::size_t max_alignment() const { return max_alignment_; }

  PlanBasis plan_basis() const { return {profiles_, *times_, device_}; }

  const Executor& executor() const { return executor_; }
  TemporaryPool& temporaries() { return temporaries_; }
  ComplexKernels& complex_kernels() { return complex_kernels_; }
  // Throws Error unless queue and events belong to the library's context and device.
  void check(const cl::CommandQueue& queue, const std::vector<cl::Event>& wait_list) const;
  // Returns an event that completes after the wait list.
  cl::Event enqueue_marker(const cl::CommandQueue& queue,
                           const std::vector<cl::Event>& wait_list) const;

 private:
  std::vector<std::string> kernels_for(const GemmProblem& problem);
  cl::Event complex_batches(const cl::CommandQueue& queue, const std::vector<GemmProblem>& batches,
                            const std::vector<cl::Event>& wait_list);
  // An event that completes after all parts of a call.
  cl::Event joined_event(const cl::CommandQueue& queue, const std::vector<cl::Event>& parts);
  std::vector<GemmPlan> ranked(const GemmProblem& problem) const {
    return rank_plans(profiles_, *times_, device_, problem);
  }
  // Returns nullopt if no plan that needs less than `below` bytes of temporaries loads.
  std::optional<PlannedRoute> plan_route(const GemmProblem& problem, std::uint64_t below,
                                         std::string& failures);
  PlannedRoute plan_any_beta(const GemmProblem& problem);
  // Returns null in the same case.
  std::shared_ptr<const PlannedRoute> smaller_route(const GemmProblem& problem,
                                                    std::uint64_t below);
  // Enqueues the route, which is the best for problems like `planned`. If there is not enough
  // memory for its temporaries, uses the next route that needs less. Throws Error.
  cl::Event enqueue_in_memory(const cl::CommandQueue& queue, const GemmProblem& planned,
                              std::shared_ptr<const PlannedRoute> route, const GemmProblem& problem,
                              std::span<const cl::Event> wait_list);
  // Throws Error if none loads. `what`: what they compute.
  LayerKernel first_that_loads(const std::vector<const KernelRecord*>& records,
                               std::string_view what);
  // Throws Error if the device does not support the precision.
  void require_type(Precision precision) const;
  [[noreturn]] void fail_unsupported(const GemmProblem& problem, const std::string& failures) const;

  pid_t process_ = ::getpid();  // that opened the library
  Log log_;
  Executor executor_;
  TemporaryPool temporaries_;
  DeviceInfo device_;
  Profile profile_;
  Profile generic_;  // empty if profile_ is generic
  std::string origin_;
  Profile fallback_;  // for products that profile_ does not cover; has no kernels if there is none
  bool checks_kernels_ = false;           // kernels of profile_ are verified at their first use
  std::vector<const Profile*> profiles_;  // the profiles, in order of preference
  std::unique_ptr<const MeasuredTimes> times_;
  std::size_t max_alignment_ = 1;  // maximum alignment that any kernel requires, in elements
  LazyKernels kernels_;
  ComplexKernels complex_kernels_{executor_};
  RouteCache routes_;
  bool opencl_1_1_ = false;
};

}  // namespace tilewright
