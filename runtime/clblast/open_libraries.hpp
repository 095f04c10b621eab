// Which library serves a queue, in a program that never opened one?
//
// CLBlast's interface has no handle to keep a library in, so the drop-in has the one global of this
// project: a table of libraries by context and device. Thread-safe. A library holds references to
// its context, so a context that was used lives on until ClearCache(), as with CLBlast, whose
// cached programs hold it. At exit the table is left as it is: the OpenCL driver may be gone by
// then.
#pragma once

#include <tilewright/library.hpp>

namespace clblast {

// The library for the queue's context and device, opened on first use. Throws tilewright::Error:
// TW_INVALID_QUEUE, and what Library::open throws.
tilewright::Library library_of(const cl::CommandQueue& queue);

// Closes all; calls that run keep theirs until they return.
void close_libraries();

}  // namespace clblast
