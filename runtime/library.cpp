#include <tilewright/library.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>
#include <tuple>

#include "profiles/profile_text.hpp"
#include "runtime/batch.hpp"
#include "runtime/device_identity.hpp"
#include "runtime/executor.hpp"
#include "runtime/opencl_error.hpp"
#include "runtime/operands.hpp"
#include "runtime/plan.hpp"
#include "runtime/planned_gemm.hpp"
#include "runtime/profile_search.hpp"
#include "runtime/temporary_pool.hpp"

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

class Library::State : public PlanHost {
 public:
  State(const cl::Context& context, const cl::Device& device, const ProfileSource& source)
      : executor_(context, device, default_binary_cache()),
        temporaries_(context, device),
        identity_(identify(device)) {
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

  ~State() override;
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  const std::string& origin() const { return origin_; }

  cl::Event sgemm(const cl::CommandQueue& queue, const GemmCall& call, const Matrix& a,
                  const Matrix& b, const Matrix& c,
                  const std::vector<cl::Event>& wait_list) override;
  GemmProblem checked(const GemmCall& call, const Matrix& a, const Matrix& b,
                      const Matrix& c) const;
  GemmProblem checked(const Product& product) const {
    return checked(product.call, product.a, product.b, product.c);
  }
  cl::Event sgemm(const cl::CommandQueue& queue, const Batch& batch,
                  const std::vector<cl::Event>& wait_list);
  const Executor& executor() const override { return executor_; }
  TemporaryPool& temporaries() override { return temporaries_; }
  void check(const cl::CommandQueue& queue,
             const std::vector<cl::Event>& wait_list) const override {
    check_queue(queue);
    check_wait_list(wait_list);
  }
  cl::Event nothing(const cl::CommandQueue& queue,
                    const std::vector<cl::Event>& wait_list) const override {
    return enqueue_nothing(queue, wait_list, opencl_1_1_);
  }
  // The route for any beta, with its kernel's name and the reason.
  void find_route(PlannedGemm& planned);
  std::shared_ptr<const Route> route(const GemmProblem& problem);
  std::string explain(const GemmProblem& problem) {
    return tilewright::explain(rank_plans(profiles_, limits_, problem),
                               *route(problem)->plan.kernel);
  }

 private:
  void check_queue(const cl::CommandQueue& queue) const;
  void check_wait_list(const std::vector<cl::Event>& wait_list) const;
  std::optional<Route> load_route(GemmPlan plan, std::string& failures);
  Route plan_route(const GemmProblem& problem);
  [[noreturn]] void fail_to_serve(const GemmProblem& problem, const std::string& failures) const;
  LoadedKernel* load(const KernelRecord& record, std::string& failures);
  bool load_any(const GemmPlan::Choices& choices, LoadedKernel*& kernel, std::string& failures);

  Executor executor_;
  TemporaryPool temporaries_;
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

// What the driver compiled when kernels first ran is complete now, if the work is.
Library::State::~State() {
  for (auto& [record, lazy] : kernels_) {
    if (!lazy.loaded) continue;
    auto* kernel = std::get_if<std::unique_ptr<LoadedKernel>>(&*lazy.loaded);
    try {
      if (kernel != nullptr) executor_.store(**kernel);
    } catch (const std::exception&) {
      return;  // no memory: the next process compiles again
    }
  }
}

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

void Library::State::fail_to_serve(const GemmProblem& problem, const std::string& failures) const {
  const GemmShape& shape = problem.shape;
  throw Error(TW_BUILD_FAILURE,
              fmt::format("no kernel can serve {} {}x{}x{} on '{}'{}", to_text(problem.op), shape.m,
                          shape.n, shape.k, identity_.name, failures));
}

Route Library::State::plan_route(const GemmProblem& problem) {
  std::string failures;
  for (GemmPlan& plan : rank_plans(profiles_, limits_, problem)) {
    if (auto route = load_route(std::move(plan), failures)) return std::move(*route);
  }
  fail_to_serve(problem, failures);
}

// The kernel is the best one for the planned beta, of those that can also be served where C is
// read.
void Library::State::find_route(PlannedGemm& planned) {
  GemmProblem updating = planned.problem;
  updating.beta = 1.0f;
  const std::vector<GemmPlan> updates = rank_plans(profiles_, limits_, updating);
  std::string failures;
  for (GemmPlan& plan : rank_plans(profiles_, limits_, planned.problem)) {
    const auto update = std::find_if(updates.begin(), updates.end(), [&](const GemmPlan& other) {
      return other.kernel == plan.kernel;
    });
    if (update == updates.end()) continue;
    planned.kernel = plan.kernel->name;
    planned.reason = reason_of(plan);
    plan.pack_c = update->pack_c;
    if (auto route = load_route(std::move(plan), failures)) {
      planned.route = std::move(*route);
      return;
    }
  }
  fail_to_serve(planned.problem, failures);
}

cl::Event Library::State::sgemm(const cl::CommandQueue& queue, const GemmCall& call,
                                const Matrix& a, const Matrix& b, const Matrix& c,
                                const std::vector<cl::Event>& wait_list) {
  const GemmProblem problem = checked(call, a, b, c);
  check_queue(queue);
  check_wait_list(wait_list);
  if (problem.shape.m == 0 || problem.shape.n == 0) {
    return enqueue_nothing(queue, wait_list, opencl_1_1_);
  }
  return enqueue(executor_, &temporaries_, queue, *route(problem), problem, wait_list);
}

GemmProblem Library::State::checked(const GemmCall& call, const Matrix& a, const Matrix& b,
                                    const Matrix& c) const {
  GemmProblem problem = resolve(call, a, b, c);
  check_buffers(call, a, b, c, executor_.context()());
  return problem;
}

// One launch for each product, and an event for all.
cl::Event Library::State::sgemm(const cl::CommandQueue& queue, const Batch& batch,
                                const std::vector<cl::Event>& wait_list) {
  std::vector<GemmProblem> problems;
  for (const Product& product : batch) problems.push_back(checked(product));
  check_queue(queue);
  check_wait_list(wait_list);
  if (problems.empty() || problems.front().shape.m == 0 || problems.front().shape.n == 0) {
    return enqueue_nothing(queue, wait_list, opencl_1_1_);
  }
  // Kernels that cannot be had are found before anything is enqueued.
  std::vector<std::shared_ptr<const Route>> routes;
  for (const GemmProblem& problem : problems) routes.push_back(route(problem));
  std::vector<cl::Event> written;
  for (std::size_t i = 0; i < problems.size(); ++i) {
    written.push_back(enqueue(executor_, &temporaries_, queue, *routes[i], problems[i], wait_list));
  }
  return written.size() == 1 ? written.front() : enqueue_nothing(queue, written, opencl_1_1_);
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

cl::Event Library::sgemm_strided_batched(const cl::CommandQueue& queue, const GemmCall& call,
                                         const StridedMatrices& a, const StridedMatrices& b,
                                         const StridedMatrices& c, std::size_t count,
                                         const std::vector<cl::Event>& wait_list) {
  // The last product reaches farthest: a count far too large is refused before it is listed.
  if (count > 0) state_->checked(strided_product(call, a, b, c, count - 1));
  return state_->sgemm(queue, strided_batch(call, a, b, c, count), wait_list);
}

cl::Event Library::sgemm_batched(const cl::CommandQueue& queue, const GemmCall& call,
                                 const ListedMatrices& a, const ListedMatrices& b,
                                 const ListedMatrices& c, const BatchScalars& scalars,
                                 const std::vector<cl::Event>& wait_list) {
  return state_->sgemm(queue, listed_batch(call, a, b, c, scalars), wait_list);
}

Plan Library::plan(const GemmCall& call) {
  const Matrices dense = dense_matrices(call);
  return plan(call, dense.a, dense.b, dense.c);
}

Plan Library::plan(const GemmCall& call, const Matrix& a, const Matrix& b, const Matrix& c) {
  const auto planned = std::make_shared<PlannedGemm>();
  planned->host = state_;
  planned->call = call;
  planned->call.alpha = 1.0f;  // that of each execute counts
  planned->a = {{}, a.offset, a.ld};
  planned->b = {{}, b.offset, b.ld};
  planned->problem = resolve(planned->call, a, b, c);
  const GemmShape& shape = planned->problem.shape;
  planned->computes = shape.m > 0 && shape.n > 0 && shape.k > 0;
  if (planned->computes) {
    state_->find_route(*planned);
  } else {
    planned->reason = "nothing is multiplied: C is empty, or k is 0";
  }
  return Plan(planned);
}

std::string Library::explain(const GemmCall& call) {
  const GemmProblem problem = resolve_dense(call);
  if (problem.shape.m == 0 || problem.shape.n == 0) return "nothing to do: C is empty";
  return state_->explain(problem);
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
