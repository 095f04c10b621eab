/// @file
/// Options for opening a library in C++ (tilewright.hpp).
#ifndef TILEWRIGHT_OPTIONS_HPP
#define TILEWRIGHT_OPTIONS_HPP

#include <cstddef>
#include <functional>
#include <string>
#include <utility>

#include <tilewright/tilewright.h>

namespace tw {
inline namespace v1 {

/// A log function; see tw_log. Its exceptions are ignored. It is destroyed when the library
/// and all plans, networks and teams that were made with it are destroyed.
using Log = std::function<void(tw_log_severity severity, const std::string& line)>;

/// Options for opening a library: tw::Options().profile_path("board.toml").log(print). At most one
/// of profile_path, profile_text and built_in_profile may be set. See tw_options.
class Options {
 public:
  /// @param path  path of a profile
  /// @return this object
  Options& profile_path(std::string path) { return set(profile_path_, std::move(path)); }
  /// @param text  text of a profile, for one inside the program
  /// @return this object
  Options& profile_text(std::string text) { return set(profile_text_, std::move(text)); }
  /// Selects the built-in profile. It supports every device, but is slower than a tuned one.
  /// @return this object
  Options& built_in_profile() {
    options_.built_in_profile = 1;
    return *this;
  }
  /// A profile that is named by the program or by $TILEWRIGHT_PROFILE may be for another device.
  /// @return this object
  Options& allow_other_device() {
    options_.allow_other_device = 1;
    return *this;
  }
  /// @param folder  folder for binaries of compiled kernels; "": none
  /// @return this object
  Options& cache_folder(std::string folder) { return set(cache_folder_, std::move(folder)); }
  /// @param bytes  device memory that is kept for temporaries of later calls
  /// @return this object
  Options& max_kept_bytes(std::size_t bytes) {
    options_.max_kept_bytes = bytes;
    return *this;
  }
  /// @param function  receives log lines, on any thread that calls the library
  /// @return this object
  Options& log(Log function) {
    log_ = std::move(function);
    return *this;
  }

 private:
  friend class Library;
  // A text that may be absent, which is something else than an empty one.
  struct Text {
    std::string text;
    bool is_set = false;
    const char* get() const { return is_set ? text.c_str() : nullptr; }
  };
  Options& set(Text& member, std::string value) {
    member = {std::move(value), true};
    return *this;
  }

  tw_options options_ = tw_make_options();
  Text profile_path_, profile_text_, cache_folder_;
  Log log_;
};

}  // namespace v1
}  // namespace tw

#endif
