// Turns exceptions into CLBlast's status codes.
#pragma once

#include "clblast_abi.hpp"
#include "runtime/call/thread_exit.hpp"

namespace clblast {

// The status for the exception that is being handled; call it in a catch block only. The caller of
// the drop-in gets only this code: the reason is logged if $TILEWRIGHT_VERBOSE is set.
StatusCode handled_exception_status();

// Runs the body of a function of CLBlast's interface.
template <class Body>
StatusCode guarded(Body&& body) {
  try {
    body();
    return StatusCode::kSuccess;
  } catch (const tilewright::ThreadExit&) {
    throw;
  } catch (...) {
    return handled_exception_status();
  }
}

}  // namespace clblast
