// What does somebody send in of a tuning, and what stays private?
//
// A small archive: the profile, what its journal says, what the doctor says of the machine.
// Nothing is written here.
#pragma once

#include <string>
#include <vector>

#include "tuner/doctor/finding.hpp"
#include "tuner/report/private_words.hpp"
#include "tuner/report/report_inputs.hpp"

namespace tilewright {

// A command line whose files have no folders: they are the sender's business. Of paths in a row
// the last one's name stays.
std::string without_folders(const std::string& command_line);

struct SentFile {
  std::string name;
  std::string what;  // a clause, for people
  std::string content;
};

struct Submission {
  // Tells the device, its driver and the profile: "mali-t860-4cu-1-2-1b2c3d4e".
  std::string name;
  std::vector<SentFile> files;
};

Submission submission_of(const ReportProfile& tuned, const Findings& doctor,
                         const PrivateWords& words);

// The files in a folder of the submission's name, as a tar archive (POSIX ustar). The same files
// give the same bytes. Throws std::length_error for a name of more than 99 characters.
std::string tar_of(const Submission& submission);

}  // namespace tilewright
