// An OpenCL layer that makes a driver crash, hang or return wrong results.
//
// It is a library that the loader inserts between a program and the driver if the environment
// variable OPENCL_LAYERS names it. It applies the rules in the file $TILEWRIGHT_FAULTS
// (fault_rules.hpp), and passes on all other calls. The interface of the loader requires global
// state.
//
// Handles are those of the driver. Objects that other calls create (clCreateKernelsInProgram,
// clCloneKernel, clLinkProgram) are unknown here, so rules that select by name or text do not apply
// to them.
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "fault_state.hpp"

namespace tilewright {

FaultState& fault_state() {
  // Never destroyed, because other threads of the driver outlive main().
  static auto* const instance = new FaultState;
  return *instance;
}

[[noreturn]] void crash() {
  std::fputs("fault layer: a crash as ordered\n", stderr);
  std::signal(SIGSEGV, SIG_DFL);  // otherwise sanitizers would report it and exit
  std::raise(SIGSEGV);
  std::abort();
}

[[noreturn]] void hang() {
  for (;;) ::pause();
}

[[noreturn]] void spin() {
  for (std::atomic<std::uint64_t> turns = 0;;) ++turns;
}

bool ordered(Fault fault, const FaultSubject& subject) {
  return find_rule(fault_state().rules, fault, subject) != nullptr;
}

bool device_is_gone() {
  const auto& rules = fault_state().rules;
  return std::any_of(rules.begin(), rules.end(), [](const FaultRule& rule) {
    return rule.fault == Fault::kDeviceGone && ::access(rule.file.c_str(), F_OK) == 0;
  });
}

cl_int give(const void* value, size_t bytes, size_t value_size, void* to, size_t* bytes_ret) {
  if (bytes_ret != nullptr) *bytes_ret = bytes;
  if (to == nullptr) return CL_SUCCESS;
  if (value_size < bytes) return CL_INVALID_VALUE;
  std::memcpy(to, value, bytes);
  return CL_SUCCESS;
}

namespace {

constexpr char kLog[] = "the fault layer is configured to reject this program";

// Contexts

template <class Create>
cl_context created(cl_int* code, Create create) {
  FaultSubject subject;
  {
    const std::lock_guard lock(fault_state().mutex);
    subject.call = ++fault_state().contexts;
  }
  if (ordered(Fault::kContextCrash, subject)) crash();
  if (device_is_gone() || ordered(Fault::kContextFailure, subject)) {
    if (code != nullptr) *code = CL_DEVICE_NOT_AVAILABLE;
    return nullptr;
  }
  cl_context context = create();
  const std::lock_guard lock(fault_state().mutex);
  fault_state().lost.erase(context);  // the handle may have been used before
  return context;
}

cl_context CL_API_CALL create_context(
    const cl_context_properties* properties, cl_uint count, const cl_device_id* devices,
    void(CL_CALLBACK* notify)(const char*, const void*, size_t, void*), void* data, cl_int* code) {
  return created(code, [&] {
    return fault_state().driver.clCreateContext(properties, count, devices, notify, data, code);
  });
}

cl_context CL_API_CALL create_context_from_type(
    const cl_context_properties* properties, cl_device_type type,
    void(CL_CALLBACK* notify)(const char*, const void*, size_t, void*), void* data, cl_int* code) {
  return created(code, [&] {
    return fault_state().driver.clCreateContextFromType(properties, type, notify, data, code);
  });
}

// Programs

std::string join_sources(cl_uint count, const char** strings, const size_t* lengths) {
  std::string text;
  for (cl_uint i = 0; i < count; ++i) {
    const bool ends_with_zero = lengths == nullptr || lengths[i] == 0;
    text.append(strings[i], ends_with_zero ? std::strlen(strings[i]) : lengths[i]);
  }
  return text;
}

void remember(cl_program program, std::string source) {
  if (program == nullptr) return;
  const std::lock_guard lock(fault_state().mutex);
  auto names = kernel_names(source);
  fault_state().programs[program] = {std::move(source), std::move(names), false};
}

cl_program CL_API_CALL create_with_source(cl_context context, cl_uint count, const char** strings,
                                          const size_t* lengths, cl_int* code) {
  cl_program program =
      fault_state().driver.clCreateProgramWithSource(context, count, strings, lengths, code);
  if (program != nullptr) remember(program, join_sources(count, strings, lengths));
  return program;
}

cl_program CL_API_CALL create_with_binary(cl_context context, cl_uint count,
                                          const cl_device_id* devices, const size_t* lengths,
                                          const unsigned char** binaries, cl_int* status,
                                          cl_int* code) {
  if (ordered(Fault::kBinaryCrash, {})) crash();
  cl_program program = fault_state().driver.clCreateProgramWithBinary(
      context, count, devices, lengths, binaries, status, code);
  remember(program, "");
  return program;
}

// The contents of a binary are known only after it is built.
std::vector<std::string> list_directory(cl_program program) {
  size_t bytes = 0;
  const auto ask = fault_state().driver.clGetProgramInfo;
  if (ask(program, CL_PROGRAM_KERNEL_NAMES, 0, nullptr, &bytes) != CL_SUCCESS) return {};
  std::string list(bytes, '\0');
  if (ask(program, CL_PROGRAM_KERNEL_NAMES, bytes, list.data(), nullptr) != CL_SUCCESS) return {};
  std::vector<std::string> entries;
  std::istringstream names(list.c_str());
  for (std::string name; std::getline(names, name, ';');) entries.push_back(name);
  return entries;
}

cl_int CL_API_CALL build(cl_program program, cl_uint count, const cl_device_id* devices,
                         const char* options, void(CL_CALLBACK* notify)(cl_program, void*),
                         void* data) {
  if (device_is_gone()) return CL_OUT_OF_RESOURCES;
  const auto really = [&] {
    return fault_state().driver.clBuildProgram(program, count, devices, options, notify, data);
  };
  SeenProgram what;
  FaultSubject subject;
  {
    const std::lock_guard lock(fault_state().mutex);
    what = fault_state().programs[program];
    subject.call = ++fault_state().builds;
  }
  std::optional<cl_int> code;
  if (what.source.empty()) {
    code = really();
    what.entries = list_directory(program);
  }
  subject.entries = what.entries;
  subject.source = what.source;
  if (ordered(Fault::kBuildCrash, subject)) crash();
  if (ordered(Fault::kBuildHang, subject)) hang();
  if (ordered(Fault::kBuildFailure, subject)) {
    const std::lock_guard lock(fault_state().mutex);
    fault_state().programs[program].failed = true;
    return CL_BUILD_PROGRAM_FAILURE;
  }
  return code ? *code : really();
}

cl_int CL_API_CALL build_info(cl_program program, cl_device_id device, cl_program_build_info name,
                              size_t value_size, void* to, size_t* bytes_ret) {
  bool failed = false;
  {
    const std::lock_guard lock(fault_state().mutex);
    failed = fault_state().programs[program].failed;
  }
  constexpr cl_build_status kError = CL_BUILD_ERROR;
  if (failed && name == CL_PROGRAM_BUILD_LOG)
    return give(kLog, sizeof kLog, value_size, to, bytes_ret);
  if (failed && name == CL_PROGRAM_BUILD_STATUS) {
    return give(&kError, sizeof kError, value_size, to, bytes_ret);
  }
  return fault_state().driver.clGetProgramBuildInfo(program, device, name, value_size, to,
                                                    bytes_ret);
}

// Invalid rules are an error, because otherwise a run without faults would seem to be one with
// faults.
std::vector<FaultRule> rules_of_environment() {
  const char* path = std::getenv("TILEWRIGHT_FAULTS");
  if (path == nullptr || *path == '\0') return {};
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  try {
    if (!file) throw std::runtime_error("it cannot be read");
    return parse_fault_rules(text.str());
  } catch (const std::runtime_error& error) {
    std::fprintf(stderr, "fault layer: %s: %s\n", path, error.what());
    std::_Exit(99);
  }
}

void replace_calls(cl_icd_dispatch& layer) {
  layer.clCreateContext = create_context;
  layer.clCreateContextFromType = create_context_from_type;
  layer.clCreateProgramWithSource = create_with_source;
  layer.clCreateProgramWithBinary = create_with_binary;
  layer.clBuildProgram = build;
  layer.clGetProgramBuildInfo = build_info;
  replace_launch_calls(layer);
}

}  // namespace
}  // namespace tilewright

