// What is a report made from?
#pragma once

#include <nlohmann/json.hpp>

#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "profiles/profile.hpp"
#include "tuner/journal/journal.hpp"

namespace tilewright {

struct ReportProfile {
  std::string name;  // of the file; of two equal ones the second has a number
  Profile profile;
  std::optional<JournalContents> journal;
  std::string no_journal = {};  // why there is none, as a clause
};

// An answer of `bench --json`, with or without --points or --packs, of `mlp bench --json` or of
// test/bench/mlp_competitors.py --json (bench_answer.hpp).
struct ReportBench {
  std::string name;  // of the file
  nlohmann::ordered_json answer;
};

struct ReportInputs {
  std::vector<ReportProfile> profiles;
  std::vector<ReportBench> benches;
};

// A file that is not what it should be; what() names it.
class ReportError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Reads profiles, the journal beside each (FILE.toml.journal.jsonl, if it is of the same device),
// and checks answers. Throws ProfileError, JournalError or ReportError.
ReportInputs read_report_inputs(const std::vector<std::string>& profiles,
                                const std::vector<std::string>& benches);

}  // namespace tilewright
