// Where a library takes its profile from.
#pragma once

#include <string>
#include <utility>

namespace tilewright {

/// Selects the profile for Library::open.
class ProfileSource {
 public:
  /// The file named by $TILEWRIGHT_PROFILE (`builtin`: the built-in profile); otherwise a profile
  /// for the device in $XDG_DATA_HOME/tilewright/profiles or among the installed profiles;
  /// otherwise the built-in profile.
  /// @return the source
  static ProfileSource automatic() { return {Kind::kAutomatic, ""}; }
  /// A profile file. It must be readable, complete, and for the device.
  /// @param path  path of the file
  /// @return the source
  static ProfileSource file(std::string path) { return {Kind::kFile, std::move(path)}; }
  /// A profile that is part of the program; it is checked like a file.
  /// @param profile  the text of a profile file
  /// @return the source
  static ProfileSource text(std::string profile) { return {Kind::kText, std::move(profile)}; }
  /// The profile that is part of the library. It supports every device, but is slower than a tuned
  /// one.
  /// @return the source
  static ProfileSource builtin() { return {Kind::kBuiltin, ""}; }

  /// This source, except that a named profile (file, text, $TILEWRIGHT_PROFILE) may be for another
  /// device. Each of its kernels is verified at its first use; kernels that are wrong on this
  /// device are not used.
  /// @return the source
  ProfileSource forced() const {
    ProfileSource source = *this;
    source.forced_ = true;
    return source;
  }

  /// The kinds of sources.
  enum class Kind {
    kAutomatic,  ///< automatic()
    kFile,       ///< file()
    kText,       ///< text()
    kBuiltin     ///< builtin()
  };
  /// @return the kind of this source
  Kind kind() const { return kind_; }
  /// @return the path for kFile, the text for kText, otherwise ""
  const std::string& value() const { return value_; }
  /// @return whether it is forced()
  bool is_forced() const { return forced_; }

 private:
  ProfileSource(Kind kind, std::string value) : kind_(kind), value_(std::move(value)) {}
  Kind kind_;
  std::string value_;
  bool forced_ = false;
};

}  // namespace tilewright
