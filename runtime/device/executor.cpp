#include "runtime/device/executor.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "profiles/work_group.hpp"
#include "runtime/call/opencl_error.hpp"
#include "runtime/device/device_identity.hpp"

namespace tilewright {
namespace {

KernelError failed_call(FailureKind kind, const KernelRecord& record, const char* call,
                        cl_int code) {
  return {kind, fmt::format("{}: {} failed with {}", record.name, call, opencl_code_text(code)),
          code};
}

std::optional<KernelError> set_arguments(cl_kernel kernel, const KernelRecord& record,
                                         const KernelLaunch& launch) {
  if (!launch.failure().empty()) {
    return KernelError{FailureKind::kLaunch, fmt::format("{}: {}", record.name, launch.failure()),
                       CL_INVALID_ARG_VALUE};
  }
  cl_uint index = 0;
  for (const KernelLaunch::Argument& argument : launch.arguments()) {
    const cl_int code = clSetKernelArg(kernel, index++, argument.bytes, argument.value.data());
    if (code != CL_SUCCESS)
      return failed_call(FailureKind::kLaunch, record, "clSetKernelArg", code);
  }
  return std::nullopt;
}

std::string build_log(const cl::Program& program, const cl::Device& device) {
  cl_int code = CL_SUCCESS;
  std::string log = program.getBuildInfo<CL_PROGRAM_BUILD_LOG>(device, &code);
  return code == CL_SUCCESS ? log : "";
}

// The device's binary of a kernel's program, or nullopt if the driver returns none.
std::optional<std::string> program_binary(const cl::Kernel& kernel, const cl::Device& device) {
  cl_int code = CL_SUCCESS;
  const auto program = kernel.getInfo<CL_KERNEL_PROGRAM>(&code);
  if (code != CL_SUCCESS) return std::nullopt;
  const std::vector<cl::Device> devices = program.getInfo<CL_PROGRAM_DEVICES>(&code);
  if (code != CL_SUCCESS) return std::nullopt;
  const auto binaries = program.getInfo<CL_PROGRAM_BINARIES>(&code);
  if (code != CL_SUCCESS || binaries.size() != devices.size()) return std::nullopt;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    if (devices[i]() == device()) return std::string(binaries[i].begin(), binaries[i].end());
  }
  return std::nullopt;
}

bool is_complete(const cl::Event& event) {
  return event() != nullptr && event.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>() == CL_COMPLETE;
}

// Launches the kernel after its arguments have been set.
Launched enqueue(const cl::CommandQueue& queue, const cl::Kernel& kernel,
                 const KernelRecord& record, const std::array<std::size_t, 3>& group,
                 const KernelLaunch& launch, std::span<const cl::Event> wait_list) {
  const auto z = static_cast<std::size_t>(record.work_group_k);
  const std::size_t depth = z * static_cast<std::size_t>(record.split_k) * launch.products();
  const std::array<std::size_t, 3> items{launch.global()[0], launch.global()[1], depth};
  const std::size_t* const chosen = group[0] == 0 ? nullptr : group.data();
  // A cl::Event contains only a cl_event; CLHPP passes arrays of events in the same way.
  static_assert(sizeof(cl::Event) == sizeof(cl_event));
  const auto* waits =
      wait_list.empty() ? nullptr : reinterpret_cast<const cl_event*>(wait_list.data());
  cl_event event = nullptr;
  const cl_int code =
      clEnqueueNDRangeKernel(queue(), kernel(), depth == 1 ? 2 : 3, nullptr, items.data(), chosen,
                             static_cast<cl_uint>(wait_list.size()), waits, &event);
  if (code != CL_SUCCESS) {
    return failed_call(FailureKind::kLaunch, record, "clEnqueueNDRangeKernel", code);
  }
  return cl::Event(event);
}

// Limits that hold for all kernels on the device.
WorkGroupLimits group_limits(const cl::Device& device) {
  WorkGroupLimits limits;
  limits.items = static_cast<std::int64_t>(device.getInfo<CL_DEVICE_MAX_WORK_GROUP_SIZE>());
  const auto sizes = device.getInfo<CL_DEVICE_MAX_WORK_ITEM_SIZES>();
  for (std::size_t i = 0; i < limits.items_by_dimension.size() && i < sizes.size(); ++i) {
    limits.items_by_dimension[i] = static_cast<std::int64_t>(sizes[i]);
  }
  return limits;
}

// Returns which requirement of the record the device does not meet, as a sentence, before anything
// is compiled; otherwise nullopt.
std::optional<std::string> unmet_requirement(const cl::Device& device, const KernelRecord& record) {
  if (const std::string_view type = required_extension(record); !has_extension(device, type)) {
    return fmt::format("{}: it needs {}, which the device does not support", record.name, type);
  }
  const auto local = device.getInfo<CL_DEVICE_LOCAL_MEM_SIZE>();
  if (std::cmp_greater(record.local_bytes, local)) {
    return fmt::format("{}: its work-group needs {} bytes of local memory, but the device has {}",
                       record.name, record.local_bytes, local);
  }
  const auto sizes = device.getInfo<CL_DEVICE_MAX_WORK_ITEM_SIZES>();
  if (record.work_group_k > 1 &&
      (sizes.size() < 3 || std::cmp_greater(record.work_group_k, sizes[2]))) {
    return fmt::format(
        "{}: its work-group has {} work-items in dimension 2, but the device supports {}",
        record.name, record.work_group_k, sizes.size() < 3 ? 1 : sizes[2]);
  }
  if (const WorkGroupLimits limits = group_limits(device); !launched_work_group(record, limits)) {
    return fmt::format(
        "{}: its work-group has {} x {} x {} work-items, but the device supports {} in total, and "
        "{} per dimension",
        record.name, record.work_group[0], record.work_group[1], record.work_group_k, limits.items,
        fmt::join(limits.items_by_dimension, " x "));
  }
  const bool images = device.getInfo<CL_DEVICE_IMAGE_SUPPORT>() != CL_FALSE;
  if (record.images != Images{} && !images) {
    return fmt::format("{}: it uses images, which the device does not support", record.name);
  }
  return std::nullopt;
}

}  // namespace

