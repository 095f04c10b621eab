// Identifies a kernel by its parameter point.
//
// The point determines the source of a kernel, so the point, or its text, identifies the kernel.
// Text, point and launch facts of a kernel are computed once and shared by all copies of a
// KernelId, also between threads. Journals, workers and commands contain kernels as text, which
// parse_kernel() converts; everything else creates kernels from points.
#pragma once

#include <compare>
#include <memory>
#include <string>
#include <string_view>

#include "codelets/point/parameter_point.hpp"
#include "profiles/kernel_record.hpp"

namespace tilewright {

// A kernel, or none. Several threads may use copies of a KernelId at the same time.
class KernelId {
 public:
  // No kernel; its text is "".
  KernelId() = default;
  explicit KernelId(const ParameterPoint& point);

  bool empty() const { return facts_ == nullptr; }
  const std::string& text() const;
  // These throw std::logic_error if there is no kernel.
  const ParameterPoint& point() const;
  // Returns the kernel's record without its source. It is made at the first call, which may throw
  // like describe().
  const KernelRecord& facts() const;

  friend bool operator==(const KernelId& a, const KernelId& b) {
    return a.facts_ == b.facts_ || a.text() == b.text();
  }
  friend std::strong_ordering operator<=>(const KernelId& a, const KernelId& b) {
    return a.facts_ == b.facts_ ? std::strong_ordering::equal : a.text() <=> b.text();
  }

 private:
  struct Shared;
  const Shared& shared() const;

  std::shared_ptr<const Shared> facts_;
};

// Returns the kernel with this text of a point; "" means no kernel. Throws ParameterError.
KernelId parse_kernel(std::string_view text);

}  // namespace tilewright
