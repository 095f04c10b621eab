// The end of a thread inside of a call.
#pragma once

#include <cxxabi.h>

#include <cstddef>

namespace tilewright {

// What pthread_exit() and pthread_cancel() throw with libstdc++. A handler of all exceptions must
// rethrow it, in functions that are not noexcept; otherwise the process ends.
#ifdef __GLIBCXX__
using ThreadExit = abi::__forced_unwind;
#else
class ThreadExit {};  // other libraries unwind without handlers
#endif

}  // namespace tilewright
