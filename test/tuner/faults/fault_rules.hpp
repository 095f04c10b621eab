// Defines the rules of the fault layer (fault_layer.cpp): which fault happens, and where.
//
// Each line is a rule: FAULT SELECTOR [ARGUMENT]. Text after # is a comment. This module does not
// depend on OpenCL.
//
//   build_failure always             every kernel
//   slow entry=sgemm_R_R_m1_n1 50    the kernel with that name
//   launch_hang entry~_m8_           kernels whose name contains this
//   wrong_result hash%20=3           one kernel in twenty, by its name
//   build_crash source~image2d       kernels whose text contains this
//   context_crash call=2             the second call of the function in this process
//   launch_crash entry=x&items>1000  launches of the selected kernel with more work-items than that
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright {

// In rules their names are written like build_failure.
enum class Fault {
  kContextCrash,    // clCreateContext dies
  kContextFailure,  // clCreateContext fails
  kBuildFailure,    // clBuildProgram fails, with a log
  kBuildCrash,      // clBuildProgram dies
  kBuildHang,       // clBuildProgram does not return
  kBinaryCrash,     // clCreateProgramWithBinary dies
  kLaunchCrash,     // clEnqueueNDRangeKernel dies
  kLaunchHang,      // clFinish, or any other wait for the launch, does not return
  kLaunchSpin,      // clEnqueueNDRangeKernel does not return and keeps a core busy
  kOutOfResources,  // clEnqueueNDRangeKernel fails
  kFlushFailure,    // clFlush fails, although it flushes
  kContextLost,     // the launch fails, and so does every later one in the same context
  kWrongResult,     // the kernel gets another alpha (argument 3 of products) without any other sign
  kGarbageTimes,    // events end before they start; with an argument: they take that many ns
  kSlow,            // launches take ARGUMENT times as long
  kTimesByName,     // launches take model_ns()
  // The launch dies and creates the file ARGUMENT. While that exists, every process fails.
  kDeviceGone,
};

struct FaultRule {
  enum class Selector { kAlways, kEntry, kEntryPart, kSourcePart, kHash, kCall };
  Fault fault = Fault::kBuildFailure;
  Selector selector = Selector::kAlways;
  std::string text;                          // kEntry, kEntryPart, kSourcePart
  std::uint64_t modulus = 1;                 // kHash
  std::uint64_t number = 0;                  // kHash: the remainder; kCall: the number of the call
  std::optional<std::uint64_t> items_above;  // only launches with more work-items
  double factor = 0.0;                       // ARGUMENT, if it is a number
  std::string file;                          // ARGUMENT of kDeviceGone
};

// Parses rules. Throws std::runtime_error with the number of the line and the error.
std::vector<FaultRule> parse_fault_rules(const std::string& text);

// The objects that a call concerns.
struct FaultSubject {
  std::vector<std::string> entries;  // names of kernels: of one, or of all in a program
  std::string_view source;
  std::uint64_t call = 0;   // 1: the first call of this function in this process
  std::uint64_t items = 0;  // of a launch
};

bool selects(const FaultRule& rule, const FaultSubject& subject);

// Returns the first rule for this fault that selects the subject, or nullptr.
const FaultRule* find_rule(const std::vector<FaultRule>& rules, Fault fault,
                           const FaultSubject& subject);

// FNV-1a with 64 bits, which gives the same value on every machine.
std::uint64_t fault_hash(std::string_view text);

// Returns the time of a kernel in the model in ns: work-items times k (at least 1) times a factor
// between 1 and 2 that depends on its name. With these times, noise does not change the winners.
std::uint64_t model_ns(std::string_view entry, std::uint64_t work_items, std::int64_t k);

// Returns the names of the kernels in OpenCL C text.
std::vector<std::string> kernel_names(std::string_view source);

}  // namespace tilewright
