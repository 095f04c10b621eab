// Does the GPU's clock stand still, and where does one pin it?
//
// Linux tells of most boards' GPUs under <sysfs>/class/devfreq. A clock that floats makes samples
// of different candidates incomparable: it is read beside every sample.
#pragma once

#include <cstdint>
#include <string>

namespace tilewright {

class ClockReader {
 public:
  // Reads nothing: for devices without a clock of their own.
  ClockReader() = default;
  // Looks for the GPU under <sysfs>/class/devfreq: the folder with "gpu" or "mali" in its name, or
  // the only one. None is no error.
  explicit ClockReader(const std::string& sysfs);

  const std::string& path() const { return path_; }  // of its folder; "": none was found
  std::string governor() const;                      // "": cannot be read
  std::int64_t now_hz() const;                       // 0: cannot be read
  // Why samples may not be comparable, and the command that mends it: a sentence; "": all is well,
  // or nothing is known.
  std::string warning() const;

 private:
  std::string path_;
};

}  // namespace tilewright
