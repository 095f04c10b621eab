// How does a kernel go along k?
//
// Internal to codelets. In blocks: turns of the innermost loop, between barriers where the point
// has them, filling local memory where it is used; what is left, less than a block, one step at a
// time and straight from global memory.
#pragma once

#include "codelets/gemm/gemm_operand.hpp"
#include "codelets/gemm/gemm_stage.hpp"

namespace tilewright {

// Stands outside of conditions, also of those that are the same for all work-items
// (quirks: kBarrierUnderCondition).
inline constexpr const char* kBarrier = "barrier(CLK_LOCAL_MEM_FENCE);";

class GemmLoop {
 public:
  GemmLoop(SourceText& out, const GemmFacts& facts);

  // Emit, in the order of the kernel: local arrays; the part of k that is this work-item's;
  // pointers and places; the loop over whole blocks; the loop over what is left.
  void declare_arrays() const;
  void declare_range() const;
  void declare_operands() const;
  void blocks();
  void remainder();

 private:
  static OperandReader::Source source_of(const OperandFacts& operand);
  // The operand as it lies outside of local memory.
  OperandReader direct(const OperandFacts& operand, const Axis& axis, int steps) const;

  std::string block_left() const;
  void direct_loop();
  void open_half_sums();
  void close_half_sums();
  void staged_loop();
  void fetch_and_multiply();
  void prefetch_and_multiply();
  void next_tile();
  void fetch(const std::string& tiles);
  void put(const std::string& buffer);
  void block_of_k();
  void turn();

  const GemmPoint& p() const { return f_.point; }
  // Does the loop over what is left of k do it all?
  bool is_whole_loop() const { return !f_.barriers && f_.remainder && f_.block == 1; }
  bool double_buffered() const { return p().local_buffers == 2; }
  // Where whole blocks of k end.
  const char* end_of_blocks() const {
    return f_.barriers && f_.may_be_narrow() ? "k_blocks" : f_.end_k();
  }

  SourceText& out_;
  const GemmFacts& f_;
  OperandReader a_;
  OperandReader b_;
  LocalStaging stage_a_;
  LocalStaging stage_b_;
};

}  // namespace tilewright
