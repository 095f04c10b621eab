// What may be asked of a tuning?
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "profiles/profile.hpp"
#include "tuner/search/search.hpp"
#include "tuner/worker/device_worker.hpp"

namespace tilewright {

struct TuneOptions {
  std::vector<GemmShape> shapes;
  bool design = false;       // shapes of a design (shape_design.hpp) come behind those
  std::size_t designed = 0;  // that came, by with_design()
  std::vector<Op> ops;
  Precision precision = Precision::kSingle;  // of all kernels
  double budget_s = 120.0;                   // seconds for everything, over all sessions
  // Bounds by counts, over all sessions: with them, and time enough, what a tuning does depends on
  // no clock. 0: as many as there is time for.
  int candidates = 0;                    // that all searches try together
  int rounds = 0;                        // of the finals
  std::uint64_t seed = 1;                // of data and search
  std::optional<StrategyKind> strategy;  // nullopt: exhaustive where the budget allows, else greedy
  std::map<std::string, std::vector<std::string>> only;  // restrictions of the space
  // Starting points, warm start and built-in kernels come first; else all that is tried follows
  // from the space and the models.
  bool starting_points = true;
  bool packed = true;        // kernels that want their operands packed, too
  bool b_prepacked = false;  // op(B) is packed once, as weights are: what that takes does not count
  // What networks do with a product, each with a bias: the chosen kernels of op NN are emitted with
  // it, too, and a kernel that does it by itself is looked for. Empty: nothing for networks.
  std::vector<Activation> activations;
  bool softmax = false;  // a kernel for it is looked for
  int shard = 1;
  int shards = 1;
  int max_kernels = 0;              // in the profile; 0: as many as change anything
  int compilers = -1;               // that compile ahead; -1: as cores allow
  std::vector<Profile> warm_start;  // their kernels are tried first, and are baselines; all have
                                    // `precision` (warm_profile())
  std::optional<Profile> joins;     // what is found is added to it (profile_join.hpp)
  bool replaces_joined = false;     // `output` is that profile's file
  MeasureOptions measure;
  WorkerSetup workers;
  std::string output;   // path of the profile; "": the device's name
  std::string journal;  // path; "": the output's with the ending behind it
  std::string journal_ending = ".journal.jsonl";
  std::vector<std::string> inputs;  // files that were read for these options, but for `joins`
  bool overwrite = false;           // replace the file of the output, whatever it holds
  bool fresh = false;               // start over, whatever the journal holds
  std::string command_line;         // kept in the profile's provenance
};

// The options with the shapes of a design for the device, if that is asked for.
TuneOptions with_design(TuneOptions options, const DeviceInfo& device);

}  // namespace tilewright
