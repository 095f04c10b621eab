// What every C function does.
//
// Exceptions are converted to status codes here and nowhere else.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "runtime/api/library.hpp"
#include "runtime/call/thread_exit.hpp"

struct tw_library {
  tilewright::LibraryHandle library;
};

namespace tilewright {

// The calling thread's last error, for tw_last_error() and tw_last_opencl_code().
struct LastError {
  std::string message;
  cl_int opencl_code = CL_SUCCESS;
};
LastError& last_error();

// The status for the exception that is being handled; also stores its message and OpenCL code.
tw_status exception_status() noexcept;

// Runs `body`. Converts an exception to a status and to the thread's last error; throws only
// ThreadExit.
template <class Body>
tw_status guarded(Body&& body) {
  try {
    last_error().message.clear();
    last_error().opencl_code = CL_SUCCESS;
    body();
    return TW_SUCCESS;
  } catch (const ThreadExit&) {
    throw;
  } catch (...) {
    return exception_status();
  }
}

// Throws Error TW_INVALID_VALUE with the message unless `holds`.
inline void require(bool holds, const char* message) {
  if (!holds) throw Error(TW_INVALID_VALUE, message);
}

// Wraps a handle of the caller and retains it.
template <class Wrapper, class Handle>
Wrapper retained(Handle handle) {
  return Wrapper(handle, true);
}

// Throws Error if num_wait and wait are inconsistent.
std::vector<cl::Event> make_wait_list(cl_uint count, const cl_event* events);

inline Matrix to_matrix(cl_mem buffer, std::size_t offset, std::size_t ld) {
  return {retained<cl::Buffer>(buffer), offset, ld};
}

// A copy that the caller frees with tw_text_free.
char* copy_text(const std::string& text);

// Passes the reference to the caller, if event is not null.
void release_to_caller(cl::Event done, cl_event* event);

}  // namespace tilewright
