// Converts profiles to text and back.
//
// docs/profile-format.md specifies the text format. Parsing the output of the writer gives an equal
// profile. The parser is strict: it rejects invalid text with one error that names file, line and
// key.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "profiles/built_in.hpp"
#include "profiles/profile.hpp"

namespace tilewright {

// One error in a profile's text. what() is "file:line: key: message".
class ProfileError : public std::runtime_error {
 public:
  // `line` is 1-based; 0 stands for the file as a whole. `key` may be empty.
  ProfileError(std::string file, int line, std::string key, const std::string& message);
  const std::string& file() const { return file_; }
  int line() const { return line_; }  // 1-based; 0: the file as a whole
  const std::string& key() const {
    return key_;
  }  // dotted, e.g. "kernel[2].work_group"; may be empty

 private:
  std::string file_;
  int line_;
  std::string key_;
};

// Returns the profile's text, including digests. Throws std::invalid_argument if parse_profile()
// would reject the profile, so that an invalid profile is never written.
std::string write_profile(const Profile&);

// The digest at the end of the profile's text, which identifies the profile.
std::string compute_digest(const Profile&);

// The table at the end of every profile, with the digest of the text before it.
std::string digest_table(std::string_view body);

// Parses a profile. `file` is used in error messages only. `generic` is used if the profile refers
// to built-in kernels. Throws ProfileError.
Profile parse_profile(std::string_view text, const std::string& file,
                      const GenericProfile& generic = {});

// Reads and parses a file. Throws ProfileError (with line 0 if the file cannot be read).
Profile load_profile(const std::string& path, const GenericProfile& generic = {});

// The text of the built-in profile (profiles/data/generic.toml), embedded at build time.
std::string_view generic_profile_text();

}  // namespace tilewright
