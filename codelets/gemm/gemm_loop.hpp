// Emits a kernel's loop over k.
//
// Internal to codelets. The loop processes blocks. A block consists of iterations of the innermost
// loop; blocks are separated by barriers if the point has them, and each block fills the local
// memory if it is used. The remainder, less than a block, is computed one step at a time from
// global memory.
#pragma once

#include "codelets/gemm/gemm_local_staging.hpp"
#include "codelets/gemm/gemm_operand.hpp"

namespace tilewright {

// Must be placed outside of all conditions, even uniform ones (see kBarrierUnderCondition in
// quirks.hpp).
inline constexpr const char* kBarrier = "barrier(CLK_LOCAL_MEM_FENCE);";

// The parts of the loop share the operand readers, which is why they are methods of one class.
class GemmLoop {
 public:
  // Both arguments must outlive this object.
  GemmLoop(SourceText& out, const GemmFacts& facts);

  // These functions emit, in the order in which a kernel needs them: local arrays; the work-item's
  // range of k; pointers and offsets; the loop over whole blocks; the loop over the remainder.
  void declare_arrays() const;
  void declare_range() const;
  void declare_operands() const;
  void blocks();
  void remainder();

 private:
  static OperandReader::Source operand_source(const OperandFacts& operand);
  // A reader of the operand in global memory (or of the image) that ignores local memory.
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
  void iteration();

  const GemmPoint& p() const { return f_.point; }
  // True if the loop over the remainder of k does all the work.
  bool is_whole_loop() const { return !f_.barriers && f_.remainder && f_.block == 1; }
  bool double_buffered() const { return p().local_buffers == 2; }
  // Name of the variable, or constant, at which the whole blocks of k end.
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
