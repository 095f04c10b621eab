#include "tuner/bench/bench_protocol.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tuner/journal/records/json_fields.hpp"
#include "tuner/journal/records/shapes.hpp"
#include "tuner/measure/device/profile_choice.hpp"

namespace tilewright {

void to_json(nlohmann::json& json, const BenchFigure& value);
void from_json(const nlohmann::json& json, BenchFigure& value);
void to_json(nlohmann::json& json, const BenchResult& value);
void from_json(const nlohmann::json& json, BenchResult& value);
void to_json(nlohmann::json& json, const BenchEnergy& value);
void from_json(const nlohmann::json& json, BenchEnergy& value);
void to_json(nlohmann::json& json, const IdleWaits& value);
void from_json(const nlohmann::json& json, IdleWaits& value);

// clang-format off
TILEWRIGHT_JSON(BenchFigure,
  ("kind", r.kind)("name", r.name)("kernels", r.kernels)("work", r.work)
  ("predicted_ns", r.predicted_ns)("inputs", r.inputs)("outputs", r.outputs)
  ("samples_ns", r.samples_ns)("samples_j", r.samples_j)("samples_w", r.samples_w))

TILEWRIGHT_JSON(BenchEnergy,
  ("is_asked", r.is_asked)("sensors", r.sensors)("missing", r.missing)
  ("idle_w", r.idle_w)("sample_s", r.sample_s))

TILEWRIGHT_JSON(BenchResult,
  ("op", r.op)("shape", r.shape)("batch", r.batch)("workspace_bytes", r.workspace_bytes)
  ("figures", r.figures)("left_out", r.left_out))

TILEWRIGHT_JSON(IdleWaits,
  ("waits", r.waits)("not_idle", r.not_idle)("longest_s", r.longest_s))

TILEWRIGHT_JSON(BenchRequest,
  ("profile", r.profile)("competitors", r.competitors)("precision", r.precision)
  .optional("profile_text", r.profile_text)
  ("complex", r.complex)("seconds", r.seconds)("seed", r.seed)("excluded", r.excluded)
  ("is_new", r.is_new)("op", r.op)("shape", r.shape)("all_plans", r.all_plans)
  ("energy", r.energy)("energy_sample_s", r.energy_sample_s)("sensors", r.sensors)
  ("max_plans", r.max_plans)("max_dispatch_ns", r.max_dispatch_ns)
  ("model", r.model)("batch", r.batch))

TILEWRIGHT_JSON(BenchReply,
  ("result", r.result)("waits", r.waits)("energy", r.energy)
  ("profile", r.profile)("details", r.details)("not_here", r.not_here))
// clang-format on

ProfileSource BenchRequest::source() const {
  return profile_text.empty() ? choose_profile(profile) : ProfileSource::text(profile_text);
}

bool BenchRequest::is_excluded(const std::string& what) const {
  return std::find(excluded.begin(), excluded.end(), what) != excluded.end();
}

std::string BenchRequest::title() const {
  return model.empty() ? fmt::format("{} {}", to_text(op), to_text(shape))
                       : fmt::format("batch {}", batch);
}

}  // namespace tilewright
