// The state of the fault layer, shared by its calls.
//
// The calls are in fault_layer.cpp (contexts, programs, the loader's entry points) and
// fault_launches.cpp (kernels, launches, times).
#pragma once

#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl_layer.h>

#include <atomic>
#include <map>
#include <mutex>
#include <optional>
#include <set>

#include "fault_rules.hpp"

namespace tilewright {

struct SeenProgram {
  std::string source;  // empty for a binary
  std::vector<std::string> entries;
  bool failed = false;  // because of a rule
};

struct SeenKernel {
  std::string entry;
  std::string source;
  std::map<cl_uint, std::vector<unsigned char>> arguments;  // scalars and handles, as set
};

// How long a launch claims to have taken.
struct ClaimedTimes {
  std::optional<std::uint64_t> instead_ns;
  double factor = 1.0;
  bool backwards = false;
  bool honest = true;  // true: wall times must show it, too
};

struct FaultState {
  cl_icd_dispatch driver{};  // of the driver or the next layer
  cl_icd_dispatch layer{};
  std::vector<FaultRule> rules;
  std::mutex mutex;  // guards the members below
  std::map<cl_program, SeenProgram> programs;
  std::map<cl_kernel, SeenKernel> kernels;
  std::map<cl_event, ClaimedTimes> events;  // of launches; the latest one for each handle
  // Launches whose claimed times have not been waited for yet; retained.
  std::vector<cl_event> pending;
  std::uint64_t contexts = 0;  // number of calls so far
  std::uint64_t builds = 0;
  std::uint64_t launches = 0;
  std::uint64_t flushes = 0;
  std::set<cl_context> lost;  // contexts in which nothing can be launched any more
  std::atomic<bool> hung = false;
};

FaultState& fault_state();

// Returns true if a rule for this fault selects this subject.
bool ordered(Fault fault, const FaultSubject& subject);
bool device_is_gone();

[[noreturn]] void crash();
[[noreturn]] void hang();
[[noreturn]] void spin();

// Answers a clGet...Info call.
cl_int give(const void* value, size_t bytes, size_t room, void* to, size_t* bytes_ret);

void replace_launch_calls(cl_icd_dispatch& layer);

}  // namespace tilewright
