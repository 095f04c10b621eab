// Implements the calls of the fault layer that concern launches: kernels, their arguments,
// launches, and their times.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <fstream>
#include <thread>

#include "fault_state.hpp"

namespace tilewright {
namespace {

// Kernels

cl_kernel CL_API_CALL create_kernel(cl_program program, const char* name, cl_int* code) {
  cl_kernel kernel = fault_state().driver.clCreateKernel(program, name, code);
  if (kernel == nullptr) return nullptr;
  const std::lock_guard lock(fault_state().mutex);
  fault_state().kernels[kernel] = {name, fault_state().programs[program].source, {}};
  return kernel;
}

cl_int CL_API_CALL set_argument(cl_kernel kernel, cl_uint index, size_t bytes, const void* value) {
  if (value != nullptr) {
    const auto* begin = static_cast<const unsigned char*>(value);
    const std::lock_guard lock(fault_state().mutex);
    fault_state().kernels[kernel].arguments[index].assign(begin, begin + bytes);
  }
  return fault_state().driver.clSetKernelArg(kernel, index, bytes, value);
}

template <class Value>
std::optional<Value> argument(const SeenKernel& kernel, cl_uint index) {
  const auto found = kernel.arguments.find(index);
  if (found == kernel.arguments.end() || found->second.size() != sizeof(Value)) return std::nullopt;
  Value value{};
  std::memcpy(&value, found->second.data(), sizeof value);
  return value;
}

// Launches

constexpr cl_uint kArgumentK = 2;
constexpr cl_uint kArgumentAlpha = 3;

struct Launch {
  cl_command_queue queue;
  cl_kernel kernel;
  cl_uint dimensions;
  const size_t* offset;
  const size_t* global;
  const size_t* local;
  cl_uint num_waits;
  const cl_event* waits;
  cl_event* event;

  cl_int run() const {
    return fault_state().driver.clEnqueueNDRangeKernel(queue, kernel, dimensions, offset, global,
                                                       local, num_waits, waits, event);
  }
};

// Launches with another alpha, if argument 3 is one: small integers are not normal floats.
cl_int run_wrongly(const Launch& launch, const SeenKernel& kernel) {
  const auto alpha = argument<cl_float>(kernel, kArgumentAlpha);
  if (!alpha || !std::isnormal(*alpha)) return launch.run();
  const cl_float other = *alpha * 1.5f;
  const auto set = fault_state().driver.clSetKernelArg;
  set(launch.kernel, kArgumentAlpha, sizeof other, &other);
  const cl_int code = launch.run();
  set(launch.kernel, kArgumentAlpha, sizeof *alpha, &*alpha);
  return code;
}

ClaimedTimes claimed_times(const SeenKernel& kernel, const FaultSubject& subject) {
  ClaimedTimes times;
  const auto& rules = fault_state().rules;
  if (find_rule(rules, Fault::kTimesByName, subject) != nullptr) {
    times.instead_ns =
        model_ns(kernel.entry, subject.items, argument<cl_int>(kernel, kArgumentK).value_or(1));
  }
  if (const FaultRule* slow = find_rule(rules, Fault::kSlow, subject)) times.factor = slow->factor;
  if (const FaultRule* garbage = find_rule(rules, Fault::kGarbageTimes, subject)) {
    times.backwards = garbage->factor == 0.0;
    times.instead_ns = static_cast<std::uint64_t>(garbage->factor);
    times.honest = false;
  }
  return times;
}

// Returns true if the queue's context is lost. If `now` is true it is lost from now on.
bool context_is_lost(cl_command_queue queue, bool now) {
  cl_context context = nullptr;
  fault_state().driver.clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof context, &context,
                                             nullptr);
  const std::lock_guard lock(fault_state().mutex);
  if (now) fault_state().lost.insert(context);
  return fault_state().lost.count(context) > 0;
}

// Fails or dies if a rule applies.
std::optional<cl_int> launch_fault(cl_command_queue queue, const FaultSubject& subject) {
  if (device_is_gone()) return CL_OUT_OF_RESOURCES;
  if (const FaultRule* gone = find_rule(fault_state().rules, Fault::kDeviceGone, subject)) {
    std::ofstream(gone->file) << subject.entries[0] << '\n';
    crash();
  }
  if (ordered(Fault::kLaunchCrash, subject)) crash();
  if (ordered(Fault::kLaunchSpin, subject)) spin();
  if (context_is_lost(queue, ordered(Fault::kContextLost, subject)) ||
      ordered(Fault::kOutOfResources, subject)) {
    return CL_OUT_OF_RESOURCES;
  }
  if (ordered(Fault::kLaunchHang, subject)) fault_state().hung = true;
  return std::nullopt;
}

// Times

struct Span {
  cl_ulong start = 0;
  cl_ulong end = 0;
};

// Returns when a launch really ran; nullopt if the event is not a launch, is not finished, or has
// no times.
std::optional<Span> real_span(cl_event event) {
  const cl_icd_dispatch& driver = fault_state().driver;
  cl_command_type type = 0;
  Span span;
  if (driver.clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof type, &type, nullptr) !=
          CL_SUCCESS ||
      type != CL_COMMAND_NDRANGE_KERNEL ||
      driver.clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof span.start,
                                     &span.start, nullptr) != CL_SUCCESS ||
      driver.clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof span.end, &span.end,
                                     nullptr) != CL_SUCCESS) {
    return std::nullopt;
  }
  return span;
}

