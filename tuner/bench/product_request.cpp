#include "tuner/bench/product_request.hpp"

#include <nlohmann/json.hpp>

#include "tuner/records/json_fields.hpp"

namespace tilewright {

void to_json(nlohmann::json& json, const Summary& value);
void from_json(const nlohmann::json& json, Summary& value);
void to_json(nlohmann::json& json, const BenchPlan& value);
void from_json(const nlohmann::json& json, BenchPlan& value);
void to_json(nlohmann::json& json, const BenchResult& value);
void from_json(const nlohmann::json& json, BenchResult& value);

template <class Visit>
void visit_fields(Fields<Summary>, Visit& visit) {
  visit.required("median", &Summary::median);
  visit.required("low", &Summary::low);
  visit.required("high", &Summary::high);
  visit.required("samples", &Summary::samples);
}

template <class Visit>
void visit_fields(Fields<BenchPlan>, Visit& visit) {
  visit.required("kernels", &BenchPlan::kernels);
  visit.optional("predicted_ns", &BenchPlan::predicted_ns);
  visit.required("gflops", &BenchPlan::gflops);
}

template <class Visit>
void visit_fields(Fields<BenchResult>, Visit& visit) {
  visit.required("op", &BenchResult::op);
  visit.required("shape", &BenchResult::shape);
  visit.required("kernel", &BenchResult::kernel);
  visit.required("gflops", &BenchResult::gflops);
  visit.required("rivals", &BenchResult::rivals);
  visit.required("plans", &BenchResult::plans);
  visit.required("left_out", &BenchResult::left_out);
  visit.required("launch_floor_ns", &BenchResult::launch_floor_ns);
  visit.required("operations", &BenchResult::operations);
}

template <class Visit>
void visit_fields(Fields<ProductRequest>, Visit& visit) {
  visit.required("profile", &ProductRequest::profile);
  visit.required("rivals", &ProductRequest::rivals);
  visit.required("precision", &ProductRequest::precision);
  visit.required("complex", &ProductRequest::complex);
  visit.required("op", &ProductRequest::op);
  visit.required("shape", &ProductRequest::shape);
  visit.required("seconds", &ProductRequest::seconds);
  visit.required("seed", &ProductRequest::seed);
  visit.required("all_plans", &ProductRequest::all_plans);
  visit.required("max_dispatch_ns", &ProductRequest::max_dispatch_ns);
  visit.required("excluded", &ProductRequest::excluded);
}

template <class Visit>
void visit_fields(Fields<ProductReply>, Visit& visit) {
  visit.required("result", &ProductReply::result);
  visit.required("profile", &ProductReply::profile);
  visit.required("missing_rivals", &ProductReply::missing_rivals);
  visit.required("rival_details", &ProductReply::rival_details);
}

TILEWRIGHT_JSON(Summary)
TILEWRIGHT_JSON(BenchPlan)
TILEWRIGHT_JSON(BenchResult)
TILEWRIGHT_JSON(ProductRequest)
TILEWRIGHT_JSON(ProductReply)

}  // namespace tilewright
