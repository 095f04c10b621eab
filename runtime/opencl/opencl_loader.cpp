#include "runtime/opencl/opencl_loader.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <link.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>

#include "runtime/opencl/opencl_functions.hpp"

namespace tilewright {
namespace {

constexpr bool k64Bit = sizeof(void*) == 8;

// In the order in which they are tried. Names without a folder are searched like any library.
constexpr const char* kLibraries[] = {
    "libOpenCL.so.1",
    "libOpenCL.so",
    // Android
    k64Bit ? "/vendor/lib64/libOpenCL.so" : "/vendor/lib/libOpenCL.so",
    k64Bit ? "/system/vendor/lib64/libOpenCL.so" : "/system/vendor/lib/libOpenCL.so",
    k64Bit ? "/system/lib64/libOpenCL.so" : "/system/lib/libOpenCL.so",
    k64Bit ? "/vendor/lib64/egl/libGLES_mali.so" : "/vendor/lib/egl/libGLES_mali.so",
    k64Bit ? "/system/vendor/lib64/egl/libGLES_mali.so" : "/system/vendor/lib/egl/libGLES_mali.so",
    "libGLES_mali.so",
    // Images of boards
    "libmali.so.1",
    "libmali.so",
    k64Bit ? "/usr/lib/aarch64-linux-gnu/mali-egl/libmali.so"
           : "/usr/lib/arm-linux-gnueabihf/mali-egl/libmali.so",
};

// A process that has all of these is linked to OpenCL.
constexpr const char* kCore[] = {"clGetPlatformIDs",       "clCreateContext",
                                 "clCreateBuffer",         "clBuildProgram",
                                 "clEnqueueNDRangeKernel", "clReleaseMemObject"};

struct Source {
  void* library = nullptr;  // handle of dlopen; nullptr: none, or all functions are in the process
  bool in_process = false;  // functions in the process take precedence
};

// Ignored in a set-user-ID program, whose environment belongs to a user with fewer rights.
std::string named_library() {
  const char* named = ::secure_getenv("TILEWRIGHT_OPENCL");
  return named == nullptr ? "" : named;
}

// Loads a library that implements OpenCL. Returns nullptr with an explanation in `why` if it cannot
// be loaded or does not implement OpenCL.
void* open_library(const char* name, int flags, std::string& why) {
  void* const library = ::dlopen(name, flags);
  if (library == nullptr) {
    const char* error = ::dlerror();
    why = error == nullptr ? fmt::format("{}: cannot be loaded", name) : error;
    return nullptr;
  }
  if (::dlsym(library, "clGetPlatformIDs") != nullptr) return library;
  ::dlclose(library);
  why = fmt::format("{}: has no OpenCL functions", name);
  return nullptr;
}

Source find_source(std::vector<std::string>& tried) {
  std::string why;
  if (const std::string named = named_library(); !named.empty()) {
    void* const library = open_library(named.c_str(), RTLD_NOW | RTLD_LOCAL, why);
    if (library == nullptr) tried.push_back(why + " (from TILEWRIGHT_OPENCL)");
    return {library, false};
  }
  const auto in_process = [](const char* name) { return ::dlsym(RTLD_DEFAULT, name) != nullptr; };
  if (std::all_of(std::begin(kCore), std::end(kCore), in_process)) return {nullptr, true};
  // If only a part of OpenCL is present, it is a shim of LD_PRELOAD. Its functions are called
  // first; they find the loader if it is loaded globally.
  const bool shim = std::any_of(std::begin(kCore), std::end(kCore), in_process);
  const int flags = RTLD_NOW | (shim ? RTLD_GLOBAL : RTLD_LOCAL);
  for (const char* name : kLibraries) {
    if (void* const library = open_library(name, flags | RTLD_NOLOAD, why)) return {library, shim};
  }
  for (const char* name : kLibraries) {
    if (void* const library = open_library(name, flags, why)) return {library, shim};
    tried.push_back(why);
  }
  return {};
}

void* find_function(const Source& source, const char* name) {
  void* const shim = source.in_process ? ::dlsym(RTLD_DEFAULT, name) : nullptr;
  if (shim != nullptr || source.library == nullptr) return shim;
  return ::dlsym(source.library, name);
}

OpenClFunctions find_functions() {
  std::vector<std::string> tried;
  const Source source = find_source(tried);
  OpenClFunctions found;
#define TILEWRIGHT_FIND(name) \
  found.name = reinterpret_cast<decltype(found.name)>(find_function(source, #name));
  TILEWRIGHT_OPENCL_FUNCTIONS(TILEWRIGHT_FIND)
#undef TILEWRIGHT_FIND
  return found;
}

// Separate from opencl_functions(), which would otherwise build a stack frame in every call.
[[gnu::noinline]] const OpenClFunctions& find_functions_once() {
  static const OpenClFunctions found = find_functions();
  return found;
}

// True if the function's library has the symbol versions of an ICD loader. A library without
// versions, or with others, is not an ICD loader.
bool has_usual_versions([[maybe_unused]] void* function, [[maybe_unused]] const char* path) {
#ifdef __GLIBC__
  Dl_info information;
  void* map = nullptr;
  if (::dladdr1(function, &information, &map, RTLD_DL_LINKMAP) == 0 || map == nullptr) return true;
  const auto* dynamic = static_cast<const link_map*>(map)->l_ld;
  while (dynamic->d_tag != DT_NULL && dynamic->d_tag != DT_VERDEF) ++dynamic;
  if (dynamic->d_tag == DT_NULL) return false;
  void* const library = ::dlopen(path, RTLD_NOW | RTLD_NOLOAD);
  if (library == nullptr) return true;
  const bool usual = ::dlvsym(library, "clGetPlatformIDs", "OPENCL_1.0") != nullptr;
  ::dlclose(library);
  return usual;
#else
  return true;
#endif
}

}  // namespace

const OpenClFunctions& opencl_functions() {
  static std::atomic<const OpenClFunctions*> found = nullptr;
  const OpenClFunctions* functions = found.load();
  if (functions == nullptr) found = functions = &find_functions_once();
  return *functions;
}

OpenClLoader opencl_loader() {
  OpenClLoader loader;
  const OpenClFunctions& functions = opencl_functions();
  auto* const function = reinterpret_cast<void*>(functions.clGetPlatformIDs);
  if (function == nullptr) {
    find_source(loader.tried);
    return loader;
  }
  Dl_info information;
  loader.path = ::dladdr(function, &information) != 0 && information.dli_fname != nullptr
                    ? information.dli_fname
                    : "the program itself";
  loader.has_usual_versions = has_usual_versions(function, loader.path.c_str());
#define TILEWRIGHT_CHECK(name) \
  if (functions.name == nullptr) loader.missing.emplace_back(#name);
  TILEWRIGHT_OPENCL_FUNCTIONS(TILEWRIGHT_CHECK)
#undef TILEWRIGHT_CHECK
  return loader;
}

std::string no_loader_reason() {
  const OpenClLoader loader = opencl_loader();
  if (!loader.path.empty()) return "";
  return fmt::format(
      "no OpenCL library can be loaded; install one (Debian: ocl-icd-libopencl1), or set "
      "TILEWRIGHT_OPENCL to its path; tried {}",
      fmt::join(loader.tried, "; "));
}

std::string missing_function_reason(const std::string& function) {
  const OpenClLoader loader = opencl_loader();
  if (std::find(loader.missing.begin(), loader.missing.end(), function) == loader.missing.end()) {
    return "";
  }
  return fmt::format(
      "{} does not have this function; install ocl-icd-libopencl1, or set TILEWRIGHT_OPENCL to "
      "another OpenCL library",
      loader.path);
}

}  // namespace tilewright
