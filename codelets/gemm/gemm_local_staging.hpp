// Copies a k tile from global to local memory.
//
// Internal to codelets. The work-items of a group share the work. Each loads a few vectors in the
// direction that is contiguous in global memory. It stores them directly or transposed, so that the
// readers (OperandReader) find lines along m or n (rank-1 updates) or along k (inner products).
#pragma once

#include "codelets/gemm/gemm_facts.hpp"
#include "codelets/text/source_text.hpp"

namespace tilewright {

// Emits the copy of one operand.
class LocalStaging {
 public:
  // The arguments must outlive this object.
  LocalStaging(const GemmFacts& kernel, const OperandFacts& operand, const Axis& axis);

  // Elements per load, and loads per work-item. even() is true if all work-items do the same number
  // of loads.
  int width() const { return width_; }
  int loads() const;
  bool even() const;

  // Emits the local array. Must be at the start of the kernel.
  void declare_array(SourceText& out) const;
  // Emits the work-item's positions in global and local memory for the k tile that starts at
  // `first_k`.
  void declare_places(SourceText& out, const std::string& first_k) const;
  // Emits the variables that hold the work-item's part of a k tile between load and store.
  void declare_registers(SourceText& out) const;
  // Emits the loads into these variables.
  void load(SourceText& out) const;
  // Emits the stores to local memory. `buffer` is the text of the buffer's number, or "" if there
  // is only one.
  void store(SourceText& out, const std::string& buffer) const;
  // Emits the advance by `tiles` k tiles (text; "" for one).
  void advance(SourceText& out, const std::string& tiles) const;

 private:
  // Position of a load, relative to the work-item's first load.
  struct Step {
    int outer;
    int k;
  };
  Step step(int index) const;
  // Number of vectors per line of the k tile.
  int vectors_per_line() const;
  // Number of different positions along m or n at which the work-item's loads start. Each has its
  // own pointer.
  int places() const;
  std::string clamped_place(int place) const;
  void store_vector(SourceText& out, int index, const std::string& array) const;

  const GemmFacts& kernel_;
  const OperandFacts& operand_;
  const Axis& axis_;
  int width_;
};

}  // namespace tilewright
