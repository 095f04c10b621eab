// How much of a product must the busiest compute unit of a device do?
#pragma once

#include <cstddef>
#include <cstdint>

#include "profiles/kernel_model.hpp"
#include "profiles/kernel_record.hpp"

namespace tilewright {

// The work of one kernel. It is counted in whole tiles, all of a group's where it fills local
// memory together; it is at least that of one work-group, however many compute units are idle.
class KernelWork {
 public:
  // The record must outlive this.
  KernelWork(const KernelRecord& kernel, int compute_units);

  // What the parameters of the kernel's model are multiplied by. Extents of at least 1.
  ModelTerms terms(std::int64_t m, std::int64_t n, std::int64_t k) const;
  // C has fewer rows or columns than the vectors of a guarded kernel, which then does without them.
  bool is_narrow(std::int64_t m, std::int64_t n) const;
  // How much longer a multiply-add takes where the kernel does without vectors.
  double slower_when_narrow() const;

 private:
  // Elements of C, in whole tiles.
  struct Elements {
    double fullest_group = 0.0;
    double all = 0.0;
  };
  double depth(std::int64_t k) const;
  Elements tiles(std::int64_t m, std::int64_t n) const;
  double far_bytes(std::int64_t m, std::int64_t n, std::int64_t k) const;
  double narrow_elements(std::int64_t m, std::int64_t n) const;
  double busiest(double fullest_group, double all) const;
  int group_extent(std::size_t dimension) const;
  double group_items() const;
  double element_bytes() const { return static_cast<double>(bytes_of(kernel_->precision)); }
  double launched_items(std::int64_t m, std::int64_t n) const;

  const KernelRecord* kernel_;
  double units_;
};

}  // namespace tilewright
