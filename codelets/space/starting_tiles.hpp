// Finds register tiles that fit a device and need the fewest loads per multiply-add.
//
// Internal to the rules of starting points.
#pragma once

#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "codelets/space/starting_points.hpp"

namespace tilewright {

// A register tile of m x n elements of C.
struct RegisterTile {
  int m = 1;
  int n = 1;
  bool operator==(const RegisterTile&) const = default;
};

// The values of a numeric gemm parameter that are searched.
std::vector<int> searched_numbers(std::string_view parameter);

// The vector registers of a CPU: their number, and floats per register.
struct VectorRegisters {
  int count = 1;
  int width = 1;
};
// The number of registers that the device reports, but at most as many as
// SpaceLimits::register_floats allows.
VectorRegisters vector_registers(const DeviceInfo& device);

// For each number of vectors along n, the tallest tile that fits into the registers: its sums, a
// row of B, and one register for an element of A. Tiles with the most multiply-adds per load come
// first.
std::vector<RegisterTile> vector_tiles(const VectorRegisters& registers);
// The tallest tiles for sums along k (inner=partial), in the same order. Each sum is a vector, and
// a vector of each line of A and B is needed.
std::vector<RegisterTile> partial_tiles(const VectorRegisters& registers);

// Register classes of a GPU: the floats that a work-item can have, ascending. A GPU divides its
// register file, so that each has more if fewer are resident. If the classes are unknown, returns a
// quarter, half, and all of the maximum.
std::vector<int> register_classes(const DeviceInfo& device);
// Floats of a class that are available for operands and sums; one eighth is reserved for addresses
// and counters.
int usable_floats(int register_class);
// The tile of whole vectors along n with the most multiply-adds per load for which `holds` returns
// true, up to `most` x `most`; in case of a tie the taller one. Returns nullopt if there is none.
std::optional<RegisterTile> best_tile(int vector_width, int most,
                                      const std::function<bool(RegisterTile)>& holds);

}  // namespace tilewright
