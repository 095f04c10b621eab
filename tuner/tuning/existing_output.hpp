// Decides whether a tuning may replace the file that its output names.
#pragma once

#include <string>
#include <vector>

#include "profiles/profile.hpp"
#include "tuner/journal/journal.hpp"

namespace tilewright {

// The reason not to replace the file at `path`, as a clause; "" if it may be replaced: there is no
// file or an empty one, it is a pipe or a device, or it is a profile of `device` that one of the
// `sessions` wrote. A session is known by its command line, in which --fresh and --overwrite do not
// count: tunings are resumed without them.
std::string reason_to_keep(const std::string& path, const std::vector<Session>& sessions,
                           const DeviceIdentity& device);

// Throws UsageError with that reason and what to do, if there is one.
void refuse_to_replace(const std::string& path, const std::vector<Session>& sessions,
                       const DeviceIdentity& device);

// The sessions of the journal that --fresh discards, if it belongs to the same tuning. If it
// belongs to another one, for example after an upgrade: only those with the present command line.
std::vector<Session> discarded_sessions(const std::string& journal, const JournalHeader& wanted,
                                        const std::string& command_line);

}  // namespace tilewright
