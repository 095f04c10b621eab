// How do the outcomes of a search become a decision?
//
// The best candidates of each op, and the kernels that would serve without this tuning, race on all
// shapes, with the pack kernels that they need.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "codelets/pack_point.hpp"
#include "tuner/crew.hpp"
#include "tuner/finals.hpp"
#include "tuner/tuning.hpp"
#include "tuner/tuning_record.hpp"

namespace tilewright {

// Deaths of the machine with the same kernel at work, after which it is not tried again.
inline constexpr int kDeathsToQuarantine = 2;
// Phase of the outcomes of candidates that are in quarantine.
inline constexpr const char* kQuarantine = "quarantine";

class FinalStage {
 public:
  // `pack_seconds`: for finding pack kernels. All must outlive the stage.
  FinalStage(Crew& crew, TuningRecord& record, const TuneOptions& options,
             const MeasureOptions& measure, double pack_seconds);

  // Goes on with what the record holds of it. False: a stop was requested. Throws
  // std::runtime_error if no candidate of an op works.
  bool run(const std::function<void(const FinalsProgress&)>& progress);

 private:
  std::map<Op, std::vector<std::string>> finalists() const;
  std::vector<std::string> killers() const;
  bool may_race(const Outcome& outcome) const;
  std::vector<std::string> incumbents(Op op) const;
  bool tune_packs(const std::map<Op, std::vector<std::string>>& finalists);
  void make_lineup(const std::map<Op, std::vector<std::string>>& finalists);
  const DeviceRates& rates() const { return *record_.contents().rates; }

  Crew& crew_;
  TuningRecord& record_;
  const TuneOptions& options_;
  MeasureOptions measure_;
  double pack_seconds_;
  std::map<PackPoint, std::string> packs_;
  std::set<std::string> barred_;  // the machine went down while they raced
};

}  // namespace tilewright
