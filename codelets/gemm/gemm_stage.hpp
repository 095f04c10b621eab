// How does a k tile come from global into local memory?
//
// Internal to codelets. The work-items of a group share the work: each brings a few vectors, along
// what is contiguous in global memory, and stores them so that the readers (OperandReader) find
// lines along m or n (rank-1 updates) or along k (inner products): as they are, or transposed.
#pragma once

#include "codelets/gemm/gemm_facts.hpp"
#include "codelets/text/source_text.hpp"

namespace tilewright {

class LocalStaging {
 public:
  LocalStaging(const GemmFacts& kernel, const OperandFacts& operand, const Axis& axis);

  // Floats of one load, and loads of one work-item; the work is shared evenly if it is `even`.
  int width() const { return width_; }
  int loads() const;
  bool even() const;

  // Emits the local array. To stand at the beginning of the kernel.
  void declare_array(SourceText& out) const;
  // Emits the work-item's places in global and local memory, for the k tile at `first_k`.
  void declare_places(SourceText& out, const std::string& first_k) const;
  // Emits the variables that hold a k tile on its way.
  void declare_registers(SourceText& out) const;
  // Emits the loads into them.
  void load(SourceText& out) const;
  // Emits their stores to local memory; `buffer` is text, "" where there is one buffer.
  void store(SourceText& out, const std::string& buffer) const;
  // Emits the move to the next k tile, by `tiles` tiles (text: "" for one).
  void advance(SourceText& out, const std::string& tiles) const;

 private:
  // Where load `index` of a work-item lies, from its first.
  struct Step {
    int outer;
    int k;
  };
  Step step(int index) const;
  int vectors_per_line() const;
  // Places along m or n at which the work-item's loads begin: one pointer each.
  int places() const;
  std::string clamped_place(int place) const;
  void store_vector(SourceText& out, int index, const std::string& array) const;

  const GemmFacts& kernel_;
  const OperandFacts& operand_;
  const Axis& axis_;
  int width_;
};

}  // namespace tilewright
