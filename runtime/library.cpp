#include <tilewright/library.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>
#include <tuple>

#include "profiles/profile_text.hpp"
#include "runtime/device_identity.hpp"
#include "runtime/executor.hpp"
#include "runtime/opencl_error.hpp"
#include "runtime/operands.hpp"
#include "runtime/plan.hpp"
#include "runtime/profile_search.hpp"

namespace tilewright {
namespace {

// A kernel that is compiled when it is first needed. A record that does not load stays a miss.
//
// Not std::call_once: with a body that throws, later calls hang on some systems (GCC bug 66146).
struct LazyKernel {
  std::mutex mutex;
  std::optional<Loaded> loaded;
};

// What a route depends on: op, m, n, k, whether C is read, and the alignment of A, B and C.
using RouteKey = std::tuple<Op, std::int64_t, std::int64_t, std::int64_t, bool, std::size_t,
                            std::size_t, std::size_t>;

// Routes that are remembered; an application with more of them plans again.
constexpr std::size_t kMostRoutes = 4096;

[[noreturn]] void fail(const Rejection& rejection) {
  throw Error(status_of(rejection.opencl_code), rejection.reason, rejection.opencl_code);
}

// An event that completes after the wait list, for calls that have nothing to do.
cl::Event enqueue_nothing(const cl::CommandQueue& queue, const std::vector<cl::Event>& wait_list,
                          bool opencl_1_1) {
  cl::Event event;
  if (!opencl_1_1) {
    check_opencl(queue.enqueueMarkerWithWaitList(wait_list.empty() ? nullptr : &wait_list, &event),
                 "clEnqueueMarkerWithWaitList");
    return event;
  }
  if (!wait_list.empty()) {
    check_opencl(queue.enqueueWaitForEvents(wait_list), "clEnqueueWaitForEvents");
  }
  check_opencl(queue.enqueueMarker(&event), "clEnqueueMarker");
  return event;
}

}  // namespace

class Library::State {
 public:
  State(const cl::Context& context, const cl::Device& device, const ProfileSource& source)
      : executor_(context, device), identity_(identify(device)) {
    FoundProfile found = find_profile(source, default_search_path(), identity_);
    origin_ = std::move(found.origin);
    profile_ = std::move(found.profile);
    generic_ = parse_profile(generic_profile_text(), "built-in profile");
    profiles_.push_back(&profile_);
    if (profile_.kind != ProfileKind::kGeneric) profiles_.push_back(&generic_);
    for (const Profile* profile : profiles_) {
      for (const KernelRecord& record : profile->kernels) {
        kernels_[&record];
        most_alignment_ = std::max(most_alignment_, static_cast<std::size_t>(record.alignment));
      }
    }
    limits_ = serving_limits(device, identity_.limits);
    opencl_1_1_ = device.getInfo<CL_DEVICE_VERSION>().rfind("OpenCL 1.1", 0) == 0;
  }

  const std::string& origin() const { return origin_; }

  cl::Event sgemm(const cl::CommandQueue& queue, const GemmCall& call, const Matrix& a,
                  const Matrix& b, const Matrix& c, const std::vector<cl::Event>& wait_list);
  std::shared_ptr<const Route> route(const GemmProblem& problem);

 private:
  void check_queue(const cl::CommandQueue& queue) const;
  void check_wait_list(const std::vector<cl::Event>& wait_list) const;
  std::optional<Route> load_route(GemmPlan plan, std::string& failures);
  Route plan_route(const GemmProblem& problem);
  LoadedKernel* load(const KernelRecord& record, std::string& failures);
  bool load_any(const GemmPlan::Choices& choices, LoadedKernel*& kernel, std::string& failures);

