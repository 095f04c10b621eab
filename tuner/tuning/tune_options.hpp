// Defines the options of a tuning.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "profiles/profile.hpp"
#include "tuner/journal/records/recorded_options.hpp"
#include "tuner/process/device_worker.hpp"

namespace tilewright {

// Options of a tuning. Most correspond to options of `tilewright tune`.
struct TuneOptions : RecordedOptions {
  bool design = false;      // add the shapes of a design (shape_design.hpp)
  double budget_s = 120.0;  // for everything, over all sessions
  // Limits by number instead of time, over all sessions; 0: no limit. If they are reached before
  // the time is over, the course of a tuning does not depend on the clock.
  int candidates = 0;       // candidates of all searches together
  int rounds = 0;           // rounds of the finals
  int validate = 0;         // random products, and as many held out
  bool known_only = false;  // try only known kernels, do not search
  // If true, try starting points, the warm start and built-in kernels first. If false, all
  // candidates follow from the space and the models.
  bool starting_points = true;
  // Activations that networks need, each with a bias. The chosen kernels for op NN are also emitted
  // with each of them, and a separate activation kernel is searched for. Empty: none.
  std::vector<Activation> activations;
  bool softmax = false;  // search for a softmax kernel
  int max_kernels = 0;   // maximum number of kernels in the profile; 0: as many as improve it
  int compilers = -1;  // number of workers that compile ahead; -1: according to the number of cores
  // Profiles whose kernels are tried first and used as baselines. All have this `precision`
  // (warm_profile()).
  std::vector<Profile> warm_start;
  std::optional<Profile> joins;  // profile to which the results are added (profile_join.hpp)
  bool replaces_joined = false;  // `output` is the file of that profile
  // File of the profile that applications use on the device without the tuning's output; "" if they
  // use the built-in kernels (used_profile() in tuning_files.hpp). Products that are held out are
  // compared with it.
  std::string other_profile = {};
  WorkerSetup workers;
  std::string output;   // path of the profile; "": derived from the name of the device
  std::string journal;  // path of the journal; "": `output` with `journal_ending` appended
  std::string journal_ending = ".journal.jsonl";
  std::vector<std::string> inputs;  // files that were read for these options, except for `joins`
  bool overwrite = false;           // replace the output file, whatever it contains
  bool fresh = false;               // start over even if the journal can be continued
  bool verbose = false;             // the summary has details of the search
  std::string command_line;         // stored in the profile's provenance
};

// Returns the options with the shapes of a design for the device added, if `design` is set.
TuneOptions with_design(TuneOptions options, const DeviceInfo& device);

// Returns true if the tuning is validated. It is not if operands are packed in advance, because
// `bench` does not measure this; without a design, because random products follow the design; or if
// candidates or rounds are limited and options.validate is not set, because such a tuning must not
// depend on a clock.
bool is_validated(const TuneOptions& options);

// Returns true if kernels for networks are searched, too.
bool for_networks(const TuneOptions& options);

// Returns how messages name the command that continues the tuning. With --fresh it would start
// over.
std::string same_command(const TuneOptions& options);

}  // namespace tilewright
