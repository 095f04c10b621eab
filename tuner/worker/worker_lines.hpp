// How is what supervisor and worker say to each other written down?
//
//   {"do": "trial", "request": {...}}              a request; "do" names it
//   {"phase": {"kind": "build", "what": ...}, "waits": true}
//   {"print": "nn 64x64x64 ...", "to": "out"}      what the supervisor is to print
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
  Phase phase;
  bool waits = false;  // the worker waits for "go"
};
nlohmann::json to_message(const PhaseLine& line);
// nullopt: it is no phase line. Throws JsonError if it is a broken one.
std::optional<PhaseLine> phase_line_from(const nlohmann::json& message);

// Text of a worker that cannot print by itself: its standard output is its last words.
struct PrintLine {
  // A draft is printed only if the worker is lost, and instead of the draft before it.
  enum class To { kOut, kError, kDraft };
  To to = To::kOut;
  std::string text;
};
nlohmann::json to_message(const PrintLine& line);
// nullopt: it is no print line. Throws nlohmann's exceptions if it is a broken one.
std::optional<PrintLine> print_line_from(const nlohmann::json& message);

// The error line of an exception.
nlohmann::json error_message(const std::exception_ptr& exception);
// What "error" of an error line says: throws UsageError, Error or std::runtime_error, as the worker
// did.
[[noreturn]] void throw_error(const nlohmann::json& error);

}  // namespace tilewright
