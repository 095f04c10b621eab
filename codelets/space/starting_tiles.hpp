// Which register tiles does a device hold that read the least for what they multiply?
//
// Internal to the rules of starting points.
#pragma once

#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "codelets/space/starting_points.hpp"

namespace tilewright {

struct RegisterTile {
  int m = 1;
  int n = 1;
  bool operator==(const RegisterTile&) const = default;
};

// The values of a number of codelet gemm that are searched.
std::vector<int> searched_numbers(std::string_view parameter);

// CPUs have vector registers, so many of so many floats.
struct VectorRegisters {
  int count = 1;
  int width = 1;
};
VectorRegisters vector_registers(const DeviceInfo& device);

// Of each number of vectors along n the tallest tile that the registers hold: its sums, a row of B,
// and one more for an element of A. Those with the most multiply-adds per load first.
std::vector<RegisterTile> vector_tiles(const VectorRegisters& registers);
// The same of sums along k, each of which is a vector: these, and a vector of each line of A and B.
std::vector<RegisterTile> partial_tiles(const VectorRegisters& registers);

// GPUs have a register file, of which a work-item has the more, the fewer there are. So many floats
// has a work-item of each class, from the fewest on; where nobody knows, all that it can have, half
// and a quarter of it.
std::vector<int> register_classes(const DeviceInfo& device);
// What a class leaves to operands and sums: an eighth is for addresses and counters.
int held_floats(int register_class);
// The tile of whole vectors along n with the most multiply-adds per load among those that hold, up
// to `most` x `most`, of two such the taller one; nullopt: there is none.
std::optional<RegisterTile> best_tile(int vector_width, int most,
                                      const std::function<bool(RegisterTile)>& holds);

}  // namespace tilewright
