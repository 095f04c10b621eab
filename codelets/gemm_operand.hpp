// How does a work-item read its part of A or B?
//
// Internal to codelets. A work-item needs a tile of an operand: `outer` elements along its own
// dimension of C (m for A, n for B) times `steps` elements along k. It is read in lines, one
// pointer each, and a line in fragments, one vector load each. Which way the lines lie depends on
// what is contiguous:
//
//     contiguous along k (A of N., B of .T)        contiguous along m or n (A of T., B of .N)
//       a0 -> [a0_0    ][a0_1    ]  row 0             a0 -> [a0_0      ] k step 0
//       a1 -> [a1_0    ][a1_1    ]  row 1                   [a0_1      ] k step 1
//              k ->                                          m ->
#pragma once

#include <string>

#include "codelets/parameter_point.hpp"

namespace tilewright {

class GemmOperand {
 public:
  // name: 'a' or 'b'; outer: elements along m or n; steps: k steps read at a time.
  GemmOperand(char name, bool along_k, int outer, int steps, int vector_width);

  bool along_k() const { return along_k_; }
  // Floats of one load: as wide as vector_width allows where the tile is a multiple of it.
  int width() const { return width_; }
  int lines() const { return along_k_ ? outer_ : outer_ / width_; }
  int fragments() const { return along_k_ ? steps_ / width_ : steps_; }
  // Elements along m or n that one line covers: they are read together, or not at all.
  int group() const { return along_k_ ? 1 : width_; }

  std::string pointer(int line) const;
  std::string fragment(int line, int index) const;
  // The element at position `o` along m or n and k step `p`, as text.
  std::string element(int o, int p) const;
  // The first k step that needs fragment `index`.
  int first_step(int index) const { return along_k_ ? index * width_ : index; }
  // Text that loads a fragment.
  std::string load(int line, int index) const;
  // Text that moves a line's pointer past the steps read.
  std::string advance(int line) const;

 private:
  std::string steps_text(int count) const;

  char name_;
  bool along_k_;
  int outer_;
  int steps_;
  int width_;
};

GemmOperand operand_a(const ParameterPoint&, int steps);
GemmOperand operand_b(const ParameterPoint&, int steps);

// "float", "float4" ...
std::string vector_type(int width);
// Component `lane` of the vector variable `name`; the variable itself if the width is 1.
std::string lane_of(const std::string& name, int width, int lane);
// Text that reads `width` floats at `address`.
std::string vector_load(int width, const std::string& address);

}  // namespace tilewright
