// Decides whether a tuning may replace an existing output file.
#pragma once

#include <string>
#include <vector>

#include "profiles/profile.hpp"
#include "tuner/journal/journal.hpp"
#include "tuner/tuning/tune_options.hpp"

namespace tilewright {

// Returns the reason not to replace the file at `path`, as a clause; "" if it may be replaced. That
// is the case if there is no file or an empty one, if it is a pipe or a device, or if it is a
// profile of `device` written by one of the `sessions`. Sessions are identified by their command
// line, without --fresh and --overwrite, because tunings are resumed without these options.
std::string reason_to_keep(const std::string& path, const std::vector<Session>& sessions,
                           const DeviceIdentity& device);

// Throws UsageError with that reason and a remedy, if there is one.
void refuse_to_replace(const std::string& path, const std::vector<Session>& sessions,
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

}  // namespace tilewright
