// A vendor's libOpenCL.so.1 as on some boards: it has its own symbol versions and only the
// functions of OpenCL 1.1 (vendor_loader.map). It forwards all calls to the usual loader.
#include <dlfcn.h>

#include "runtime/opencl/opencl_forwarders.cpp"

namespace tilewright {

const OpenClFunctions& opencl_functions() {
  static const OpenClFunctions found = [] {
    void* const loader = ::dlopen(TILEWRIGHT_USUAL_LOADER, RTLD_NOW | RTLD_LOCAL);
    OpenClFunctions functions;
    if (loader == nullptr) return functions;
#define TILEWRIGHT_FIND(name) \
  functions.name = reinterpret_cast<decltype(functions.name)>(::dlsym(loader, #name));
    TILEWRIGHT_OPENCL_FUNCTIONS(TILEWRIGHT_FIND)
#undef TILEWRIGHT_FIND
    return functions;
  }();
  return found;
}

}  // namespace tilewright
