// Which OpenCL library does this process call, and what does it lack?
//
// In this order: the library that $TILEWRIGHT_OPENCL names; the OpenCL that the application is
// linked to; a loader that is loaded already; libOpenCL.so.1, and libraries of vendors in the
// places where boards and Android have them. Found once, on the first OpenCL call.
#pragma once

#include <string>
#include <vector>

namespace tilewright {

struct OpenClLoader {
  std::string path;  // of the library that is called; "": none was found
  // Has the symbol versions of the ICD loaders (ocl-icd, Khronos). A vendor's own library, which
  // may not read ICD files, has none or others.
  bool has_usual_versions = true;
  std::vector<std::string> missing;  // functions that it lacks
  // Where none was found: why each library that was tried is none.
  std::vector<std::string> tried;
};

OpenClLoader opencl_loader();

// Why there is no loader and what to do, in one sentence; "": there is one.
std::string no_loader_reason();
// Why a function failed, if the loader lacks it, and what to do; "": it does not lack it.
std::string missing_function_reason(const std::string& function);

}  // namespace tilewright
