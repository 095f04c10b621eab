/// @file
/// The exception type of the library.
#pragma once

#include <stdexcept>
#include <string>

#include <tilewright/tilewright.h>

/// The library.
namespace tilewright {

/// The exception that the library throws. what() is a sentence that names the argument, the file or
/// the OpenCL call, and if possible what to do.
class Error : public std::runtime_error {
 public:
  /// @param status  any status except TW_SUCCESS
  /// @param message  for what()
  /// @param opencl_code  the OpenCL code that caused the error; CL_SUCCESS if there is none
  Error(tw_status status, const std::string& message, cl_int opencl_code = CL_SUCCESS)
      : std::runtime_error(message), status_(status), opencl_code_(opencl_code) {}

  /// @return the status
  tw_status status() const { return status_; }
  /// @return the OpenCL code that caused the error; CL_SUCCESS if there is none
  cl_int opencl_code() const { return opencl_code_; }

 private:
  tw_status status_;
  cl_int opencl_code_;
};

/// The error of a product that has already changed a part of C, and has read it (beta is not 0).
/// If the product is repeated, it adds to the new values.
class PartialResultError : public Error {
 public:
  using Error::Error;
};

}  // namespace tilewright
