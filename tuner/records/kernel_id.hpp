// Which kernel is meant?
//
// A kernel is what its point is emitted as. So its point says which one it is, and so does the
// point's text, by which it is told from others and ordered. Both are made once, as are its launch
// facts: copies share them, also between threads. Text becomes a kernel where it comes in, from
// journals, workers and commands; all else makes kernels of points.
#pragma once

#include <compare>
#include <memory>
#include <string>
#include <string_view>

#include "codelets/point/parameter_point.hpp"
#include "profiles/kernel_record.hpp"

namespace tilewright {

class KernelId {
 public:
  KernelId() = default;  // no kernel: its text is ""
  explicit KernelId(const ParameterPoint& point);

  bool empty() const { return known_ == nullptr; }
  const std::string& text() const;
  // Only of a kernel; else they throw std::logic_error.
  const ParameterPoint& point() const;
  // The record without its source: thousands of these would be a hundred megabytes. Emitted when it
  // is first asked for; throws as emit().
  const KernelRecord& facts() const;

  friend bool operator==(const KernelId& a, const KernelId& b) {
    return a.known_ == b.known_ || a.text() == b.text();
  }
  friend std::strong_ordering operator<=>(const KernelId& a, const KernelId& b) {
    return a.known_ == b.known_ ? std::strong_ordering::equal : a.text() <=> b.text();
  }

 private:
  struct Known;
  const Known& known() const;

  std::shared_ptr<const Known> known_;
};

// The kernel of a point's text; "" is no kernel. Throws ParameterError.
KernelId parse_kernel(std::string_view text);

}  // namespace tilewright
