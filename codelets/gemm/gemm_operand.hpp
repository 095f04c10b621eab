// Emits the loads of a work-item's part of A or B.
//
// Internal to codelets. A work-item needs a tile of an operand: the elements of an axis times
// several k steps. The tile is loaded in lines, and a line in fragments of one load each. The
// direction of the lines depends on what is contiguous in the memory that they are loaded from:
//
//     contiguous along k                           contiguous along m or n
//       a0 -> [a0_0    ][a0_1    ]  row 0             a0 -> [a0_0      ] k step 0
//       a1 -> [a1_0    ][a1_1    ]  row 1                   [a0_1      ] k step 1
//              k ->                                          m ->
#pragma once

#include <string>

#include "codelets/gemm/gemm_facts.hpp"
#include "codelets/text/source_text.hpp"

namespace tilewright {

// Emits the loads of one operand from one kind of memory.
class OperandReader {
 public:
  // The kind of memory that the operand is loaded from.
  enum class Source { kGlobal, kImage, kLocal };

  // `steps`: number of k steps that are loaded at a time.
  OperandReader(const GemmFacts& kernel, const OperandFacts& operand, const Axis& axis,
                Source source, int steps);

  bool along_k() const { return along_k_; }
  int width() const { return width_; }  // elements of one load
  int lines() const { return axis_.tile / line_elements(); }
  int fragments() const { return along_k_ ? steps_ / width_ : steps_; }
  // Number of elements along m or n that one line covers.
  int line_elements() const { return along_k_ ? 1 : width_; }

  // Name of the variable with fragment `index` of a line.
  std::string fragment(int line, int index) const;
  // Text of element t of the tile at k step p.
  std::string element(int t, int p) const;
  // The first k step in fragment `index`.
  int first_step(int index) const { return along_k_ ? index * width_ : index; }
  // Text that loads a fragment. `step` is the k step of the tile's first fragment, counted from the
  // start of the loop iteration.
  std::string load(int line, int index, int step) const;

  // Emits the variables that the loop needs. `first_k` is the text of the first k step; "0" is the
  // start of k.
  void declare(SourceText& out, const std::string& first_k) const;
  // Emits the advance by `steps` k steps.
  void advance(SourceText& out, int steps) const;

 private:
  void declare_global(SourceText& out, const std::string& first_k) const;
  void declare_local(SourceText& out) const;
  void declare_image(SourceText& out, const std::string& first_k) const;
  std::string load_image(int line, int step) const;
  // Offset of a k step: constant, or as text if it depends on ld.
  std::string k_text(int step) const;
  std::string pointer(int line) const;
  // Offset of a line from the pointer that several lines share, in elements.
  std::int64_t line_distance(int line) const;
  bool shares_pointer() const;
  bool uses_offset() const;  // one running offset instead of running pointers

  const GemmFacts& kernel_;
  const OperandFacts& operand_;
  const Axis& axis_;
  Source source_;
  int steps_;
  bool along_k_;
  int width_ = 1;
};

}  // namespace tilewright
