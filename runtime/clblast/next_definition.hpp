// Finds CLBlast's own definition of a function that the drop-in also defines.
#pragma once

#include <dlfcn.h>

#include "argument_checks.hpp"
#include "guarded_call.hpp"

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

// Returns what CLBlast's own definition returns, or kNotImplemented if CLBlast is not loaded.
template <class Status, class... Parameters, class... Arguments>
Status pass_on(Status (*own)(Parameters...), const Arguments&... arguments) {
  Status (*const next)(Parameters...) = next_definition(own);
  if (next != nullptr) return next(arguments...);
  return static_cast<Status>(guarded([] {
    require(false, StatusCode::kNotImplemented,
            "only CLBlast itself has this function, and CLBlast is not loaded");
  }));
}

}  // namespace clblast
