// What does an OpenCL error code mean, and what can be done about it?
#pragma once

#include <string>

#include <tilewright/error.hpp>

namespace tilewright {

// "CL_OUT_OF_RESOURCES (-5)"; "unknown OpenCL code (-9999)" for codes without a name.
std::string opencl_code_text(cl_int code);

// TW_OUT_OF_MEMORY for the codes that say so, else TW_OPENCL_ERROR.
tw_status status_of(cl_int code);

// Can the call that failed so succeed once memory is freed? (CL_OUT_OF_RESOURCES has other reasons,
// too, but drivers that make memory when it is first used say it then.)
bool lacks_memory(cl_int code);

// Throws Error with status_of(code) unless code is CL_SUCCESS; the message names the call, the code
// and, where there is one, a remedy.
void check_opencl(cl_int code, const char* call);

}  // namespace tilewright
