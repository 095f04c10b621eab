// Defines the options that are part of a journal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tuner/journal/records/worker_protocol.hpp"

namespace tilewright {

// The options of a tuning that describe what it measures. The command line sets them,
// and the header of the journal stores them.
struct RecordedOptions {
  std::vector<Op> ops;
  Precision precision = Precision::kSingle;  // of all kernels
  std::vector<GemmShape> shapes;
  // Number of shapes, at the end of `shapes`, that come from a design and represent all shapes. The
  // user asked for the others.
  std::size_t designed = 0;
  std::map<std::string, std::vector<std::string>> only;  // searched values by parameter
  std::uint64_t seed = 1;                                // for data and search
  int shard = 1;                                         // from 1 to `shards`
  int shards = 1;
  bool packed = true;  // search kernels that need packed operands, too
  // op(B) is packed only once, as weights are, so its packing costs nothing.
  bool b_prepacked = false;
  MeasureOptions measure;
  bool operator==(const RecordedOptions&) const = default;
};

}  // namespace tilewright