// Functions that the loader looks up.
#define TILEWRIGHT_EXPORT extern "C" __attribute__((visibility("default")))

TILEWRIGHT_EXPORT cl_int CL_API_CALL clGetLayerInfo(cl_layer_info name, size_t value_size, void* to,
                                                    size_t* bytes_ret) {
  constexpr cl_layer_api_version kVersion = CL_LAYER_API_VERSION_100;
  constexpr char kName[] = "tilewright fault layer";
  using tilewright::give;
  if (name == CL_LAYER_API_VERSION)
    return give(&kVersion, sizeof kVersion, value_size, to, bytes_ret);
  if (name == CL_LAYER_NAME) return give(kName, sizeof kName, value_size, to, bytes_ret);
  return CL_INVALID_VALUE;
}

TILEWRIGHT_EXPORT cl_int CL_API_CALL clInitLayer(cl_uint num_entries, const cl_icd_dispatch* target,
                                                 cl_uint* num_entries_ret,
                                                 const cl_icd_dispatch** layer) {
  if (target == nullptr || num_entries_ret == nullptr || layer == nullptr) return CL_INVALID_VALUE;
  // Another version of the loader has another number of calls; new ones are added at the end.
  constexpr std::size_t kEntries = sizeof(cl_icd_dispatch) / sizeof(void*);
  const std::size_t entries = std::min<std::size_t>(num_entries, kEntries);
  tilewright::FaultState& state = tilewright::fault_state();
  std::memcpy(&state.driver, target, entries * sizeof(void*));
  state.layer = state.driver;
  state.rules = tilewright::rules_of_environment();
  tilewright::replace_calls(state.layer);
  *num_entries_ret = static_cast<cl_uint>(entries);
  *layer = &state.layer;
  return CL_SUCCESS;
}
