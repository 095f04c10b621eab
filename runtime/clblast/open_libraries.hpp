// Finds the library for a queue in a program that never opens one.
//
// CLBlast's interface has no handle that could hold a library, so the drop-in has the only global
// of this project: a table of libraries by context and device. Thread-safe. A
// library holds references to its context, so a context that was used exists until ClearCache().
// This is the same with CLBlast, whose cached programs hold the context. The table is not destroyed
// at exit, because the OpenCL driver may already be unloaded then.
#pragma once

#include "runtime/api/library.hpp"

namespace clblast {

// The library for the queue's context and device, opened on first use. Throws tilewright::Error:
// TW_INVALID_QUEUE, and the errors of tw_open.
tilewright::LibraryHandle library_for_queue(const cl::CommandQueue& queue);

// Closes all libraries. Calls in progress keep theirs until they return.
void close_libraries();

}  // namespace clblast
