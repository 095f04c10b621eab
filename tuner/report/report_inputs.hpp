// Reads the files from which a report is made.
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
  std::string name;  // name of the file; if the name is not unique, a number is appended
  Profile profile;
  std::optional<JournalContents> journal;
  std::string no_journal = {};  // why there is no journal, as a clause
};

// Output of `bench --json`, with or without --points, of `net bench --json` or of
// test/bench/compare_networks.py --json.
struct ReportBench {
  std::string name;  // name of the file
  nlohmann::ordered_json answer;
};

struct ReportInputs {
  std::vector<ReportProfile> profiles;
  std::vector<ReportBench> benches;
  bool sources = false;  // show the source of the kernels
};

// Thrown for an invalid file; what() contains its name.
class ReportError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Reads the profiles, the journal in the folder of each (FILE.toml.journal.jsonl, if it is for the
// same device), and the outputs of bench. Throws ProfileError, JournalError or ReportError.
ReportInputs read_report_inputs(const std::vector<std::string>& profiles,
                                const std::vector<std::string>& benches);

// Throws ReportError with the key ("results[2].figures[0].us.median") if something is missing that
// page/bench_sections.js reads.
void check_bench_answer(const nlohmann::ordered_json& answer);

}  // namespace tilewright