  Executor executor_;
  DeviceIdentity identity_;
  ServingLimits limits_;
  Profile profile_;
  Profile generic_;
  std::string origin_;
  std::vector<const Profile*> profiles_;               // in order of preference
  std::map<const KernelRecord*, LazyKernel> kernels_;  // filled once: only its values change
  std::size_t most_alignment_ = 1;                     // that a kernel asks for, elements
  std::mutex routes_mutex_;
  std::map<RouteKey, std::shared_ptr<const Route>> routes_;
  bool opencl_1_1_ = false;
};

void Library::State::check_queue(const cl::CommandQueue& queue) const {
  if (queue() == nullptr) throw Error(TW_INVALID_QUEUE, "the command queue is null");
  cl_context context = nullptr;
  cl_device_id device = nullptr;
  cl_int code =
      clGetCommandQueueInfo(queue(), CL_QUEUE_CONTEXT, sizeof(context), &context, nullptr);
  if (code == CL_SUCCESS) {
    code = clGetCommandQueueInfo(queue(), CL_QUEUE_DEVICE, sizeof(device), &device, nullptr);
  }
  if (code != CL_SUCCESS) {
    throw Error(TW_INVALID_QUEUE, "the command queue is none: " + opencl_code_text(code), code);
  }
  if (context != executor_.context()() || device != executor_.device()()) {
    throw Error(TW_INVALID_QUEUE,
                "the command queue is of another context or device than the library");
  }
}

void Library::State::check_wait_list(const std::vector<cl::Event>& wait_list) const {
  for (const cl::Event& event : wait_list) {
    cl_context context = nullptr;
    if (event() == nullptr ||
        clGetEventInfo(event(), CL_EVENT_CONTEXT, sizeof(context), &context, nullptr) !=
            CL_SUCCESS ||
        context != executor_.context()()) {
      throw Error(TW_INVALID_VALUE,
                  "an event of the wait list is none, or of another context than the library");
    }
  }
}

LoadedKernel* Library::State::load(const KernelRecord& record, std::string& failures) {
  LazyKernel& lazy = kernels_.at(&record);
  const std::lock_guard lock(lazy.mutex);
  if (!lazy.loaded) {
    Loaded loaded = executor_.load(record);
    const auto* rejection = std::get_if<Rejection>(&loaded);
    // Out of memory is of the moment, not of the kernel.
    if (rejection != nullptr && status_of(rejection->opencl_code) == TW_OUT_OF_MEMORY)
      fail(*rejection);
    lazy.loaded = std::move(loaded);
  }
  if (const auto* rejection = std::get_if<Rejection>(&*lazy.loaded)) {
    failures += "\n" + rejection->reason;
    return nullptr;
  }
  return std::get<std::unique_ptr<LoadedKernel>>(*lazy.loaded).get();
}

// Loads the first of the choices that can be loaded; false if none can. No choices: nothing to do.
bool Library::State::load_any(const GemmPlan::Choices& choices, LoadedKernel*& kernel,
                              std::string& failures) {
  for (const KernelRecord* record : choices) {
    kernel = load(*record, failures);
    if (kernel != nullptr) return true;
  }
  return choices.empty();
}

// The plan with its kernels, or nullopt if one that it needs does not load.
std::optional<Route> Library::State::load_route(GemmPlan plan, std::string& failures) {
  Route route;
  route.gemm = load(*plan.kernel, failures);
  if (route.gemm == nullptr || !load_any(plan.pack_a, route.pack_a, failures) ||
      !load_any(plan.pack_b, route.pack_b, failures) ||
      !load_any(plan.pack_c, route.pack_c, failures) ||
      !load_any(plan.unpack_c, route.unpack_c, failures) ||
      !load_any(plan.reduce, route.reduce, failures)) {
    return std::nullopt;
  }
  route.plan = std::move(plan);
  return route;
}

// Planning looks at every kernel's results, which costs more than a small product: each problem is
// planned once.
std::shared_ptr<const Route> Library::State::route(const GemmProblem& problem) {
  const GemmShape& shape = problem.shape;
  const RouteKey key{problem.op,
                     shape.m,
                     shape.n,
                     shape.k,
                     problem.beta != 0.0f,
                     alignment_of(problem.a, most_alignment_),
                     alignment_of(problem.b, most_alignment_),
                     alignment_of(problem.c, most_alignment_)};
  {
    const std::lock_guard lock(routes_mutex_);
    const auto known = routes_.find(key);
    if (known != routes_.end()) return known->second;
  }
  const auto route = std::make_shared<const Route>(plan_route(problem));
  const std::lock_guard lock(routes_mutex_);
  if (routes_.size() >= kMostRoutes) routes_.clear();
  routes_.emplace(key, route);
  return route;
}

Route Library::State::plan_route(const GemmProblem& problem) {
  const GemmShape& shape = problem.shape;
  std::string failures;
  for (GemmPlan& plan : rank_plans(profiles_, limits_, problem)) {
    if (auto route = load_route(std::move(plan), failures)) return std::move(*route);
  }
  throw Error(TW_BUILD_FAILURE,
              fmt::format("no kernel can serve {} {}x{}x{} on '{}'{}", to_text(problem.op), shape.m,
                          shape.n, shape.k, identity_.name, failures));
}

cl::Event Library::State::sgemm(const cl::CommandQueue& queue, const GemmCall& call,
                                const Matrix& a, const Matrix& b, const Matrix& c,
                                const std::vector<cl::Event>& wait_list) {
  const GemmProblem problem = resolve(call, a, b, c);
  check_buffers(call, a, b, c, executor_.context()());
  check_queue(queue);
  check_wait_list(wait_list);
  if (problem.shape.m == 0 || problem.shape.n == 0) {
    return enqueue_nothing(queue, wait_list, opencl_1_1_);
  }
  return enqueue(executor_, queue, *route(problem), problem, wait_list);
}

Library::Library(std::shared_ptr<State> state) : state_(std::move(state)) {}

Library Library::open(const cl::Context& context, const cl::Device& device,
                      const ProfileSource& source) {
  if (context() == nullptr) throw Error(TW_INVALID_VALUE, "the context is null");
  if (device() == nullptr) throw Error(TW_INVALID_VALUE, "the device is null");
  cl_int code = CL_SUCCESS;
  const std::vector<cl::Device> devices = context.getInfo<CL_CONTEXT_DEVICES>(&code);
  check_opencl(code, "clGetContextInfo");
  const auto same = [&](const cl::Device& other) { return other() == device(); };
  if (std::none_of(devices.begin(), devices.end(), same)) {
    throw Error(TW_INVALID_VALUE, "the device is not one of the context's");
  }
  return Library(std::make_shared<State>(context, device, source));
}

const std::string& Library::profile_origin() const {
  return state_->origin();
}

cl::Event Library::sgemm(const cl::CommandQueue& queue, const GemmCall& call, const Matrix& a,
                         const Matrix& b, const Matrix& c,
                         const std::vector<cl::Event>& wait_list) {
  return state_->sgemm(queue, call, a, b, c, wait_list);
}

std::string Library::explain(const GemmCall& call) {
  const GemmProblem problem = resolve_dense(call);
  if (problem.shape.m == 0 || problem.shape.n == 0) return "nothing to do: C is empty";
  const auto route = state_->route(problem);
  return fmt::format("{}: {}", route->plan.kernel->name, reason_of(route->plan));
}

std::vector<std::string> Library::kernels_for(const GemmCall& call) {
  const GemmProblem problem = resolve_dense(call);
  if (problem.shape.m == 0 || problem.shape.n == 0) return {};
  std::vector<std::string> names;
  for (const LoadedKernel* kernel : state_->route(problem)->in_order()) {
    names.push_back(kernel->record().name);
  }
  return names;
}

}  // namespace tilewright
