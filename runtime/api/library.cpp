#include "runtime/api/library.hpp"

#include <algorithm>
#include <utility>

#include "runtime/api/library_state.hpp"
#include "runtime/api/moved_from.hpp"
#include "runtime/call/gemv_problem.hpp"
#include "runtime/call/opencl_error.hpp"

namespace tilewright {
namespace {

constexpr const char* kName = "library";

// Null for a device that is no sub-device, and for drivers of OpenCL 1.1.
cl_device_id parent_device(cl_device_id device) {
  cl_device_id parent = nullptr;
  const cl_int code =
      clGetDeviceInfo(device, CL_DEVICE_PARENT_DEVICE, sizeof(parent), &parent, nullptr);
  return code == CL_SUCCESS ? parent : nullptr;
}

// Some drivers (PoCL) report the parent of a sub-device with which a context was created.
bool contains_device(const std::vector<cl::Device>& devices, cl_device_id device) {
  const auto is_device = [&](const cl::Device& other) { return other() == device; };
  for (; device != nullptr; device = parent_device(device)) {
    if (std::any_of(devices.begin(), devices.end(), is_device)) return true;
  }
  return false;
}

}  // namespace

Library::Library(std::shared_ptr<State> state) : state_(std::move(state)) {}

Library Library::open(const cl::Context& context, const cl::Device& device,
                      const LibraryOptions& options) {
  if (context() == nullptr) throw Error(TW_INVALID_VALUE, "the context is null");
  if (device() == nullptr) throw Error(TW_INVALID_VALUE, "the device is null");
  cl_int code = CL_SUCCESS;
  const std::vector<cl::Device> devices = context.getInfo<CL_CONTEXT_DEVICES>(&code);
  check_opencl(code, "clGetContextInfo");
  if (!contains_device(devices, device())) {
    throw Error(TW_INVALID_VALUE, "the device does not belong to the context");
  }
  return Library(std::make_shared<State>(context, device, options));
}

Library Library::open(const cl::Context& context, const cl::Device& device,
                      const ProfileSource& source, Log log) {
  LibraryOptions options;
  options.source = source;
  options.log = std::move(log);
  return open(context, device, options);
}

const std::string& Library::profile_origin() const {
  return require_state(state_, kName).origin();
}

bool Library::is_forked() const {
  return require_state(state_, kName).is_forked();
}

bool Library::supports(ElementType type) const {
  return require_state(state_, kName).supports(element_precision(type));
}

cl::Event Library::gemm(const cl::CommandQueue& queue, const GemmCall& call, const Matrix& a,
                        const Matrix& b, const Matrix& c, const std::vector<cl::Event>& wait_list) {
  State& state = require_state(state_, kName);
  return state.gemm(queue, call, a, b, c, wait_list);
}

cl::Event Library::gemv(const cl::CommandQueue& queue, const GemvCall& call, const Matrix& a,
                        const Vector& x, const Vector& y, const std::vector<cl::Event>& wait_list) {
  State& state = require_state(state_, kName);
  const GemmProblem problem = resolve(call, a, x, y);
  check_buffers(call, a, x, y, state.executor().context()());
  return state.gemm(queue, problem, wait_list);
}

cl::Event Library::gemm_strided_batched(const cl::CommandQueue& queue, const GemmCall& call,
                                        const StridedMatrices& a, const StridedMatrices& b,
                                        const StridedMatrices& c, std::size_t count,
                                        const std::vector<cl::Event>& wait_list) {
  State& state = require_state(state_, kName);
  // The extents of empty products cannot show that a count is too large; one product is enough.
  if (count > 1 && c.stride != 0 && (call.m == 0 || call.n == 0)) count = 1;
  require_apart(c, count);
  if (count == 0) return state.gemm_batches(queue, {}, wait_list);
  // The last product has the largest offsets. If it is inside its buffers, all are.
  state.checked(strided_product(call, a, b, c, count - 1));
  if (const auto one = folded_batch(call, a, b, c, count)) {
    return state.gemm(queue, one->call, one->a, one->b, one->c, wait_list);
  }
  const GemmProblem first = state.checked(strided_product(call, a, b, c, 0));
  return state.gemm_batches(queue, {strided_problem(first, call, a, b, c, count)}, wait_list);
}

cl::Event Library::gemm_batched(const cl::CommandQueue& queue, const GemmCall& call,
                                const ListedMatrices& a, const ListedMatrices& b,
                                const ListedMatrices& c, const BatchScalars& scalars,
                                const std::vector<cl::Event>& wait_list) {
  State& state = require_state(state_, kName);
  return state.gemm(queue, listed_batch(call, a, b, c, scalars), wait_list);
}

Plan Library::plan(const GemmCall& call) {
  const Matrices dense = dense_matrices(call);
  return plan(call, dense.a, dense.b, dense.c);
}

Plan Library::plan(const GemmCall& call, const Matrix& a, const Matrix& b, const Matrix& c) {
  State& state = require_state(state_, kName);
  auto planned = std::make_shared<PlannedGemm>();
  planned->host = state_;
  planned->call = call;
  planned->call.alpha = 1.0;  // each call of execute() has its own alpha
  planned->a = {{}, a.offset, a.ld};
  planned->b = {{}, b.offset, b.ld};
  planned->problem = resolve(planned->call, a, b, c);
  const GemmShape shape = planned->problem.shape;
  planned->computes = shape.m > 0 && shape.n > 0 && shape.k > 0;
  if (planned->computes) {
    if (planned->problem.complex) {
      state.load_complex_kernels(planned->problem);
      planned->complex =
          ranked_steps(planned->problem, state.temporaries().largest_buffer()).front();
      planned->problem = real_problem(planned->problem, *planned->complex);
    }
    planned->planned = state.route(planned->problem, true);
    if (planned->complex) {
      PlannedRoute with_reason = *planned->planned;
      with_reason.reason = to_text(*planned->complex) + "; " + with_reason.reason;
      planned->planned = std::make_shared<const PlannedRoute>(std::move(with_reason));
    }
  } else {
    planned->planned = std::make_shared<const PlannedRoute>(
        PlannedRoute{{}, "", "there is no product: C is empty, or k is 0"});
  }
  return Plan(std::move(planned));
}

std::string Library::explain(const GemmCall& call) {
  const Matrices dense = dense_matrices(call);
  return explain(call, dense.a, dense.b, dense.c);
}

std::string Library::explain(const GemmCall& call, const Matrix& a, const Matrix& b,
                             const Matrix& c) {
  State& state = require_state(state_, kName);
  const GemmProblem problem = resolve(call, a, b, c);
  if (problem.shape.m == 0 || problem.shape.n == 0) return "nothing to do, because C is empty";
  return state.explain(problem);
}

std::string Library::explain_all(const GemmCall& call) {
  const Matrices dense = dense_matrices(call);
  return explain_all(call, dense.a, dense.b, dense.c);
}

std::string Library::explain_all(const GemmCall& call, const Matrix& a, const Matrix& b,
                                 const Matrix& c) {
  State& state = require_state(state_, kName);
  const GemmProblem problem = resolve(call, a, b, c);
  if (problem.shape.m == 0 || problem.shape.n == 0) return "nothing to do, because C is empty\n";
  return state.explain_all(problem);
}

std::vector<std::string> Library::kernels_for(const GemmCall& call) {
  const Matrices dense = dense_matrices(call);
  return kernels_for(call, dense.a, dense.b, dense.c);
}

std::vector<std::string> Library::kernels_for(const GemmCall& call, const Matrix& a,
                                              const Matrix& b, const Matrix& c) {
  State& state = require_state(state_, kName);
  const GemmProblem problem = resolve(call, a, b, c);
  if (problem.shape.m == 0 || problem.shape.n == 0) return {};
  return state.kernels_for(problem);
}

}  // namespace tilewright
