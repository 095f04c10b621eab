// What does an open library hold, and how does a call become commands?
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <tilewright/library.hpp>
#include "runtime/api/explanation.hpp"
#include "runtime/api/planned_gemm.hpp"
#include "runtime/api/served_kernels.hpp"
#include "runtime/complex/complex_product.hpp"
#include "runtime/plan/batch.hpp"
#include "runtime/plan/route_cache.hpp"

namespace tilewright {

// A kernel that does a network's part between two products.
struct LayerKernel {
  LoadedKernel* kernel = nullptr;
  std::optional<double> ns_per_element;  // nullopt: never measured
};

// Thread-safe.
class Library::State : public PlanHost {
 public:
  State(const cl::Context& context, const cl::Device& device, const ProfileSource& source, Log log);
  ~State() override { kernels_.store_binaries(); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  const std::string& origin() const { return origin_; }
  // Null: nobody wants to know.
  const Log& log() const { return log_; }

  // The problem of a call, checked in full.
  GemmProblem checked(const GemmCall& call, const Matrix& a, const Matrix& b,
                      const Matrix& c) const;
  GemmProblem checked(const Product& product) const {
    return checked(product.call, product.a, product.b, product.c);
  }
  cl::Event gemm(const cl::CommandQueue& queue, const GemmCall& call, const Matrix& a,
                 const Matrix& b, const Matrix& c,
                 const std::vector<cl::Event>& wait_list) override;
  // A problem that was checked in full.
  cl::Event gemm(const cl::CommandQueue& queue, const GemmProblem& problem,
                 const std::vector<cl::Event>& wait_list);
  cl::Event gemm(const cl::CommandQueue& queue, const Batch& batch,
                 const std::vector<cl::Event>& wait_list);
  // Problems that were checked in full, of several products each.
  cl::Event gemm_batches(const cl::CommandQueue& queue, const std::vector<GemmProblem>& batches,
                         const std::vector<cl::Event>& wait_list);

  // Loads what a planned product of complex numbers needs beside its real twin. Throws Error.
  void check_complex(const GemmProblem& problem) {
    require_type(problem.precision);
    load_kernels(complex_kernels_, problem, true, temporaries_.largest_buffer());
  }

  // The best plan for the problem, or with any_beta the best for its beta of those that can
  // also be served where C is read. Throws Error TW_BUILD_FAILURE.
  std::shared_ptr<const PlannedRoute> route(const GemmProblem& problem, bool any_beta = false);
  // `runs`: the kernel of the plan that runs; null: the first plan that loads.
  Explanation explanation(const GemmProblem& problem, const KernelRecord* runs);
  std::string explain(const GemmProblem& problem);
  // The names of all kernels that serve the problem, in order.
  std::vector<std::string> kernels_for(const GemmProblem& problem);
  // All plans, with what each part is predicted to take.
  std::string explain_all(const GemmProblem& problem);

  // The best kernel that does an epilogue with a matrix that lies row by row, with gaps or
  // without; the best softmax kernel, with kLogSoftmax of the logarithm. Throw Error
  // TW_BUILD_FAILURE.
  LayerKernel activation_kernel(Precision precision, const LayerEpilogue& epilogue, bool gaps);
  LayerKernel softmax_kernel(Precision precision, Activation applied);

  std::size_t most_alignment() const { return most_alignment_; }

  // For plans that stand above this library's own, as those of whole nets.
  PlanBasis plan_basis();
  // The kernels of such a plan; null if one that it needs does not load.
  std::shared_ptr<const PlannedRoute> load(GemmPlan plan);
  LayerKernel load(const std::vector<const KernelRecord*>& records);

  const Executor& executor() const override { return executor_; }
  TemporaryPool& temporaries() override { return temporaries_; }
  ComplexKernels& complex_kernels() override { return complex_kernels_; }
  void check(const cl::CommandQueue& queue, const std::vector<cl::Event>& wait_list) const override;
  cl::Event nothing(const cl::CommandQueue& queue,
                    const std::vector<cl::Event>& wait_list) const override;

 private:
  cl::Event complex_batches(const cl::CommandQueue& queue, const std::vector<GemmProblem>& batches,
                            const std::vector<cl::Event>& wait_list);
  // An event after all parts of a call.
  cl::Event joined_event(const cl::CommandQueue& queue, const std::vector<cl::Event>& parts);
  std::vector<GemmPlan> ranked(const GemmProblem& problem) const {
    return rank_plans(profiles_, *times_, device_, problem);
  }
  // nullopt: there is no plan that needs less memory for temporaries and whose kernels load.
  std::optional<PlannedRoute> plan_route(const GemmProblem& problem, std::uint64_t below,
                                         std::string& failures);
  PlannedRoute plan_any_beta(const GemmProblem& problem);
  // Null: as above.
  std::shared_ptr<const PlannedRoute> smaller_route(const GemmProblem& problem,
                                                    std::uint64_t below);
  // By the route, which is the best for problems like `planned`; without memory for its temporaries
  // by the next that needs less. Throws Error.
  cl::Event enqueue_in_memory(const cl::CommandQueue& queue, const GemmProblem& planned,
                              std::shared_ptr<const PlannedRoute> route, const GemmProblem& problem,
                              std::span<const cl::Event> wait_list);
  LayerKernel first_that_loads(const std::vector<const KernelRecord*>& records,
                               std::string& failures);
  LayerKernel must_load(const std::vector<const KernelRecord*>& records, std::string_view what);
  // Throws Error if the device lacks it.
  void require_type(Precision precision) const;
  [[noreturn]] void fail_to_serve(const GemmProblem& problem, const std::string& failures) const;

  Log log_;
  Executor executor_;
  TemporaryPool temporaries_;
  DeviceInfo device_;
  Profile profile_;
  Profile generic_;  // empty if profile_ is a generic one
  std::string origin_;
  bool checks_kernels_ = false;           // of profile_
  std::vector<const Profile*> profiles_;  // in order of preference
  std::unique_ptr<const MeasuredTimes> times_;
  std::size_t most_alignment_ = 1;  // that a kernel asks for, elements
  ServedKernels kernels_;
  ComplexKernels complex_kernels_{executor_};
  RouteCache routes_;
  bool opencl_1_1_ = false;
};

}  // namespace tilewright
