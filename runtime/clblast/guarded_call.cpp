#include "guarded_call.hpp"

#include <new>
#include <string>

#include "argument_checks.hpp"
#include "runtime/call/error.hpp"
#include "runtime/device/log.hpp"

namespace clblast {
namespace {

using tilewright::Error;

StatusCode to_status(const Error& error) {
  switch (error.status()) {
    case TW_SUCCESS:
      return StatusCode::kSuccess;
    case TW_INVALID_VALUE:
      return StatusCode::kInvalidValue;
    case TW_INVALID_DIMENSION:
      return StatusCode::kInvalidDimension;
    case TW_INVALID_LD_A:
      return StatusCode::kInvalidLeadDimA;
    case TW_INVALID_LD_B:
      return StatusCode::kInvalidLeadDimB;
    case TW_INVALID_LD_C:
      return StatusCode::kInvalidLeadDimC;
    case TW_INVALID_BUFFER_A:
      return StatusCode::kInvalidMatrixA;
    case TW_INVALID_BUFFER_B:
      return StatusCode::kInvalidMatrixB;
    case TW_INVALID_BUFFER_C:
      return StatusCode::kInvalidMatrixC;
    case TW_INSUFFICIENT_BUFFER_A:
      return StatusCode::kInsufficientMemoryA;
    case TW_INSUFFICIENT_BUFFER_B:
      return StatusCode::kInsufficientMemoryB;
    case TW_INSUFFICIENT_BUFFER_C:
      return StatusCode::kInsufficientMemoryC;
    case TW_INVALID_INC_X:
      return StatusCode::kInvalidIncrementX;
    case TW_INVALID_INC_Y:
      return StatusCode::kInvalidIncrementY;
    case TW_INVALID_BUFFER_X:
      return StatusCode::kInvalidVectorX;
    case TW_INVALID_BUFFER_Y:
      return StatusCode::kInvalidVectorY;
    case TW_INSUFFICIENT_BUFFER_X:
      return StatusCode::kInsufficientMemoryX;
    case TW_INSUFFICIENT_BUFFER_Y:
      return StatusCode::kInsufficientMemoryY;
    case TW_INVALID_QUEUE:
      return StatusCode::kInvalidCommandQueue;
    // CLBlast's code for a device without tuning results; here, a named profile cannot be used.
    case TW_NO_PROFILE:
    case TW_BAD_PROFILE:
    case TW_WRONG_DEVICE:
      return StatusCode::kDatabaseError;
    case TW_FORKED:
      return StatusCode::kForked;
    case TW_UNSUPPORTED_TYPE:
      return StatusCode::kNoDoublePrecision;
    case TW_BUILD_FAILURE:
      return StatusCode::kOpenCLBuildProgramFailure;
    case TW_OUT_OF_MEMORY:
    case TW_OPENCL_ERROR:
      // CLBlast also returns OpenCL's code.
      if (error.opencl_code() != CL_SUCCESS) return static_cast<StatusCode>(error.opencl_code());
      return error.status() == TW_OUT_OF_MEMORY ? StatusCode::kTempBufferAllocFailure
                                                : StatusCode::kUnknownError;
    default:
      return StatusCode::kUnexpectedError;
  }
}

// The caller gets only a code; the sentence is logged if $TILEWRIGHT_VERBOSE is set.
StatusCode log_failure(StatusCode status, const char* sentence) {
  try {
    if (const tilewright::Log log = tilewright::log_or_stderr(nullptr)) {
      tilewright::write_log(log, tilewright::Severity::kWarning,
                            "a CLBlast call failed with status " +
                                std::to_string(static_cast<int>(status)) + ": " + sentence);
    }
  } catch (const std::bad_alloc&) {
    // The caller still gets the status.
  }
  return status;
}

}  // namespace

StatusCode handled_exception_status() {
  try {
    throw;
  } catch (const Refused& refused) {
    return log_failure(refused.status, refused.sentence.c_str());
  } catch (const Error& error) {
    return log_failure(to_status(error), error.what());
  } catch (const std::bad_alloc&) {
    return log_failure(StatusCode::kOpenCLOutOfHostMemory, "out of memory");
  } catch (...) {
    return log_failure(StatusCode::kUnexpectedError, "internal error of tilewright");
  }
}

}  // namespace clblast
