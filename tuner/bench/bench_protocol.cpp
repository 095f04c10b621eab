#include "tuner/bench/bench_protocol.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tuner/records/json_fields.hpp"
#include "tuner/records/shapes.hpp"

namespace tilewright {

void to_json(nlohmann::json& json, const BenchFigure& value);
void from_json(const nlohmann::json& json, BenchFigure& value);
void to_json(nlohmann::json& json, const BenchResult& value);
void from_json(const nlohmann::json& json, BenchResult& value);

template <class Visit>
void visit_fields(Fields<BenchFigure>, Visit& visit) {
  visit.required("kind", &BenchFigure::kind);
  visit.required("name", &BenchFigure::name);
  visit.required("kernels", &BenchFigure::kernels);
  visit.required("work", &BenchFigure::work);
  visit.required("predicted_ns", &BenchFigure::predicted_ns);
  visit.required("inputs", &BenchFigure::inputs);
  visit.required("outputs", &BenchFigure::outputs);
  visit.required("samples_ns", &BenchFigure::samples_ns);
}

template <class Visit>
void visit_fields(Fields<BenchResult>, Visit& visit) {
  visit.required("op", &BenchResult::op);
  visit.required("shape", &BenchResult::shape);
  visit.required("batch", &BenchResult::batch);
  visit.required("workspace_bytes", &BenchResult::workspace_bytes);
  visit.required("figures", &BenchResult::figures);
  visit.required("left_out", &BenchResult::left_out);
}

template <class Visit>
void visit_fields(Fields<BenchRequest>, Visit& visit) {
  visit.required("profile", &BenchRequest::profile);
  visit.required("competitors", &BenchRequest::competitors);
  visit.required("precision", &BenchRequest::precision);
  visit.required("complex", &BenchRequest::complex);
  visit.required("seconds", &BenchRequest::seconds);
  visit.required("seed", &BenchRequest::seed);
  visit.required("excluded", &BenchRequest::excluded);
  visit.required("op", &BenchRequest::op);
  visit.required("shape", &BenchRequest::shape);
  visit.required("all_plans", &BenchRequest::all_plans);
  visit.required("max_dispatch_ns", &BenchRequest::max_dispatch_ns);
  visit.required("model", &BenchRequest::model);
  visit.required("batch", &BenchRequest::batch);
}

template <class Visit>
void visit_fields(Fields<BenchReply>, Visit& visit) {
  visit.required("result", &BenchReply::result);
  visit.required("profile", &BenchReply::profile);
  visit.required("details", &BenchReply::details);
  visit.required("not_here", &BenchReply::not_here);
}

TILEWRIGHT_JSON(BenchFigure)
TILEWRIGHT_JSON(BenchResult)
TILEWRIGHT_JSON(BenchRequest)
TILEWRIGHT_JSON(BenchReply)

bool BenchRequest::is_excluded(const std::string& what) const {
  return std::find(excluded.begin(), excluded.end(), what) != excluded.end();
}

std::string BenchRequest::title() const {
  return model.empty() ? fmt::format("{} {}", to_text(op), to_text(shape))
                       : fmt::format("batch {}", batch);
}

}  // namespace tilewright
