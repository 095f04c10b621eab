#include "profiles/base/shared_library.hpp"

#include <dlfcn.h>

namespace tilewright {

SharedLibrary::SharedLibrary(const std::string& file, const std::string& remedy)
    : file_(file.empty() ? "the program" : file) {
  handle_ = file.empty() ? RTLD_DEFAULT : ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  is_loaded_ = file.empty() || handle_ != nullptr;
  if (is_loaded_) return;
  const char* why = ::dlerror();  // contains the name of the file
  failure_ = why == nullptr ? file + " cannot be loaded" : why;
  if (!remedy.empty()) failure_ += "; " + remedy;
}

void* SharedLibrary::find_address(const char* name) const {
  return is_loaded_ ? ::dlsym(handle_, name) : nullptr;
}

}  // namespace tilewright
