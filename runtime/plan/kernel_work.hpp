// Computes the work of the busiest compute unit for a product.
#pragma once

#include <cstddef>
#include <cstdint>

#include "profiles/device_info.hpp"
#include "profiles/kernel_model.hpp"
#include "profiles/kernel_record.hpp"

namespace tilewright {

// The work of one kernel, counted in whole tiles; if work-groups fill local memory together, in
// whole groups. It is at least the work of one work-group, however many compute units are idle.
class KernelWork {
 public:
  // The record must outlive this object. Only CPUs have a term for pages.
  KernelWork(const KernelRecord& kernel, const DeviceIdentity& device);
  KernelWork(const KernelRecord& kernel, int compute_units);

  // The factors of the parameters of the kernel's model. All extents must be at least 1.
  ModelTerms terms(std::int64_t m, std::int64_t n, std::int64_t k) const;
  // True if C has fewer rows or columns than the vectors of a guarded kernel, which then computes
  // it without vectors.
  bool is_narrow(std::int64_t m, std::int64_t n) const;
  // How much longer a multiply-add takes if the kernel computes without vectors.
  double slower_when_narrow() const;

 private:
  // Elements of C in whole tiles.
  struct Elements {
    double fullest_group = 0.0;
    double all = 0.0;
  };
  // The terms of a kernel with stream_k. `bytes_ns` is the term of the bytes of the matrices.
  ModelTerms divided_terms(std::int64_t m, std::int64_t n, std::int64_t k, double bytes_ns) const;
  // Effective number of k steps of one part of k.
  double depth(std::int64_t k) const;
  // Elements of the fullest work-group and of all tiles.
  Elements tiles(std::int64_t m, std::int64_t n) const;
  // Bytes that tiles read from operands that are too large for caches.
  double far_bytes(std::int64_t m, std::int64_t n, std::int64_t k) const;
  // Weighted steps along k of all tiles from one page to another.
  double page_steps(std::int64_t m, std::int64_t n, std::int64_t k) const;
  // Elements of the busiest unit for a narrow C.
  double narrow_elements(std::int64_t m, std::int64_t n) const;
  // Elements of the busiest unit, at least those of the fullest work-group.
  double busiest(double fullest_group, double all) const;
  // Size of a work-group along a dimension, and in work-items.
  int group_extent(std::size_t dimension) const;
  double group_items() const;
  double element_bytes() const {
    return static_cast<double>(bytes_per_element(kernel_->precision));
  }
  // Work-items of a launch.
  double launched_items(std::int64_t m, std::int64_t n) const;

  const KernelRecord* kernel_;
  double units_;
  bool has_pages_ = false;
};

}  // namespace tilewright
