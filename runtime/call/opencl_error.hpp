// Explains OpenCL error codes: names, status codes and remedies.
#pragma once

#include <string>

#include "runtime/call/error.hpp"

namespace tilewright {

// "CL_OUT_OF_RESOURCES (-5)"; "unknown OpenCL code (-9999)" for unnamed codes.
std::string opencl_code_text(cl_int code);

// TW_OUT_OF_MEMORY for out-of-memory codes, otherwise TW_OPENCL_ERROR.
tw_status to_status(cl_int code);

// True if the failed call may succeed after memory is freed. CL_OUT_OF_RESOURCES has other causes,
// too, but drivers that allocate memory at its first use report it then.
bool lacks_memory(cl_int code);

// Throws Error with to_status(code) unless code is CL_SUCCESS. The message contains the call, the
// code and, if there is one, a remedy.
void check_opencl(cl_int code, const char* call);

}  // namespace tilewright
