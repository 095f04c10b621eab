// Defines the messages between supervisor and worker. Each is one line of JSON:
//
//   {"do": "measure", "request": {...}}            a request; "do" names it
//   {"activity": {"kind": "build", "what": ...}}   an announcement, a WorkerActivity
//   {"go": true}                                   the answer to an announcement with "is_new"
//   {"reply": ...}                                 the result of a request
//   {"error": {"kind": "usage", "message": ...}}   the failure of a request
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <exception>
#include <stdexcept>

namespace tilewright {

// Thrown by a worker if a kernel computes a wrong result. what() says which element is wrong.
class WrongResult : public std::runtime_error {
  using std::runtime_error::runtime_error;
};
inline constexpr const char* kWrongResultError = "wrong result";  // its kind in messages

// Returns the error message for an exception.
nlohmann::json error_message(const std::exception_ptr& exception);
// Returns the exception that the "error" of a message describes: UsageError, Error, WrongResult or
// std::runtime_error, as in the worker.
std::exception_ptr to_exception(const nlohmann::json& error);

}  // namespace tilewright
