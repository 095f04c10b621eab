// Who else runs nets on this machine?
//
// A competitor computes the same forward from the same data, and returns when the output is
// complete: what a caller waits for. Competitors on the device share the arena's buffers; one on
// the CPU has its matrices in its own memory.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <tilewright/mlp.hpp>
#include "profiles/precision.hpp"
#include "tuner/device/device_queue.hpp"

namespace tilewright {

// What a competitor works with.
struct NetArena {
  const DeviceQueue& on;
  const MlpModel& model;
  std::size_t batch = 0;
  const std::vector<float>& input;           // batch x inputs, row-major
  Matrix x;                                  // the same on the device
  Matrix y;                                  // batch x outputs, on the device
  Precision precision = Precision::kSingle;  // of these, and of the library's nets
};

class NetCompetitor {
 public:
  virtual ~NetCompetitor() = default;
  virtual std::string name() const = 0;
  // What it is and how it is set up, as a condition of its figures; may be empty.
  virtual std::string details() const { return ""; }
  // Computes the output once and waits for it. Throws Error if that fails.
  virtual void forward() = 0;
  // Wall time in seconds of so many forwards, one after the other.
  virtual double seconds_of(int forwards);
  // The output of the last forward: batch x outputs, row-major.
  virtual std::vector<float> output() const = 0;
};

// The net by the library.
std::unique_ptr<NetCompetitor> library_net(const std::string& name, Mlp net, const NetArena& arena);

// A product by OpenBLAS for each affine layer, biases and activations by plain loops, on the CPU;
// null where that is not on this machine.
std::unique_ptr<NetCompetitor> cblas_net(const NetArena& arena);

// Makes competitors by their names (cblas, builtin, profiles), and keeps the nets that it loads for
// the next batch.
class NetRivals {
 public:
  // The competitor of that name, or null where this machine lacks it. Throws Error if a profile
  // cannot be opened.
  std::unique_ptr<NetCompetitor> make(const std::string& name, const NetArena& arena);

 private:
  std::map<std::string, Mlp> nets_;
};

// Every name that `mlp bench --rivals` understands beside profiles, whether this machine has it or
// not.
std::vector<std::string> known_net_rivals();

}  // namespace tilewright
