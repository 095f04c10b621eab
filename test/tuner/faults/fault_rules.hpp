// Which fault should happen, and where?
//
// The rules of the fault layer (fault_layer.cpp), one a line: FAULT SELECTOR [ARGUMENT]; what
// follows a # is a comment. Knows no OpenCL.
//
//   build_failure always             every kernel
//   slow entry=sgemm_R_R_m1_n1 50    the kernel of that name
//   launch_hang entry~_m8_           kernels whose name contains this
//   wrong_result hash%20=3           one kernel in twenty, by its name
//   build_crash source~image2d       kernels whose text contains this
//   context_crash call=2             the second call, in this process, of the function it concerns
//   launch_crash entry=x&items>1000  launches with more work-items than that, of what is selected
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright {

// Named in rules by text, such as build_failure.
enum class Fault {
  kContextCrash,    // clCreateContext dies
  kContextFailure,  // clCreateContext fails
  kBuildFailure,    // clBuildProgram fails, with a log
  kBuildCrash,      // clBuildProgram dies
  kBuildHang,       // clBuildProgram does not come back
  kLaunchCrash,     // clEnqueueNDRangeKernel dies
  kLaunchHang,      // clFinish, or whatever waits for the launch, does not come back
  kLaunchSpin,      // clEnqueueNDRangeKernel does not come back and keeps a core busy
  kOutOfResources,  // clEnqueueNDRangeKernel fails
  kContextLost,     // the launch fails, and so does every one after it in the same context
  kWrongResult,     // the kernel gets another alpha (argument 3 of products); all else looks well
  kGarbageTimes,    // events end before they start; with an argument: take so many ns
  kSlow,            // launches take ARGUMENT times as long
  kTimesByName,     // launches take model_ns()
  kDeviceGone,  // the launch dies; while the file ARGUMENT, which that makes, exists, every process
                // fails
};

struct FaultRule {
  enum class Selector { kAlways, kEntry, kEntryPart, kSourcePart, kHash, kCall };
  Fault fault = Fault::kBuildFailure;
  Selector selector = Selector::kAlways;
  std::string text;                          // kEntry, kEntryPart, kSourcePart
  std::uint64_t modulus = 1;                 // kHash
  std::uint64_t number = 0;                  // kHash: the remainder; kCall: which
  std::optional<std::uint64_t> items_above;  // a launch must have more
  double factor = 0.0;                       // ARGUMENT, where it is a number
  std::string file;                          // ARGUMENT of kDeviceGone
};

// Throws std::runtime_error with the line's number and what is wrong.
std::vector<FaultRule> parse_fault_rules(const std::string& text);

// What a call is about.
struct FaultSubject {
  std::vector<std::string> entries;  // names of kernels: of one, or of all in a program
  std::string_view source;
  std::uint64_t call = 0;   // 1: the first of this function in this process
  std::uint64_t items = 0;  // of a launch
};

bool selects(const FaultRule& rule, const FaultSubject& subject);

// The first rule of this fault that selects the subject, or nullptr.
const FaultRule* find_rule(const std::vector<FaultRule>& rules, Fault fault,
                           const FaultSubject& subject);

// FNV-1a, 64 bits: the same on every machine.
std::uint64_t fault_hash(std::string_view text);

// A kernel's time in the model: as many ns as it has work-items times k (at least 1), times a
// constant of its name between 1 and 2. No machine's noise changes who wins.
std::uint64_t model_ns(std::string_view entry, std::uint64_t work_items, std::int64_t k);

// The names of the kernels in OpenCL C text.
std::vector<std::string> kernel_names(std::string_view source);

}  // namespace tilewright
