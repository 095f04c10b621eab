#include "codelets/model/score.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "codelets/gemv/gemv_shape.hpp"
#include "codelets/model/arithmetic.hpp"
#include "codelets/model/expectation.hpp"
#include "codelets/text/quirks.hpp"

namespace tilewright {
namespace {

// Cost of a loop iteration (counting, comparing, jumping), in instructions.
constexpr double kLoop = 2.0;
// Cost of a barrier per work-item, in instructions: if work-items run in parallel, and if they run
// one after the other.
constexpr double kBarrierSideBySide = 8.0;
constexpr double kBarrierInSequence = quirks::kSumsInMemory;
// Cost of a load from global memory, relative to one from dedicated local memory.
constexpr double kGlobalLoad = 2.0;
// Cost of a load if the work-items that run in parallel load elements that are far apart, so that
// each fetches its own cache line.
constexpr double kScatteredLoad = 8.0;
// Score factor for each optional feature that has not yet proven useful.
constexpr double kUnproven = 0.9;
// Maximum number of multiply-adds in a short loop body. Longer bodies also exceed instruction
// caches.
constexpr double kShortBody = quirks::kLongLoopBody;
// Score factor for each doubling of the body's length beyond kShortBody.
constexpr double kLongBody = 0.8;

// A device with the vector width for one arithmetic type: a vector holds half as many doubles as
// floats.
struct TypedDevice {
  const DeviceInfo& info;
  int native_vector_width;
};

double count_instructions(double vectors, int width, int native_width) {
  return vectors * std::max(1, width / native_width);
}

// A work-item's part of A or B in one iteration: `outer` elements along m or n times tile_k along
// k.
struct Operand {
  int outer;
  int k_run;      // contiguous elements along k
  int outer_run;  // contiguous elements along m or n
  bool vectors_along_k;
  bool vectors_along_outer;
  bool by_element;  // each element is broadcast to all lanes of a vector
  bool local;
  int sharers;  // work-items of a work-group that need the same elements
};

double load_instructions(const Operand& o, const GemmPoint& p, const TypedDevice& d) {
  const double elements = static_cast<double>(o.outer) * p.tile_k;
  const int native = d.native_vector_width;
  const int along_k = std::gcd(p.tile_k, p.vector_width);
  const int along_outer = std::gcd(o.outer, p.vector_width);
  if (o.local) {
    const int width = o.vectors_along_k ? along_k : along_outer;
    const double loads = count_instructions(elements / width, width, native);
    const double staged = (kGlobalLoad + 1) * elements / o.sharers;
    return loads * (d.info.limits.local_memory_is_dedicated ? 1.0 : kGlobalLoad) + staged;
  }
  const int width = std::max(std::gcd(along_k, o.k_run), std::gcd(along_outer, o.outer_run));
  const double loads = count_instructions(elements / width, width, native);
  // A vector whose elements are not contiguous is assembled lane by lane.
  const bool is_across = p.vector_width > 1 && ((o.vectors_along_k && o.k_run < p.vector_width) ||
                                                (o.vectors_along_outer && o.outer_run == 1));
  // A CPU can load one element into all lanes at once, but needs a second instruction to broadcast
  // it from a vector.
  const bool is_spread = o.by_element && width > 1 && p.vector_width > 1 && !d.info.side_by_side;
  const double load = d.info.side_by_side ? kGlobalLoad : 1.0;
  return loads * load + (is_across || is_spread ? elements : 0.0);
}

double barrier_instructions(const GemmPoint& p, const TypedDevice& d) {
  if (p.cache_block_k == 0) return 0.0;
  const bool local = p.local_a || p.local_b;
  const double barriers = local && p.local_buffers == 1 ? 2.0 : 1.0;
  const double one = d.info.side_by_side ? kBarrierSideBySide : kBarrierInSequence;
  return one * barriers * p.tile_k / p.cache_block_k;
}

int unproven_choices(const GemmPoint& p, const TypedDevice& d) {
  int choices = p.group_order != GroupOrder::kRows ? 1 : 0;
  choices += p.stream_k > 0 ? 1 : 0;
  for (int shares = p.split_k * p.work_group_k; shares > 1; shares /= 2) ++choices;
  if (!d.info.side_by_side) {
    choices += p.assignment != Assignment::kConsecutive ? 1 : 0;
    choices += p.lanes_m * p.lanes_n > 1 ? 1 : 0;
    choices += p.image_a || p.image_b ? 1 : 0;
  }
  return choices;
}

// Duration of a multiply-add instruction relative to single precision, from the GPU's known rates;
// without the factor that `typed` already counts as additional instructions.
double slower_multiplying(Precision arithmetic, const TypedDevice& typed) {
  const GpuFacts& gpu = typed.info.gpu;
  const int fma = gpu.arithmetic_fma_per_clock(arithmetic);
  if (fma == 0 || gpu.fma_per_clock == 0) return 1.0;
  const int more = typed.info.native_vector_width / typed.native_vector_width;
  return static_cast<double>(gpu.fma_per_clock) / (fma * more);
}

double multiplying_instructions(const GemmPoint& p, const TypedDevice& d) {
  const int w = p.vector_width;
  const double vectors = static_cast<double>(p.tile_m) * p.tile_n * p.tile_k / w;
  const double instructions = count_instructions(vectors, w, d.native_vector_width);
  if (p.inner != Inner::kDot || d.info.side_by_side) return instructions;
  // CPUs have no instruction for dot(): lanes are moved and added until one is left.
  return instructions + vectors * 2 * std::log2(w);
}

// Sums that do not fit into registers are loaded and stored in each step.
double spilling_instructions(const GemmPoint& p, const TypedDevice& d, double multiplying) {
  if (d.info.vector_registers == 0) return 0.0;
  const bool outer = p.inner == Inner::kOuter;
  const int width = p.inner == Inner::kDot ? 1 : p.vector_width;
  const double sums = count_instructions(
      static_cast<double>(p.tile_m) * p.tile_n / (outer ? width : 1), width, d.native_vector_width);
  return 2 * multiplying * std::max(0.0, 1 - d.info.vector_registers / sums);
}

double share_of_short_bodies(double multiply_adds) {
  return std::pow(kLongBody, std::max(0.0, std::log2(multiply_adds / kShortBody)));
}

double point_score(const GemmPoint& p, const TypedDevice& d, double slower) {
  const bool outer = p.inner == Inner::kOuter;
  const Operand a{p.tile_m,
                  p.layout_a.run_along_row(),
                  p.layout_a.run_down_column(),
                  !outer,
                  false,
                  outer,
                  p.local_a,
                  p.work_group_n};
  const Operand b{p.tile_n,
                  p.layout_b.run_down_column(),
                  p.layout_b.run_along_row(),
                  !outer,
                  outer,
                  false,
                  p.local_b,
                  p.work_group_m};
  const double multiply_adds = static_cast<double>(p.tile_m) * p.tile_n * p.tile_k;
  const double multiplying = multiplying_instructions(p, d);
  const double instructions = multiplying * slower + spilling_instructions(p, d, multiplying) +
                              load_instructions(a, p, d) + load_instructions(b, p, d) +
                              barrier_instructions(p, d) + kLoop / p.unroll_k;
  const double lanes_used =
      std::min(1.0, static_cast<double>(p.work_group_m * p.work_group_n * p.work_group_k) /
                        d.info.min_work_group);
  return expected_share(p, d.info.gpu) * lanes_used * std::pow(kUnproven, unproven_choices(p, d)) *
         share_of_short_bodies(multiplying * p.unroll_k) * multiply_adds / instructions;
}

// True if work-items that run in parallel read adjacent elements.
bool reads_together(const GemvPoint& p, bool along_k) {
  const bool neighbours_along_k = p.work_group_k > 1 && (p.k_first || p.work_group_wide == 1);
  return neighbours_along_k == along_k;
}

// The wide operand (x) is read once, so its loads dominate.
double point_score(const GemvPoint& p, const TypedDevice& d, double slower) {
  const GemvShape shape = gemv_shape(p);
  const int native = d.native_vector_width;
  const double x_elements = static_cast<double>(p.tile_wide) * p.tile_k;
  const double y_elements = static_cast<double>(p.tile_narrow) * p.tile_k;
  const bool scattered = d.info.side_by_side && !reads_together(p, shape.x_along_k);
  const double load = !d.info.side_by_side ? 1.0 : scattered ? kScatteredLoad : kGlobalLoad;
  const double x_loads = count_instructions(x_elements / p.vector_width, p.vector_width, native);
  // Vectors along k read y as vectors, too. With vectors across k, an element of y is broadcast to
  // all lanes.
  const bool y_vectors = shape.x_along_k && shape.y_along_k;
  const double y_loads =
      y_vectors ? count_instructions(y_elements / p.vector_width, p.vector_width, native)
                : y_elements;
  const double multiplying = count_instructions(gemv_statements(p), p.vector_width, native);
  const double lanes_used =
      std::min(1.0, static_cast<double>(gemv_work_items(p)) / d.info.min_work_group);
  int unproven = 0;
  for (int shares = d.info.side_by_side ? 1 : p.work_group_k; shares > 1; shares /= 2) ++unproven;
  return lanes_used * std::pow(kUnproven, unproven) * share_of_short_bodies(multiplying) *
         x_elements * p.tile_narrow / (multiplying * slower + x_loads * load + y_loads + kLoop);
}

}  // namespace

double expected_score(const ParameterPoint& point, const DeviceInfo& device) {
  const Precision arithmetic = arithmetic_precision(point);
  const TypedDevice typed{device,
                          std::max(1, device.native_vector_width / floats_per_sum(arithmetic))};
  const double slower = slower_multiplying(arithmetic, typed);
  if (const auto* gemm = std::get_if<GemmPoint>(&point)) return point_score(*gemm, typed, slower);
  if (const auto* gemv = std::get_if<GemvPoint>(&point)) return point_score(*gemv, typed, slower);
  return 1.0;
}

}  // namespace tilewright