const char* to_text(FailureKind kind) {
  switch (kind) {
    case FailureKind::kLimits:
      return "limits";
    case FailureKind::kBuild:
      return "build";
    case FailureKind::kLaunch:
      return "launch";
    case FailureKind::kWrong:
      return "wrong";
  }
  return "?";
}

bool compiles_at_launch(const cl::Device& device) {
  const cl::Platform platform(device.getInfo<CL_DEVICE_PLATFORM>());
  return platform.getInfo<CL_PLATFORM_NAME>().find("Portable Computing Language") !=
         std::string::npos;
}

Executor::Executor(cl::Context context, cl::Device device, std::shared_ptr<BinaryCache> cache)
    : context_(std::move(context)), device_(std::move(device)), cache_(std::move(cache)) {
  if (!cache_) return;
  device_key_ = device_binary_key(device_);
  compiles_at_launch_ = compiles_at_launch(device_);
}

BinaryKey Executor::make_binary_key(const KernelRecord& record) const {
  return {device_key_, record.source, record.build_options};
}

Loaded Executor::load(const KernelRecord& record) const {
  if (auto reason = unmet_requirement(device_, record))
    return KernelError{FailureKind::kLimits, std::move(*reason)};
  if (std::unique_ptr<LoadedKernel> kernel = load_cached(record)) return kernel;
  cl_int code = CL_SUCCESS;
  const cl::Program program(context_, record.source, false, &code);
  check_opencl(code, "clCreateProgramWithSource");
  code = program.build(std::vector<cl::Device>{device_}, record.build_options.c_str());
  if (code != CL_SUCCESS) {
    KernelError failed = failed_call(FailureKind::kBuild, record, "clBuildProgram", code);
    failed.reason.append("\n").append(build_log(program, device_));
    return failed;
  }
  Loaded loaded = finish(record, program);
  // Only after the kernel was created, because some drivers compile at this point.
  if (const auto* kernel = std::get_if<std::unique_ptr<LoadedKernel>>(&loaded)) store(**kernel);
  return loaded;
}

