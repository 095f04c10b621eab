#include "tuner/bench/competitors/competitor_library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

namespace tilewright {

CompetitorLibrary::CompetitorLibrary(const std::string& file, const std::string& package)
    : file_(file), handle_(::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL)) {
  if (handle_ != nullptr) return;
  const char* why = ::dlerror();  // contains the name of the file
  missing_ = fmt::format("{}; install it (Debian: {})", why == nullptr ? file : why, package);
}

void* CompetitorLibrary::find_symbol(const char* name) {
  if (handle_ == nullptr) return nullptr;
  void* const address = ::dlsym(handle_, name);
  if (address == nullptr) missing_ = fmt::format("{} has no function {}", file_, name);
  return address;
}

}  // namespace tilewright
