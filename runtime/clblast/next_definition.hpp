// Finds CLBlast's own definition of a function that the drop-in also defines.
#pragma once

#include <dlfcn.h>

namespace clblast {

// The definition that would be called without the drop-in: that of a CLBlast that is loaded after
// it, as with LD_PRELOAD. Null if there is none. `own` is the drop-in's function, which must be
// exported.
template <class Function>
Function* next_definition(Function* own) {
  Dl_info information;
  if (::dladdr(reinterpret_cast<void*>(own), &information) == 0 ||
      information.dli_sname == nullptr || information.dli_saddr != reinterpret_cast<void*>(own)) {
    return nullptr;
  }
  auto* const next = reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, information.dli_sname));
  return next == own ? nullptr : next;
}

}  // namespace clblast
