// How are a tuning's records written as JSON, for the journal and between supervisor and worker?
//
// Found by nlohmann::json where a record is converted. Members with their default value are left
// out on writing and keep it on reading; keys that a record does not know are ignored. Times are
// rounded as far as no decision depends on it (below), infinity is null. Writing what was read
// gives the same text again.
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

// A whole line, without its line feed. Bytes that are not UTF-8 (drivers' words) are replaced.
std::string to_line(const nlohmann::json& json);
// For people and programs, over many lines; ASCII alone, so that a terminal shows what is there.
std::string pretty(const nlohmann::ordered_json& json);
// Throws JsonError.
nlohmann::json parse_line(std::string_view line);
// A value for a message: lists and objects by kind alone, for they may be nested deeper than a
// stack is, and long strings by their begin.
std::string shown(const nlohmann::json& json);

// Nanoseconds from 1000 on to 0.1, which is far below what any clock of a device resolves; seconds
// to 0.001.
double rounded_ns(double ns);
double rounded_s(double seconds);

void to_json(nlohmann::json& json, Precision value);
void from_json(const nlohmann::json& json, Precision& value);
void to_json(nlohmann::json& json, Op value);
void from_json(const nlohmann::json& json, Op& value);
void to_json(nlohmann::json& json, OutcomeClass value);
void from_json(const nlohmann::json& json, OutcomeClass& value);
void to_json(nlohmann::json& json, DeviceKind value);
void from_json(const nlohmann::json& json, DeviceKind& value);
void to_json(nlohmann::json& json, WorkerActivityKind value);
void from_json(const nlohmann::json& json, WorkerActivityKind& value);
// A point's text; "" is no kernel.
void to_json(nlohmann::json& json, const KernelId& value);
void from_json(const nlohmann::json& json, KernelId& value);
void to_json(nlohmann::json& json, const ParameterPoint& value);
void from_json(const nlohmann::json& json, ParameterPoint& value);
// "MxNxK".
void to_json(nlohmann::json& json, const GemmShape& value);
void from_json(const nlohmann::json& json, GemmShape& value);

void to_json(nlohmann::json& json, const ShapeSamples& value);
void from_json(const nlohmann::json& json, ShapeSamples& value);
void to_json(nlohmann::json& json, const Outcome& value);
void from_json(const nlohmann::json& json, Outcome& value);

void to_json(nlohmann::json& json, const FinalPlan& value);
void from_json(const nlohmann::json& json, FinalPlan& value);
void to_json(nlohmann::json& json, const Lineup& value);
void from_json(const nlohmann::json& json, Lineup& value);
void to_json(nlohmann::json& json, const Round& value);
void from_json(const nlohmann::json& json, Round& value);

void to_json(nlohmann::json& json, const DeviceLimits& value);
void from_json(const nlohmann::json& json, DeviceLimits& value);
void to_json(nlohmann::json& json, const DeviceIdentity& value);
void from_json(const nlohmann::json& json, DeviceIdentity& value);
void to_json(nlohmann::json& json, const SpaceLimits& value);
void from_json(const nlohmann::json& json, SpaceLimits& value);
void to_json(nlohmann::json& json, const GpuFacts& value);
void from_json(const nlohmann::json& json, GpuFacts& value);
void to_json(nlohmann::json& json, const DeviceInfo& value);
void from_json(const nlohmann::json& json, DeviceInfo& value);
void to_json(nlohmann::json& json, const MultiplyAddRate& value);
void from_json(const nlohmann::json& json, MultiplyAddRate& value);
void to_json(nlohmann::json& json, const DeviceRates& value);
void from_json(const nlohmann::json& json, DeviceRates& value);

void to_json(nlohmann::json& json, const WorkerActivity& value);
void from_json(const nlohmann::json& json, WorkerActivity& value);
void to_json(nlohmann::json& json, const MeasureOptions& value);
void from_json(const nlohmann::json& json, MeasureOptions& value);
void to_json(nlohmann::json& json, const MeasureRequest& value);
void from_json(const nlohmann::json& json, MeasureRequest& value);
void to_json(nlohmann::json& json, const MeasureReply& value);
void from_json(const nlohmann::json& json, MeasureReply& value);
void to_json(nlohmann::json& json, const RoundReply& value);
void from_json(const nlohmann::json& json, RoundReply& value);
void to_json(nlohmann::json& json, const PackReply& value);
void from_json(const nlohmann::json& json, PackReply& value);
void to_json(nlohmann::json& json, const RatesReply& value);
void from_json(const nlohmann::json& json, RatesReply& value);

}  // namespace tilewright
