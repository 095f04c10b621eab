#include "runtime/api/library.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "profiles/built_in.hpp"
#include "runtime/call/opencl_error.hpp"
#include "runtime/call/queue_owner.hpp"
#include "runtime/device/device_identity.hpp"
#include "runtime/device/log.hpp"
#include "runtime/device/profile_search.hpp"
#include "runtime/plan/layer_kernels.hpp"

namespace tilewright {
namespace {

void check_queue(const cl::CommandQueue& queue, const Executor& executor) {
  const QueueOwner owner = queue_owner(queue());
  if (owner.context != executor.context()() || owner.device != executor.device()()) {
    throw Error(TW_INVALID_QUEUE,
                "the command queue belongs to another context or device than the library");
  }
}

void check_wait_list(const std::vector<cl::Event>& wait_list, const Executor& executor) {
  for (const cl::Event& event : wait_list) {
    cl_context context = nullptr;
    if (event() == nullptr ||
        clGetEventInfo(event(), CL_EVENT_CONTEXT, sizeof(context), &context, nullptr) !=
            CL_SUCCESS ||
        context != executor.context()()) {
      throw Error(
          TW_INVALID_VALUE,
          "an event in the wait list is invalid, or belongs to another context than the library");
    }
  }
}

// The kernels of a plan with their predicted times, for the log.
std::string to_text(const GemmPlan& plan) {
  return fmt::format("{}, {}: {}", plan.kernel().name, predicted_text(plan), steps_text(plan));
}

std::string to_text(const GemmProblem& problem) {
  return fmt::format("{} {}{}", to_text(problem.op), to_text(problem.shape),
                     of_elements(problem.precision));
}

// The device limits that kernels may exceed, as text.
std::string to_text(const DeviceLimits& limits) {
  return fmt::format(
      "which supports up to {} work-items per work-group ({}) and {} bytes of local memory",
      limits.max_work_group_size, fmt::join(limits.max_work_item_sizes, " x "),
      limits.local_memory_bytes);
}

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

const cl::Device& checked_device(const cl::Context& context, const cl::Device& device) {
  if (context() == nullptr) throw Error(TW_INVALID_VALUE, "the context is null");
  if (device() == nullptr) throw Error(TW_INVALID_VALUE, "the device is null");
  cl_int code = CL_SUCCESS;
  const std::vector<cl::Device> devices = context.getInfo<CL_CONTEXT_DEVICES>(&code);
  check_opencl(code, "clGetContextInfo");
  if (!contains_device(devices, device())) {
    throw Error(TW_INVALID_VALUE, "the device does not belong to the context");
  }
  return device;
}

}  // namespace

Library::Library(const cl::Context& context, const cl::Device& device,
                 const LibraryOptions& options)
    : log_(log_or_stderr(options.log)),
      executor_(context, checked_device(context, device),
                options.cache_folder == nullptr ? default_binary_cache()
                                                : binary_cache_in(options.cache_folder)),
      temporaries_(context, device, options.max_kept_bytes),
      device_(device_info(device)),
      kernels_(executor_, log_) {
  const GenericProfile generic;
  FoundProfile found =
      find_profile(options.source, default_search_path(), device_.identity, generic);
  origin_ = origin_text(found);
  if (found.profile.kind == ProfileKind::kGeneric) {
    profile_ = for_device(std::move(found.profile), device_);
    const bool embedded = found.path.empty() && options.source.kind() != ProfileSource::Kind::kText;
    if (const auto known = likeliest_class(device_); known && embedded) {
      found.remarks += fmt::format("; kernels for device class {}", to_text(*known));
    }
  } else {
    profile_ = std::move(found.profile);
    generic_ = built_in_profile(device_, profile_, generic);
  }
  checks_kernels_ = found.under_other_software;
  kernels_.add(profile_, checks_kernels_);
  profiles_.push_back(&profile_);
  for (FoundProfile& next : found.fallback) {
    fallback_ = std::move(next.profile);
    kernels_.add(fallback_, next.under_other_software);
    profiles_.push_back(&fallback_);
  }
  if (profile_.kind != ProfileKind::kGeneric) {
    kernels_.add(generic_, false);
    profiles_.push_back(&generic_);
  }
  for (const Profile* profile : profiles_) {
    for (const KernelRecord& record : profile->kernels) {
      max_alignment_ = std::max(max_alignment_, static_cast<std::size_t>(record.alignment));
    }
  }
  times_ = std::make_unique<const MeasuredTimes>(profiles_);
  opencl_1_1_ = device.getInfo<CL_DEVICE_VERSION>().rfind("OpenCL 1.1", 0) == 0;
  if (log_) {
    write_log(log_, Severity::kInfo,
              fmt::format("opened on '{}' with profile {}{}", device_.identity.name, origin_,
                          found.remarks));
    const std::string obstacle = executor_.cache_obstacle();
    if (!obstacle.empty()) {
      write_log(log_, Severity::kWarning,
                fmt::format("the binary cache is off, so all kernels are built from source: {}",
                            obstacle));
    }
  }
}

void Library::require_same_process() const {
  if (!is_forked()) return;
  throw Error(TW_FORKED,
              "fork() made this process after the library was opened, and OpenCL drivers do not "
              "work in such a process; fork before the first use of OpenCL, or start a program "
              "(exec)");
}

void Library::check(const cl::CommandQueue& queue, const std::vector<cl::Event>& wait_list) const {
  require_same_process();
  check_queue(queue, executor_);
  check_wait_list(wait_list, executor_);
}

cl::Event Library::enqueue_marker(const cl::CommandQueue& queue,
                                  const std::vector<cl::Event>& wait_list) const {
  cl::Event event;
  if (!opencl_1_1_) {
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

// Planning evaluates the results of all kernels, which takes longer than a small product, so each
// problem is planned only once. A call with a known route has checked the process before: getpid()
// is a system call.
std::shared_ptr<const PlannedRoute> Library::route(const GemmProblem& problem, bool any_beta) {
  const RouteKey key = route_key(problem, any_beta, max_alignment_);
  if (auto known = routes_.find(key)) return known;
  require_same_process();
  std::shared_ptr<const PlannedRoute> planned;
  if (any_beta) {
    planned = std::make_shared<const PlannedRoute>(plan_any_beta(problem));
  } else {
    std::string failures;
    auto best = plan_route(problem, kAnyBytes, failures);
    if (!best) fail_unsupported(problem, failures);
    planned = std::make_shared<const PlannedRoute>(std::move(*best));
  }
  const bool new_route = routes_.insert(key, planned);
  if (log_ && new_route) {
    write_log(log_, Severity::kInfo,
              fmt::format("planned {}{}: {}", to_text(problem),
                          problem.beta == 0.0 ? "" : ", C is read", to_text(planned->route.plan)));
  }
  return planned;
}

void Library::require_type(Precision precision) const {
  if (supports(precision)) return;
  throw Error(TW_UNSUPPORTED_TYPE, fmt::format("'{}' does not support {}", device_.identity.name,
                                               required_extension(precision)));
}

void Library::fail_unsupported(const GemmProblem& problem, const std::string& failures) const {
  require_type(problem.precision);
  throw Error(TW_BUILD_FAILURE,
              fmt::format("no kernel can run {} on '{}', {}{}", to_text(problem),
                          device_.identity.name, to_text(device_.identity.limits), failures));
}

std::optional<PlannedRoute> Library::plan_route(const GemmProblem& problem, std::uint64_t below,
                                                std::string& failures) {
  for (GemmPlan& plan : ranked(problem)) {
    if (below != kAnyBytes && temporary_bytes(plan) >= below) continue;
    auto route = load_route(std::move(plan), [&](const KernelRecord& record) {
      return kernels_.load(record, failures);
    });
    if (route) return PlannedRoute{std::move(*route), "", ""};
  }
  return std::nullopt;
}

std::shared_ptr<const PlannedRoute> Library::route_without_temporaries(const GemmProblem& problem) {
  std::string failures;
  auto route = plan_route(problem, 1, failures);
  return route ? std::make_shared<const PlannedRoute>(std::move(*route)) : nullptr;
}

std::shared_ptr<const PlannedRoute> Library::smaller_route(const GemmProblem& problem,
                                                           std::uint64_t below) {
  RouteKey key = route_key(problem, false, max_alignment_);
  key.temporaries_below = below;
  if (auto known = routes_.find(key)) return known;
  std::string failures;
  auto route = plan_route(problem, below, failures);
  if (!route) return nullptr;
  const auto planned = std::make_shared<const PlannedRoute>(std::move(*route));
  if (routes_.insert(key, planned) && log_) {
    write_log(log_, Severity::kWarning,
              fmt::format("not enough device memory for the plan of {}; using {}", to_text(problem),
                          to_text(planned->route.plan)));
  }
  return planned;
}

LayerKernel Library::activation_kernel(Precision precision, const LayerEpilogue& epilogue,
                                       bool gaps) {
  return first_that_loads(
      rank_activations(profiles_, *times_, device_.identity.limits, precision, epilogue, gaps),
      to_text(epilogue.activation));
}

LayerKernel Library::softmax_kernel(Precision precision, Activation applied) {
  return first_that_loads(
      rank_softmaxes(profiles_, *times_, device_.identity.limits, precision, applied),
      applied == Activation::kLogSoftmax ? "log_softmax" : "softmax");
}

LayerKernel Library::first_that_loads(const std::vector<const KernelRecord*>& records,
                                      std::string_view what) {
  std::string failures;
  for (const KernelRecord* record : records) {
    if (LoadedKernel* kernel = kernels_.load(*record, failures)) {
      return {kernel, times_->ns_per_element(*record)};
    }
  }
  throw Error(TW_BUILD_FAILURE,
              fmt::format("no kernel can apply {} on '{}', {}{}", what, device_.identity.name,
                          to_text(device_.identity.limits), failures));
}

PlannedRoute Library::plan_any_beta(const GemmProblem& problem) {
  GemmProblem updating = problem;
  updating.beta = 1.0;
  const std::vector<GemmPlan> updates = ranked(updating);
  std::string failures;
  for (GemmPlan& plan : ranked(problem)) {
    const auto update = std::find_if(updates.begin(), updates.end(), [&](const GemmPlan& other) {
      return &other.kernel() == &plan.kernel();
    });
    if (update == updates.end()) continue;
    PlannedRoute planned{{}, plan.kernel().name, reason_text(plan)};
    plan.choices[CallStep::kPackC] = update->choices[CallStep::kPackC];
    auto route = load_route(std::move(plan), [&](const KernelRecord& record) {
      return kernels_.load(record, failures);
    });
    if (!route) continue;
    planned.route = std::move(*route);
    return planned;
  }
  fail_unsupported(problem, failures);
}

}  // namespace tilewright
