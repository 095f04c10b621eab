// Keeps the kernels of a tuning's candidates out of the OpenCL driver's cache of the user.
//
// PoCL, NVIDIA, Mesa and Intel cache every kernel that they compile. A tuning compiles thousands of
// kernels that nobody needs afterwards: they would fill the disk or displace other programs'
// kernels.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace tilewright {

// During its lifetime, drivers in this process and in its workers cache kernels in a new folder,
// which is removed afterwards. If no folder can be created, or if TILEWRIGHT_DRIVER_CACHE is "own",
// drivers use their own caches. Not thread-safe, because it sets environment variables.
class PrivateDriverCache {
 public:
  // Creates the folder in `base`, and removes the folders of tunings that were killed.
  explicit PrivateDriverCache(const std::string& base = default_base());
  ~PrivateDriverCache();
  PrivateDriverCache(const PrivateDriverCache&) = delete;
  PrivateDriverCache& operator=(const PrivateDriverCache&) = delete;

  const std::string& folder() const { return folder_; }  // "": there is none

 private:
  // Returns the folder of the binary cache (binary_cache.hpp); without one, the folder for
  // temporary files.
  static std::string default_base();

  std::string folder_;
  int lock_ = -1;                                // held while the folder is in use
  std::vector<std::optional<std::string>> old_;  // previous values of the variables
};

}  // namespace tilewright
