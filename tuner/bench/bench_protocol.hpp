// The request and the reply between supervisor and worker for one result of `bench` or `mlp bench`.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>

#include "tuner/bench/bench_report.hpp"
#include "tuner/journal/records/worker_protocol.hpp"

namespace tilewright {

// A product, or, where a model is named, a net's forward.
struct BenchRequest {
  std::string profile;                   // as choose_profile() takes it
  std::vector<std::string> competitors;  // by name
  Precision precision = Precision::kSingle;
  bool complex = false;  // numbers with two such parts
  double seconds = 2.0;  // measuring time of all competitors together
  std::uint64_t seed = 1;
  // Names of the activities in which worker processes were lost. They are left out.
  std::vector<std::string> excluded;

  Op op = Op::kNN;
  GemmShape shape = {1, 1, 1};
  // Also measure every plan of the profile for the product, unless it is predicted to take longer
  // than max_dispatch_ns.
  bool all_plans = false;
  std::size_t max_plans = 0;  // of these only the best predicted ones; 0: all
  double max_dispatch_ns = MeasureOptions{}.max_dispatch_ns;

  std::string model;  // as choose_net() takes it
  std::int64_t batch = 0;

  bool is_excluded(const std::string& what) const;
  std::string title() const;  // "NT 16x24x40", "batch 100"
};

struct BenchReply {
  BenchResult result;
  IdleWaits waits;                              // before its samples
  std::string profile;                          // where the profile came from
  std::map<std::string, std::string> details;   // of competitors
  std::map<std::string, std::string> not_here;  // competitors that this machine lacks, and why
};

void to_json(nlohmann::json& json, const BenchRequest& request);
void from_json(const nlohmann::json& json, BenchRequest& request);
void to_json(nlohmann::json& json, const BenchReply& reply);
void from_json(const nlohmann::json& json, BenchReply& reply);

}  // namespace tilewright