// Loads the record's binary from the cache. Returns null if there is none, or if it is unusable.
std::unique_ptr<LoadedKernel> Executor::load_cached(const KernelRecord& record) const {
  if (!cache_) return nullptr;
  const BinaryKey key = make_binary_key(record);
  const std::optional<std::string> binary = cache_->find(key);
  if (!binary) return nullptr;
  const BinaryCache::LoadMark mark = cache_->mark_load(key);
  const std::vector<cl::Device> devices{device_};
  cl_int code = CL_SUCCESS;
  const cl::Program::Binaries binaries{std::vector<unsigned char>(binary->begin(), binary->end())};
  cl::Program program(context_, devices, binaries, nullptr, &code);
  if (code == CL_SUCCESS) code = program.build(devices, record.build_options.c_str());
  if (code == CL_SUCCESS) {
    Loaded loaded = finish(record, program);
    if (auto* kernel = std::get_if<std::unique_ptr<LoadedKernel>>(&loaded)) {
      (*kernel)->in_cache_ = true;
      (*kernel)->from_cache_ = true;
      return std::move(*kernel);
    }
  }
  cache_->drop(key);  // load() compiles the source instead
  return nullptr;
}

// Creates the kernel of a built program.
Loaded Executor::finish(const KernelRecord& record, const cl::Program& program) const {
  cl_int code = CL_SUCCESS;
  const cl::Kernel kernel(program, record.entry.c_str(), &code);
  if (code != CL_SUCCESS) return failed_call(FailureKind::kBuild, record, "clCreateKernel", code);
  // Because of its registers, the kernel may support fewer work-items than the device in general.
  const auto limit = kernel.getWorkGroupInfo<CL_KERNEL_WORK_GROUP_SIZE>(device_, &code);
  if (code != CL_SUCCESS)
    return failed_call(FailureKind::kBuild, record, "clGetKernelWorkGroupInfo", code);
  WorkGroupLimits limits = group_limits(device_);
  limits.items = std::min(limits.items, static_cast<std::int64_t>(limit));
  const auto group = launched_work_group(record, limits);
  if (!group) {
    return KernelError{
        FailureKind::kLimits,
        fmt::format(
            "{}: its work-group has {} work-items, but the device supports {} for this kernel",
            record.name,
            std::int64_t{record.work_group[0]} * record.work_group[1] * record.work_group_k,
            limits.items)};
  }
  return std::make_unique<LoadedKernel>(record, kernel, *group);
}

void Executor::store(LoadedKernel& kernel) const {
  if (!cache_) return;
  const std::lock_guard lock(kernel.mutex_);
  if (kernel.in_cache_) return;
  if (compiles_at_launch_ && !is_complete(kernel.first_launch_)) return;
  kernel.in_cache_ = true;  // it is now, or it never will be
  kernel.first_launch_ = cl::Event();
  if (const auto binary = program_binary(kernel.kernel_, device_)) {
    cache_->store(make_binary_key(kernel.record_), *binary);
  }
}

// Remembers the event of a kernel's first launch, for store().
Launched Executor::record_first_launch(LoadedKernel& kernel, Launched launched) const {
  const auto* event = std::get_if<cl::Event>(&launched);
  const bool first = !kernel.in_cache_ && kernel.first_launch_() == nullptr;
  if (compiles_at_launch_ && first && event != nullptr) kernel.first_launch_ = *event;
  return launched;
}

Launched Executor::launch(const cl::CommandQueue& queue, LoadedKernel& kernel,
                          const KernelLaunch& launch, std::span<const cl::Event> wait_list) const {
  const std::lock_guard lock(kernel.mutex_);
  if (auto kernel_error = set_arguments(kernel.kernel_(), kernel.record_, launch)) {
    return std::move(*kernel_error);
  }
  return record_first_launch(
      kernel, enqueue(queue, kernel.kernel_, kernel.record_, kernel.group_, launch, wait_list));
}

}  // namespace tilewright
