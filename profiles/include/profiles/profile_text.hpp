// How does a profile become text, and text a profile?
//
// The text format is specified in docs/profile-format.md. Writing then parsing is identity. Parsing
// is strict: a profile that is not exactly right is refused with one error that names file, line
// and key.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "profiles/profile.hpp"

namespace tilewright {

// One thing that is wrong with a profile's text. what() is "file:line: key: message".
class ProfileError : public std::runtime_error {
 public:
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

// The profile as text, digests included. Throws std::invalid_argument if the profile is not one
// that parse_profile would accept (so a bad profile is never written).
std::string write_profile(const Profile&);

// The digest that the profile's text ends with: which profile it is, in one word.
std::string digest_of(const Profile&);

// The profile that `text` holds. `file` is only used in errors. Throws ProfileError.
Profile parse_profile(std::string_view text, const std::string& file);

// Reads a file whole and parses it. Throws ProfileError (line 0 if the file cannot be read).
Profile load_profile(const std::string& path);

// The text of the built-in profile (profiles/data/generic.toml), embedded at build time.
std::string_view generic_profile_text();

}  // namespace tilewright
