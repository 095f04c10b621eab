// What do supervisor and worker say to each other of one product?
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "tuner/bench/benchmark.hpp"

namespace tilewright {

struct ProductRequest {
  std::string profile;
  std::vector<std::string> rivals;
  Precision precision = Precision::kSingle;
  bool complex = false;
  Op op = Op::kNN;
  GemmShape shape;
  double seconds = 0.0;
  std::uint64_t seed = 1;
  bool all_plans = false;
  double max_dispatch_ns = 0.0;
  std::vector<std::string> excluded;  // what phases called that workers were lost in
};

struct ProductReply {
  BenchResult result;
  std::string profile;  // origin
  std::vector<std::string> missing_rivals;
  std::map<std::string, std::string> rival_details;
};

void to_json(nlohmann::json& json, const ProductRequest& request);
void from_json(const nlohmann::json& json, ProductRequest& request);
void to_json(nlohmann::json& json, const ProductReply& reply);
void from_json(const nlohmann::json& json, ProductReply& reply);

}  // namespace tilewright
