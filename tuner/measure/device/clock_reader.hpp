// Reads the GPU's clock and its governor from sysfs, and warns if the clock is not pinned.
//
// Linux lists the GPUs of most boards under <sysfs>/class/devfreq. Samples of different kernels are
// comparable only if the clock was the same, so the tuner reads the clock before and after every
// sample.
#pragma once

#include <cstdint>
#include <string>

namespace tilewright {

// The clock of one GPU. Values are read anew at each call.
class ClockReader {
 public:
  // A reader without a clock, for devices such as CPUs: path() is "" and now_hz() is 0.
  ClockReader() = default;
  // Looks for the GPU under <sysfs>/class/devfreq: the first folder with "gpu" or "mali" in its
  // name, or the only folder. It is no error if there is none.
  explicit ClockReader(const std::string& sysfs);

  const std::string& path() const { return path_; }  // folder of the clock; "" if none was found
  std::string governor() const;                      // "" if it cannot be read
  std::int64_t now_hz() const;                       // current frequency; 0 if it cannot be read
  // Returns a sentence that says why samples may not be comparable, with the command that pins the
  // clock. Returns "" if the clock is pinned or nothing is known about it.
  std::string warning() const;

 private:
  std::string path_;
};

}  // namespace tilewright
