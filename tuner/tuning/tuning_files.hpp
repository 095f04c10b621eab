// Chooses the files of a tuning, protects those that must not be replaced, and opens the journal.
#pragma once

#include <string>
#include <vector>

#include "tuner/journal/tuning_journal.hpp"
#include "tuner/tuning/search_tasks.hpp"
#include "tuner/tuning/tune_options.hpp"

namespace tilewright {

// Paths of the files that a tuning writes.
struct TuningFiles {
  std::string output;  // the profile
  std::string journal;
};

// Returns the paths that the options name, or those that follow from the device.
TuningFiles tuning_files(const TuneOptions& options, const DeviceInfo& device);

// Checks everything that can be checked before files are written. Throws UsageError.
void check_files(const TuneOptions& options, const TuningFiles& files, const DeviceInfo& device);

// If there is a journal of a tuning with the same shapes and seed, replaces the designed shapes by
// those of its first session, because a driver may report another clock or memory size after a
// reboot. Throws JournalError.
void keep_design(TuneOptions& options, const std::string& journal);

// Returns the header of the tuning's journal, with the present time.
JournalHeader make_header(const TuneOptions& options, const DeviceInfo& device,
                          const std::vector<SearchTask>& tasks);

// Opens the journal to continue it, or begins a new one. Throws JournalError if the journal belongs
// to another tuning, and UsageError if the output must not be replaced.
TuningJournal open_journal(const TuneOptions& options, const TuningFiles& files,
                           const JournalHeader& wanted, Clock clock);

// Returns the present time in UTC, ISO 8601.
std::string utc_now();

// Returns for example "mali-t760.toml" for "Mali-T760". The name is derived from hardware_name(),
// so that a tuning continues with the same files after a driver update. If several devices of a
// machine have the same name, like the two of a Mali-T628, the number of compute units is added:
// "mali-t628-4cu.toml".
std::string default_output(const DeviceInfo& device);

// Compares files by device and inode, so links are followed. Paths of files that do not exist yet
// are compared after resolving their folders.
bool is_same_file(const std::string& a, const std::string& b);

// Rejects an output file that is one of the inputs. Every command that writes a file calls this
// with all files that it reads. Throws UsageError: "--output: a.toml is an input".
void refuse_input(const std::string& option, const std::string& output,
                  const std::vector<std::string>& inputs);

// Returns the reason not to replace the file at `path`, as a clause; "" if it may be replaced. That
// is the case if there is no file or an empty one, if it is a pipe or a device, or if it is a
// profile of `device` written by one of the `sessions`. Sessions are identified by their command
// line, without --fresh and --overwrite, because tunings are resumed without these options.
std::string reason_to_keep(const std::string& path, const std::vector<Session>& sessions,
                           const DeviceIdentity& device);

// Returns the reason not to add the results to a profile (--profile), as a clause; "" if they may
// be added. To the file of that profile they are added only after the finals, because they could
// not be removed from it later.
std::string reason_not_to_join(const JournalContents& contents, const TuneOptions& options,
                               bool stopped);

// Returns the sessions of the journal that --fresh discards, if it belongs to the same tuning. If
// it belongs to another one, for example after an upgrade, returns only the sessions with the
// present command line.
std::vector<Session> discarded_sessions(const std::string& journal, const JournalHeader& wanted,
                                        const std::string& command_line);

// Returns the path of the profile that applications use on the device without the file `output`,
// not including its fallback; "" if they use the built-in kernels, or if that cannot be determined.
std::string used_profile(const DeviceIdentity& device, const std::string& output);

}  // namespace tilewright
