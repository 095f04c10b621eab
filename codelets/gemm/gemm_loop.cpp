#include "codelets/gemm/gemm_loop.hpp"

#include <fmt/format.h>

#include "codelets/gemm/gemm_inner.hpp"
#include "codelets/gemm/gemm_narrow.hpp"

namespace tilewright {

GemmLoop::GemmLoop(SourceText& out, const GemmFacts& facts)
    : out_(out),
      f_(facts),
      a_(f_, f_.a, f_.m, operand_source(f_.a), facts.point.tile_k),
      b_(f_, f_.b, f_.n, operand_source(f_.b), facts.point.tile_k),
      stage_a_(f_, f_.a, f_.m),
      stage_b_(f_, f_.b, f_.n) {}

OperandReader::Source GemmLoop::operand_source(const OperandFacts& operand) {
  if (operand.local) return OperandReader::Source::kLocal;
  return operand.image ? OperandReader::Source::kImage : OperandReader::Source::kGlobal;
}

OperandReader GemmLoop::direct(const OperandFacts& operand, const Axis& axis, int steps) const {
  return {f_, operand, axis,
          operand.image ? OperandReader::Source::kImage : OperandReader::Source::kGlobal, steps};
}

void GemmLoop::declare_arrays() const {
  if (f_.a.local) stage_a_.declare_array(out_);
  if (f_.b.local) stage_b_.declare_array(out_);
}

// Emits the range of k that this work-item computes. It consists of whole blocks, so that ranges
// meet at block boundaries.
void GemmLoop::declare_range() const {
  if (f_.shares_of_k() == 1) return;
  out_.line("const int turns = {};",
            f_.block == 1 ? "k" : fmt::format("(k + {}) / {}", f_.block - 1, f_.block));
  out_.line("const int part = (turns + {}) / {};", f_.shares_of_k() - 1,
            times(std::to_string(f_.shares_of_k()), f_.block));
  out_.line("const int k_first = min((int)get_global_id(2) * part, k);");
  const bool skipped = p().work_group_k > 1 && f_.may_be_narrow();
  if (skipped)
    out_.line("// A C that is narrower than a vector skips the loops, but not the barriers.");
  out_.line("const int k_end = {}min(k_first + part, k);",
            skipped ? fmt::format("{} ? k_first : ", narrow_condition(f_)) : "");
}

void GemmLoop::declare_operands() const {
  if (f_.a.local) {
    stage_a_.declare_places(out_, f_.first_k());
  } else {
    a_.declare(out_, f_.first_k());
  }
  if (f_.b.local) {
    stage_b_.declare_places(out_, f_.first_k());
  } else {
    b_.declare(out_, f_.first_k());
  }
}

// Emits the loop over whole blocks of k.
void GemmLoop::blocks() {
  out_.line("int p = {};", f_.first_k());
  if (f_.barriers && f_.may_be_narrow()) {
    out_.line("// A C that is narrower than a vector skips the blocks, but not the barriers.");
    out_.line("const int k_blocks = {} ? {} : {};", narrow_condition(f_), f_.first_k(), f_.end_k());
  }
  if (f_.local || !is_whole_loop()) {
    out_.line("// Loop over k, {} steps per iteration.", f_.block);
  }
  if (f_.local) {
    staged_loop();
  } else {
    direct_loop();
  }
}

// Condition that another whole block of k follows (including padding).
std::string GemmLoop::block_left() const {
  return f_.remainder ? fmt::format("p + {} <= {}", f_.block, end_of_blocks())
                      : fmt::format("p < {}", end_of_blocks());
}

// A barrier every cache_block_k steps keeps the work-items of a group together, so that they share
// the data that one of them has loaded into the cache (Gronqvist and Lokhmotov, 1.4.8).
void GemmLoop::direct_loop() {
  if (is_whole_loop()) return;
  if (f_.block == f_.iteration_k) {
    out_.open("for (; {}; {})", block_left(), advance_text("p", std::to_string(f_.block)));
    if (f_.barriers) out_.line("{}", kBarrier);
    iteration();
    out_.close();
    return;
  }
  out_.open("while ({})", block_left());
  if (f_.barriers) out_.line("{}", kBarrier);
  open_half_sums();
  // `stop` is a variable, so that the compiler cannot know the number of iterations; see
  // kCountedLoop in quirks.hpp.
  out_.open("for (const int stop = p + {}; p < stop; {})", f_.block,
            advance_text("p", std::to_string(f_.iteration_k)));
  iteration();
  out_.close();
  close_half_sums();
  out_.close();
}

// Start and end of the half-precision sums of one block of k.
void GemmLoop::open_half_sums() {
  if (f_.half_sums == GemmFacts::HalfSums::kBlock) emit_half_sums(out_, f_, true);
}
void GemmLoop::close_half_sums() {
  if (f_.half_sums == GemmFacts::HalfSums::kBlock) emit_sums_to_floats(out_, f_);
}

// Emits one block of k: one iteration of the innermost loop, or the loop.
void GemmLoop::block_of_k() {
  if (f_.a.local) a_.declare(out_, "0");
  if (f_.b.local) b_.declare(out_, "0");
  if (f_.block == f_.iteration_k) {
    iteration();
    return;
  }
  open_half_sums();
  out_.open("for (int q = 0; q < {}; {})", f_.block,
            advance_text("q", std::to_string(f_.iteration_k)));
  iteration();
  out_.close();
  close_half_sums();
}

void GemmLoop::iteration() {
  // Compilers vectorise sums that are not carried from one iteration to the next.
  const bool closed = f_.half_sums == GemmFacts::HalfSums::kIteration;
  if (closed) emit_half_sums(out_, f_, false);
  for (int u = 0; u < p().unroll_k; ++u) {
    if (p().unroll_k > 1) out_.open();
    emit_k_tile(out_, f_, a_, b_, u * p().tile_k, p().tile_k, closed && u == 0);
    if (p().unroll_k > 1) out_.close();
  }
  if (closed) emit_sums_to_floats(out_, f_);
  // The pointers to local memory start anew in each block, so they advance only between the
  // iterations within a block.
  if (!f_.a.local || f_.block > f_.iteration_k) a_.advance(out_, f_.iteration_k);
  if (!f_.b.local || f_.block > f_.iteration_k) b_.advance(out_, f_.iteration_k);
}

void GemmLoop::fetch(const std::string& tiles) {
  if (!tiles.empty()) {
    const std::string times = tiles == "1" ? "" : tiles;
    if (f_.a.local) stage_a_.advance(out_, times);
    if (f_.b.local) stage_b_.advance(out_, times);
  }
  out_.line("// Load a tile for local memory.");
  if (f_.a.local) stage_a_.load(out_);
  if (f_.b.local) stage_b_.load(out_);
}

void GemmLoop::put(const std::string& buffer) {
  out_.line("// Store it in local memory.");
  if (f_.a.local) stage_a_.store(out_, buffer);
  if (f_.b.local) stage_b_.store(out_, buffer);
}

void GemmLoop::staged_loop() {
  if (f_.a.local) stage_a_.declare_registers(out_);
  if (f_.b.local) stage_b_.declare_registers(out_);
  if (double_buffered()) out_.line("int buffer = 0;");
  if (p().prefetch == Prefetch::kNone) {
    fetch_and_multiply();
  } else {
    prefetch_and_multiply();
  }
}

void GemmLoop::fetch_and_multiply() {
  out_.open("for (; {}; {})", block_left(), advance_text("p", std::to_string(f_.block)));
  fetch("");
  put(double_buffered() ? "buffer" : "");
  out_.line("{}", kBarrier);
  block_of_k();
  if (f_.a.local) stage_a_.advance(out_, "");
  if (f_.b.local) stage_b_.advance(out_, "");
  // With two buffers, the next tile goes to the buffer that is no longer read.
  out_.line("{}", double_buffered() ? "buffer = 1 - buffer;" : kBarrier);
  out_.close();
}

// Loads the next tile before the current one is multiplied, so that the loads overlap with the
// arithmetic.
void GemmLoop::prefetch_and_multiply() {
  const std::string enough = block_left();
  const std::string more = f_.remainder ? fmt::format("p + {} <= {}", 2 * f_.block, f_.end_k())
                                        : fmt::format("p + {} < {}", f_.block, f_.end_k());
  out_.open("if ({})", enough);
  fetch("");
  put(double_buffered() ? "0" : "");
  out_.close();
  out_.line("{}", kBarrier);
  out_.open("for (; {}; {})", enough, advance_text("p", std::to_string(f_.block)));
  const bool conditional = p().prefetch == Prefetch::kConditional;
  if (conditional) {
    out_.line("const bool more = {};", more);
    out_.open("if (more)");
    fetch("1");
    out_.close();
  } else {
    out_.line(
        "// The last tile is loaded twice: with a condition, compilers would move the loads.");
    out_.line("const size_t more = {} ? 1 : 0;", more);
    fetch("more");
  }
  block_of_k();
  next_tile();
  out_.close();
}

void GemmLoop::next_tile() {
  const bool conditional = p().prefetch == Prefetch::kConditional;
  if (!double_buffered()) out_.line("{}", kBarrier);
  if (conditional) out_.open("if (more)");
  put(double_buffered() ? "(1 - buffer)" : "");
  if (conditional) out_.close();
  out_.line("{}", kBarrier);
  if (double_buffered()) out_.line("buffer = 1 - buffer;");
}

// Emits the remainder of k, one step at a time. Half-precision sums include the remainder of a
// block, which may be as long as several iterations.
void GemmLoop::remainder() {
  out_.line("// {}", is_whole_loop() ? "Loop over k." : "The remaining steps of k, one at a time.");
  const OperandReader a = direct(f_.a, f_.m, 1);
  const OperandReader b = direct(f_.b, f_.n, 1);
  const bool per_iteration = f_.half_sums == GemmFacts::HalfSums::kIteration;
  const bool each = per_iteration && f_.iteration_k < f_.block;
  const bool once = f_.half_sums == GemmFacts::HalfSums::kBlock || (per_iteration && !each);
  if (f_.local || once) {
    out_.open();
    if (f_.a.local) a.declare(out_, "p");
    if (f_.b.local) b.declare(out_, "p");
  }
  if (once) emit_half_sums(out_, f_, true);
  out_.open("for (; p < {}; ++p)", f_.end_k());
  if (each) emit_half_sums(out_, f_, true);
  emit_k_tile(out_, f_, a, b, 0, 1);
  if (each) emit_sums_to_floats(out_, f_);
  a.advance(out_, 1);
  b.advance(out_, 1);
  out_.close();
  if (once) emit_sums_to_floats(out_, f_);
  if (f_.local || once) out_.close();
}

}  // namespace tilewright
