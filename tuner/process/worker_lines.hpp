// Defines the messages between supervisor and worker. Each is one line of JSON:
//
//   {"do": "trial", "request": {...}}                    a request; "do" names it
//   {"activity": {"kind": "build", ...}, "waits": true}  an announcement
//   {"go": true}                                         the answer to an announcement that waits
//   {"reply": ...}                                       the result of a request
//   {"error": {"kind": "usage", "message": ...}}         the failure of a request
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <exception>
#include <optional>
#include <stdexcept>
#include <string>

#include "tuner/journal/records/worker_protocol.hpp"

namespace tilewright {

// The announcement of an activity.
struct ActivityLine {
  WorkerActivity activity;
  bool waits = false;  // the worker waits for "go"
};
nlohmann::json to_message(const ActivityLine& line);
// Returns the announcement that a message contains; nullopt if it is another message. Throws
// JsonError if the announcement is invalid.
std::optional<ActivityLine> parse_activity_line(const nlohmann::json& message);

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
