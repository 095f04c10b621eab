// Keeps the kernels of a tuning's candidates out of the user's cache of the OpenCL driver.
//
// PoCL, NVIDIA, Mesa and Intel keep every kernel that they compile. A tuning compiles thousands
// that nobody needs afterwards: they fill the disk or drive out other programs' kernels.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace tilewright {

// While it lives, drivers of this process and of its workers keep kernels in a new folder, which is
// removed afterwards. Where no folder can be made, or TILEWRIGHT_DRIVER_CACHE is "own", drivers
// use their own. Not thread-safe: it sets environment variables.
class PrivateDriverCache {
 public:
  // Makes the folder in `base`, and removes those of tunings that were killed.
  explicit PrivateDriverCache(const std::string& base = default_base());
  ~PrivateDriverCache();
  PrivateDriverCache(const PrivateDriverCache&) = delete;
  PrivateDriverCache& operator=(const PrivateDriverCache&) = delete;

  const std::string& folder() const { return folder_; }  // "": there is none

 private:
  // The folder of program binaries (binary_cache.hpp), or that of temporary files without one.
  static std::string default_base();

  std::string folder_;
  int lock_ = -1;                                // held while the folder is used
  std::vector<std::optional<std::string>> old_;  // values of the variables before
};

}  // namespace tilewright
