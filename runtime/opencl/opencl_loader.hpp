// The OpenCL library that this process calls, and the functions that it lacks.
//
// Candidates, in this order: the library named by $TILEWRIGHT_OPENCL; the OpenCL that the
// application is linked to; a loader that is already loaded; libOpenCL.so.1, and vendors' libraries
// in the places that boards and Android use. The search is done once, at the first OpenCL call.
#pragma once

#include <string>
#include <vector>

namespace tilewright {

// Result of the search.
struct OpenClLoader {
  std::string path;  // path of the library that is called; "": none was found
  // True if it has the symbol versions of the ICD loaders (ocl-icd, Khronos). A vendor's own
  // library, which may not read ICD files, has none or others.
  bool has_usual_versions = true;
  std::vector<std::string> missing;  // functions that it lacks
  // If none was found: for each library that was tried, why it cannot be used.
  std::vector<std::string> tried;
};

// The result of the search. Thread-safe.
OpenClLoader opencl_loader();

// Why there is no loader, and what to do, in one sentence; "" if there is one.
std::string no_loader_reason();
// Why the function fails if the loader lacks it, and what to do; "" if the loader has it.
std::string missing_function_reason(const std::string& function);

}  // namespace tilewright