cl_ulong claimed_end(cl_event event, const Span& real) {
  const std::lock_guard lock(fault_state().mutex);
  const ClaimedTimes& times = fault_state().events[event];
  if (times.backwards) return real.start - 1000;
  const auto took = static_cast<double>(times.instead_ns.value_or(real.end - real.start));
  return real.start + static_cast<cl_ulong>(took * times.factor);
}

cl_int CL_API_CALL profiling_info(cl_event event, cl_profiling_info name, size_t value_size,
                                  void* to, size_t* bytes_ret) {
  const std::optional<Span> real =
      name == CL_PROFILING_COMMAND_END ? real_span(event) : std::nullopt;
  if (!real) {
    return fault_state().driver.clGetEventProfilingInfo(event, name, value_size, to, bytes_ret);
  }
  const cl_ulong end = claimed_end(event, *real);
  return give(&end, sizeof end, value_size, to, bytes_ret);
}

// Waiting

void claim(cl_event event, const ClaimedTimes& times) {
  const bool longer = times.honest && (times.instead_ns || times.factor > 1.0);
  if (longer) fault_state().driver.clRetainEvent(event);
  const std::lock_guard lock(fault_state().mutex);
  fault_state().events[event] = times;
  if (longer) fault_state().pending.push_back(event);
}

// Waits as long as the launches claim to take, so that wall time and event times agree.
void wait_for_claims() {
  constexpr std::uint64_t kMax_ns = 1'000'000'000;
  std::vector<cl_event> pending;
  {
    const std::lock_guard lock(fault_state().mutex);
    pending.swap(fault_state().pending);
  }
  std::uint64_t missing_ns = 0;
  for (cl_event event : pending) {
    if (const auto real = real_span(event)) {
      const cl_ulong end = claimed_end(event, *real);
      missing_ns += end > real->end ? end - real->end : 0;
    }
    fault_state().driver.clReleaseEvent(event);
  }
  std::this_thread::sleep_for(std::chrono::nanoseconds(std::min(missing_ns, kMax_ns)));
}

template <class Wait>
cl_int waited(Wait wait) {
  if (fault_state().hung) hang();
  if (device_is_gone()) return CL_OUT_OF_RESOURCES;
  const cl_int code = wait();
  wait_for_claims();
  return code;
}

cl_int CL_API_CALL finish(cl_command_queue queue) {
  return waited([&] { return fault_state().driver.clFinish(queue); });
}

cl_int CL_API_CALL flush(cl_command_queue queue) {
  const cl_int code = fault_state().driver.clFlush(queue);
  FaultSubject subject;
  {
    const std::lock_guard lock(fault_state().mutex);
    subject.call = ++fault_state().flushes;
  }
  return ordered(Fault::kFlushFailure, subject) ? CL_OUT_OF_RESOURCES : code;
}

cl_int CL_API_CALL wait_for_events(cl_uint count, const cl_event* events) {
  return waited([&] { return fault_state().driver.clWaitForEvents(count, events); });
}

cl_int CL_API_CALL read_buffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                               size_t offset, size_t bytes, void* to, cl_uint num_waits,
                               const cl_event* waits, cl_event* event) {
  const auto read = [&] {
    return fault_state().driver.clEnqueueReadBuffer(queue, buffer, blocking, offset, bytes, to,
                                                    num_waits, waits, event);
  };
  return blocking == CL_TRUE ? waited(read) : read();
}

void* CL_API_CALL map_buffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                             cl_map_flags flags, size_t offset, size_t bytes, cl_uint num_waits,
                             const cl_event* waits, cl_event* event, cl_int* code) {
  void* mapped = nullptr;
  cl_int answer = CL_SUCCESS;
  const auto map = [&] {
    mapped = fault_state().driver.clEnqueueMapBuffer(queue, buffer, blocking, flags, offset, bytes,
                                                     num_waits, waits, event, &answer);
    return answer;
  };
  answer = blocking == CL_TRUE ? waited(map) : map();
  if (code != nullptr) *code = answer;
  return mapped;
}

// The launch itself

cl_int CL_API_CALL enqueue_kernel(cl_command_queue queue, cl_kernel handle, cl_uint dimensions,
                                  const size_t* offset, const size_t* global, const size_t* local,
                                  cl_uint num_waits, const cl_event* waits, cl_event* event) {
  SeenKernel kernel;
  FaultSubject subject;
  {
    const std::lock_guard lock(fault_state().mutex);
    kernel = fault_state().kernels[handle];
    subject.call = ++fault_state().launches;
  }
  subject.entries = {kernel.entry};
  subject.source = kernel.source;
  subject.items = 1;
  for (cl_uint i = 0; i < dimensions; ++i) subject.items *= global[i];
  if (const auto code = launch_fault(queue, subject)) return *code;
  const Launch launch{queue, handle, dimensions, offset, global, local, num_waits, waits, event};
  const ClaimedTimes times = claimed_times(kernel, subject);
  const cl_int code =
      ordered(Fault::kWrongResult, subject) ? run_wrongly(launch, kernel) : launch.run();
  if (code == CL_SUCCESS && event != nullptr) claim(*event, times);
  return code;
}

}  // namespace

void replace_launch_calls(cl_icd_dispatch& layer) {
  layer.clCreateKernel = create_kernel;
  layer.clSetKernelArg = set_argument;
  layer.clEnqueueNDRangeKernel = enqueue_kernel;
  layer.clFinish = finish;
  layer.clFlush = flush;
  layer.clWaitForEvents = wait_for_events;
  layer.clEnqueueReadBuffer = read_buffer;
  layer.clEnqueueMapBuffer = map_buffer;
  layer.clGetEventProfilingInfo = profiling_info;
}

}  // namespace tilewright
