#include "runtime/plan/kernel_work.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "profiles/round_up.hpp"
#include "runtime/call/stream_division.hpp"
#include "runtime/device/executor.hpp"

namespace tilewright {
namespace {

constexpr double kNsPerPs = 1e-3;

bool reads_in_place(const Layout& layout, bool image) {
  return layout.is_plain() && !image;
}

}  // namespace

KernelWork::KernelWork(const KernelRecord& kernel, int compute_units)
    : kernel_(&kernel), units_(std::max(compute_units, 1)) {}

KernelWork::KernelWork(const KernelRecord& kernel, const DeviceIdentity& device)
    : KernelWork(kernel, device.compute_units) {
  has_pages_ = !device.processor.empty();
}

ModelTerms KernelWork::terms(std::int64_t m, std::int64_t n, std::int64_t k) const {
  const double rows = static_cast<double>(m);
  const double columns = static_cast<double>(n);
  const double deep = static_cast<double>(k);
  const double bytes = element_bytes() * (rows * deep + deep * columns + rows * columns);
  if (is_narrow(m, n)) {
    const double steps = deep / kernel_->split_k;
    return {1.0, 0.0, 0.0,
            0.0, 0.0, kNsPerPs * bytes,
            0.0, 0.0, kNsPerPs * narrow_elements(m, n) * steps};
  }
  if (kernel_->stream_k > 0) return divided_terms(m, n, k, kNsPerPs * bytes);
  const Elements elements = tiles(m, n);
  const double even = busiest(elements.fullest_group, elements.all);
  const double groups = launched_items(m, n) * kernel_->split_k / group_items();
  const double whole = std::ceil(groups / units_) * elements.fullest_group;
  const double steps = kNsPerPs * depth(k);
  return {1.0,
          even * steps,
          whole * steps,
          elements.fullest_group * steps,
          kNsPerPs * even,
          kNsPerPs * bytes,
          kNsPerPs * far_bytes(m, n, k),
          kNsPerPs * page_steps(m, n, k) / units_,
          0.0};
}

// A unit computes stream_k tiles at the same time, and shares of tiles as soon as one is finished.
ModelTerms KernelWork::divided_terms(std::int64_t m, std::int64_t n, std::int64_t k,
                                     double bytes_ns) const {
  const StreamDivision division = divide_for_units(*kernel_, {m, n, k}, static_cast<int>(units_));
  const PartialProducts parts = partial_products(division);
  const Elements elements = tiles(m, n);
  const double share = division.share();
  const double waves = division.waves + share;
  const double stored = elements.all + static_cast<double>((m - parts.first_row) * n * parts.count);
  const double steps = kNsPerPs * depth(k);
  const auto per_unit = [&](std::int64_t groups) {
    return std::ceil(static_cast<double>(groups) / units_);
  };
  // Without shared tiles, the last wave keeps each unit busy with as few tiles as possible.
  const bool divides = division.shared_tiles() > 0;
  const double whole =
      divides ? division.waves * kernel_->stream_k + share * per_unit(division.sharing_groups)
              : per_unit(division.whole_tiles());
  const double even = divides ? std::max(elements.all / units_, waves * elements.fullest_group)
                              : busiest(elements.fullest_group, elements.all);
  return {1.0,
          even * steps,
          whole * elements.fullest_group * steps,
          std::min(waves, 1.0) * elements.fullest_group * steps,
          kNsPerPs * stored / units_,
          bytes_ns,
          kNsPerPs * far_bytes(m, n, k),
          kNsPerPs * page_steps(m, n, k) / units_,
          0.0};
}

double KernelWork::far_bytes(std::int64_t m, std::int64_t n, std::int64_t k) const {
  constexpr double kKept = double{8 << 20};
  const double deep = element_bytes() * static_cast<double>(k);
  const double a = deep * static_cast<double>(m);
  const double b = deep * static_cast<double>(n);
  const auto rows = static_cast<double>(quotient_up(m, kernel_->tile.m));
  const auto columns = static_cast<double>(quotient_up(n, kernel_->tile.n));
  return (a > kKept ? a * columns : 0.0) + (b > kKept ? b * rows : 0.0);
}

// If an operand is contiguous along the other dimension, each step along k leads to another line,
// and if the lines are at least a page apart, to another page: the processor translates another
// address, and does not prefetch. From caches that are too small for the operand, the wait is
// longer. The factors are measured (docs/lessons.md, "Models and plans").
double KernelWork::page_steps(std::int64_t m, std::int64_t n, std::int64_t k) const {
  constexpr double kPageBytes = 4096.0;
  constexpr double kKept = double{16 << 20};
  constexpr double kNotKept = 3.0;
  constexpr double kOfB = 0.5;  // B is read in vectors, A element by element
  if (!has_pages_) return 0.0;
  const auto steps = [&](std::int64_t extent) {
    const double line = element_bytes() * static_cast<double>(extent);
    const double bytes = line * static_cast<double>(k);
    return std::min(line / kPageBytes, 1.0) * (bytes > kKept ? kNotKept : 1.0);
  };
  const bool walks_a =
      kernel_->layout_a == Layout::C() && reads_in_place(kernel_->layout_a, kernel_->images.a);
  const bool walks_b =
      kernel_->layout_b == Layout::R() && reads_in_place(*kernel_->layout_b, kernel_->images.b);
  const std::int64_t tiles = quotient_up(m, kernel_->tile.m) * quotient_up(n, kernel_->tile.n);
  return static_cast<double>(tiles * k) *
         ((walks_a ? steps(m) : 0.0) + (walks_b ? kOfB * steps(n) : 0.0));
}

// Effective number of k steps of one part. If the loop multiplies vectors along k, the steps after
// the last whole iteration are done one at a time.
double KernelWork::depth(std::int64_t k) const {
  const bool in_place = reads_in_place(kernel_->layout_a, kernel_->images.a) ||
                        reads_in_place(*kernel_->layout_b, kernel_->images.b);
  if (kernel_->iteration_k == 1 || !in_place || kernel_->edges != Edges::kGuarded) {
    return static_cast<double>(k) / kernel_->split_k;
  }
  const std::int64_t part = quotient_up(k, kernel_->split_k);
  const std::int64_t single = part % kernel_->iteration_k;
  return static_cast<double>(part - single + single * kernel_->vector_width);
}

// Without vectors, each multiply-add waits for the previous one, about four cycles on most
// processors. Of the work-items that share k, only one works.
double KernelWork::slower_when_narrow() const {
  return 4.0 * kernel_->vector_width * kernel_->work_group_k;
}

bool KernelWork::is_narrow(std::int64_t m, std::int64_t n) const {
  if (kernel_->role != Role::kGemm || kernel_->edges != Edges::kGuarded) return false;
  // Vectors run along the contiguous direction of a matrix, or as in the kernel's local memory.
  // Vectors of C run along n, unless the kernel multiplies vectors along k.
  const bool outer = kernel_->iteration_k == 1;
  const bool staged = outer && kernel_->local_bytes > 0 && kernel_->work_group_k == 1;
  const bool along_m = staged || kernel_->layout_a == Layout::C();
  const bool along_n = outer || kernel_->layout_b == Layout::R();
  return (along_m && reads_in_place(kernel_->layout_a, kernel_->images.a) &&
          m < std::gcd(kernel_->tile.m, kernel_->vector_width)) ||
         (along_n && reads_in_place(*kernel_->layout_b, kernel_->images.b) &&
          n < std::gcd(kernel_->tile.n, kernel_->vector_width));
}

// A unit executes whole work-groups, so a single work-group keeps only one unit busy, however many
// units there are.
KernelWork::Elements KernelWork::tiles(std::int64_t m, std::int64_t n) const {
  const double elements = static_cast<double>(kernel_->tile.m) * kernel_->tile.n;
  if (kernel_->role != Role::kGemm || kernel_->local_bytes > 0) {
    // Work-items outside of C take part in the common work of the group.
    return {group_items() * elements, launched_items(m, n) * elements};
  }
  // Work-items outside of C return at once.
  const bool nm = kernel_->id_order == IdOrder::kNM;
  const std::int64_t rows = quotient_up(m, kernel_->tile.m);
  const std::int64_t columns = quotient_up(n, kernel_->tile.n);
  const auto in_group = std::min<std::int64_t>(rows, group_extent(nm ? 1 : 0)) *
                        std::min<std::int64_t>(columns, group_extent(nm ? 0 : 1));
  return {static_cast<double>(in_group) * elements,
          static_cast<double>(rows) * static_cast<double>(columns) * elements};
}

// Elements of the busiest unit for a narrow C, whose elements are divided among the work-items of
// the launch.
double KernelWork::narrow_elements(std::int64_t m, std::int64_t n) const {
  const double items = launched_items(m, n);
  const double elements = std::ceil(static_cast<double>(m) * static_cast<double>(n) / items);
  return busiest(group_items(), items) * elements;
}

double KernelWork::busiest(double fullest_group, double all) const {
  return std::max(fullest_group, all * kernel_->split_k / units_);
}

// If the driver chooses the size, it is unknown; one work-item is the minimum.
int KernelWork::group_extent(std::size_t dimension) const {
  return std::max(kernel_->work_group[dimension], 1);
}

double KernelWork::group_items() const {
  return static_cast<double>(group_extent(0)) * group_extent(1);
}

double KernelWork::launched_items(std::int64_t m, std::int64_t n) const {
  const auto global = global_size(*kernel_, m, n);
  return static_cast<double>(global[0]) * static_cast<double>(global[1]);
}

}  // namespace tilewright
