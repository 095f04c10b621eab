// Converts a tuning's records to JSON, for the journal and between supervisor and worker.
//
// nlohmann::json finds these functions where a record is converted. Keys that a record does not
// know are ignored. Writing what was read gives the same text again.
#pragma once

#include <nlohmann/json.hpp>

#include <stdexcept>
#include <string>
#include <string_view>

#include "tuner/records/finals_record.hpp"
#include "tuner/records/outcome.hpp"
#include "tuner/records/worker_protocol.hpp"

namespace tilewright {

// JSON that is not the record it should be; what() names the key, from the outside in.
class JsonError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

// To 9 significant digits, which is finer than any measurement.
double rounded(double value);
// A whole line, without its line feed. Its numbers are rounded(). Bytes that are not UTF-8
// (messages of drivers) are replaced.
std::string to_line(nlohmann::json json);
// For people and programs, over many lines; ASCII alone, so that a terminal shows what is there.
std::string pretty(const nlohmann::ordered_json& json);
// Throws JsonError.
nlohmann::json parse_line(std::string_view line);
// A value for a message: lists and objects only by their type, because they may be nested deeper
// than a stack is, and only the start of a long string.
std::string shown(const nlohmann::json& json);

#define TILEWRIGHT_JSON_DECLARED(Record)                   \
  void to_json(nlohmann::json& json, const Record& value); \
  void from_json(const nlohmann::json& json, Record& value)

// Words. A shape is "MxNxK"; a kernel is its point's text, and no kernel is "".
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
TILEWRIGHT_JSON_DECLARED(FinalPlan);
TILEWRIGHT_JSON_DECLARED(Lineup);
TILEWRIGHT_JSON_DECLARED(Round);
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
TILEWRIGHT_JSON_DECLARED(MeasureReply);
TILEWRIGHT_JSON_DECLARED(RatesReply);
TILEWRIGHT_JSON_DECLARED(PackReply);

}  // namespace tilewright
