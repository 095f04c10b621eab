// Converts the records of a tuning to JSON and back, for the journal and for messages between
// supervisor and worker.
//
// nlohmann::json finds these functions by argument-dependent lookup. Unknown keys are ignored.
// Writing a value that was read gives the same text again.
#pragma once

#include <nlohmann/json.hpp>

#include <stdexcept>
#include <string>
#include <string_view>

#include "tuner/journal/records/finals_record.hpp"
#include "tuner/journal/records/outcome.hpp"
#include "tuner/journal/records/worker_protocol.hpp"

namespace tilewright {

// A JSON value is not the expected record. what() names the keys, from the outermost to the
// innermost.
class JsonError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Rounds to 9 significant digits, which is more precise than any measurement.
double rounded(double value);
// Returns the value as one line without a line feed. Numbers are rounded(). Bytes that are not
// UTF-8 (in messages of drivers) are replaced.
std::string to_line(nlohmann::json json);
// Returns a text with bytes that are not UTF-8 replaced, as to_line() replaces them.
std::string valid_utf8(const std::string& text);
// Returns the value as indented text in ASCII only, for people and programs.
std::string pretty(const nlohmann::ordered_json& json);
// Parses a line. Throws JsonError.
nlohmann::json parse_line(std::string_view line);
// Returns a value for use in a message. Lists and objects are described only by their type, because
// they may be nested too deeply for the stack, and long strings are truncated.
std::string to_short_json(const nlohmann::json& json);

#define TILEWRIGHT_JSON_DECLARED(Record)                   \
  void to_json(nlohmann::json& json, const Record& value); \
  void from_json(const nlohmann::json& json, Record& value)

// These are strings in JSON. A shape is "MxNxK"; a kernel is the text of its point, and no kernel
// is "".
TILEWRIGHT_JSON_DECLARED(Precision);
TILEWRIGHT_JSON_DECLARED(Op);
TILEWRIGHT_JSON_DECLARED(OutcomeClass);
TILEWRIGHT_JSON_DECLARED(DeviceKind);
TILEWRIGHT_JSON_DECLARED(WorkerActivityKind);
TILEWRIGHT_JSON_DECLARED(GemmShape);
TILEWRIGHT_JSON_DECLARED(KernelId);
TILEWRIGHT_JSON_DECLARED(ParameterPoint);

TILEWRIGHT_JSON_DECLARED(ShapeSamples);
TILEWRIGHT_JSON_DECLARED(Outcome);
TILEWRIGHT_JSON_DECLARED(Finalists);
TILEWRIGHT_JSON_DECLARED(ValidatedProduct);
TILEWRIGHT_JSON_DECLARED(DeviceLimits);
TILEWRIGHT_JSON_DECLARED(DeviceIdentity);
TILEWRIGHT_JSON_DECLARED(SpaceLimits);
TILEWRIGHT_JSON_DECLARED(GpuFacts);
TILEWRIGHT_JSON_DECLARED(DeviceInfo);
TILEWRIGHT_JSON_DECLARED(MultiplyAddRate);
TILEWRIGHT_JSON_DECLARED(DeviceRates);

TILEWRIGHT_JSON_DECLARED(WorkerActivity);
TILEWRIGHT_JSON_DECLARED(MeasureOptions);
TILEWRIGHT_JSON_DECLARED(MeasureRequest);
TILEWRIGHT_JSON_DECLARED(OpenedDevice);
TILEWRIGHT_JSON_DECLARED(MeasuredRates);

}  // namespace tilewright
