// How is what supervisor and worker say to each other written down?
//
//   {"do": "trial", "request": {...}}              a request; "do" names it
//   {"phase": {"kind": "build", "what": ...}, "waits": true}
//   {"go": true}                                   the answer to a phase line that waits
//   {"reply": ...}                                 the end of a request
//   {"error": {"kind": "usage", "message": ...}}   the other end of a request
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <exception>
#include <optional>
#include <string>

#include "tuner/records/worker_protocol.hpp"

namespace tilewright {

struct PhaseLine {
  WorkerActivity phase;
  bool waits = false;  // the worker waits for "go"
};
nlohmann::json to_message(const PhaseLine& line);
// nullopt: it is no phase line. Throws JsonError if it is a broken one.
std::optional<PhaseLine> phase_line_from(const nlohmann::json& message);

// The error line of an exception.
nlohmann::json error_message(const std::exception_ptr& exception);
// What "error" of an error line says: throws UsageError, Error or std::runtime_error, as the worker
// did.
[[noreturn]] void throw_error(const nlohmann::json& error);

}  // namespace tilewright
