// The messages between supervisor and worker for one result of `bench` or `net bench`.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>

#include "runtime/device/profile_source.hpp"
#include "tuner/bench/bench_report.hpp"
#include "tuner/journal/records/worker_protocol.hpp"

namespace tilewright {

// A request to measure a product, or the forward pass of a network if `model` is set.
struct BenchRequest {
  std::string profile;                   // argument of choose_profile()
  std::string profile_text = {};         // if not "": the text of the profile, instead
  std::vector<std::string> competitors;  // names
  Precision precision = Precision::kSingle;
  bool complex = false;  // complex numbers whose parts have this precision
  double seconds = 2.0;  // measuring time of all competitors together
  std::uint64_t seed = 1;
  // Names of the activities in which worker processes were lost, and points of product kernels.
  // They are skipped.
  std::vector<std::string> excluded;
  // True if the worker waits before the first build and launch of each competitor until the
  // supervisor has recorded it, because it may crash the board.
  bool is_new = false;

  Op op = Op::kNN;
  GemmShape shape = {1, 1, 1};
  // Also measure every plan of the profile for the product, unless it is predicted to take longer
  // than max_dispatch_ns.
  bool all_plans = false;
  // Also measure the energy of each competitor, in samples of at least energy_sample_s seconds,
  // with the sensors of these names (choose_sensors()).
  bool energy = false;
  double energy_sample_s = 1.0;
  std::vector<std::string> sensors;
  std::size_t max_plans = 0;  // if not 0, measure only this many plans, those predicted fastest
  double max_dispatch_ns = MeasureOptions{}.max_dispatch_ns;

  std::string model;  // argument of read_network_argument()
  std::int64_t batch = 0;

  bool is_excluded(const std::string& what) const;
  ProfileSource source() const;
  std::string title() const;  // "NT 16x24x40", "batch 100"
};

struct BenchReply {
  BenchResult result;
  IdleWaits waits;  // the waits before its samples
  BenchEnergy energy;
  std::string profile;                          // origin of the profile
  std::map<std::string, std::string> details;   // versions and settings, keyed by competitor
  std::map<std::string, std::string> not_here;  // missing competitors, and why they are missing
};

void to_json(nlohmann::json& json, const BenchRequest& request);
void from_json(const nlohmann::json& json, BenchRequest& request);
void to_json(nlohmann::json& json, const BenchReply& reply);
void from_json(const nlohmann::json& json, BenchReply& reply);

}  // namespace tilewright
