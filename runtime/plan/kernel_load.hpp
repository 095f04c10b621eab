// How much of a product must the busiest compute unit of a device do?
#pragma once

#include <cstdint>

#include "profiles/kernel_record.hpp"

namespace tilewright {

// How a kernel meets a product.
struct KernelLoad {
  // C has fewer rows or columns than the vectors of a guarded kernel, which then does without them.
  bool narrow = false;
  // Multiply-adds that the busiest compute unit does; those that take as long as a vector's count
  // as many.
  double work = 0.0;
};

// The loads of one kernel. Work is counted in whole tiles, all of a group's where it fills local
// memory together; it is at least that of one work-group, however many compute units are idle.
class KernelLoads {
 public:
  // The record must outlive this.
  KernelLoads(const KernelRecord& kernel, int compute_units);

  // Extents of at least 1.
  KernelLoad of(std::int64_t m, std::int64_t n, std::int64_t k) const;
  // How much longer a multiply-add takes where the kernel does without vectors.
  double slower_when_narrow() const;

 private:
  bool is_narrow(std::int64_t m, std::int64_t n) const;
  double depth(std::int64_t k) const;
  double tiles(std::int64_t m, std::int64_t n) const;
  double elements(std::int64_t m, std::int64_t n) const;
  double busiest(double fullest_group, double all) const;
  double group_items() const;
  double launched_items(std::int64_t m, std::int64_t n) const;

  const KernelRecord* kernel_;
  double units_;
};

}  // namespace tilewright
