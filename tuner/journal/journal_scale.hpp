// Compares what two journals have measured.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <vector>

#include "tuner/journal/journal.hpp"

namespace tilewright {

// What a journal has measured of each kernel on a shape.
using Medians = std::map<KernelId, double>;
using ReadMedians = std::function<Medians(const JournalContents&, const GemmShape&)>;

Medians final_medians(const JournalContents& journal, const GemmShape& shape);   // ns
Medians search_medians(const JournalContents& journal, const GemmShape& shape);  // ns

// Factors that convert values of a journal to those of the first one: the median ratio of the
// kernels that both have measured.
class JournalScale {
 public:
  // All factors are 1.
  JournalScale() = default;
  // For each shape the first of the `readers` for which both journals have a kernel counts.
  JournalScale(const JournalContents& first, const JournalContents& other,
               const std::vector<ReadMedians>& readers);

  // False: the journals share no kernel and shape, so that there are no factors.
  bool is_known() const { return overall_ > 0.0; }
  double overall() const { return overall_; }
  // That of all shapes together, if no kernel was measured by both on this one.
  double on(const GemmShape& shape) const;

 private:
  std::vector<GemmShape> shapes_;
  std::map<std::size_t, double> by_shape_;  // by index in shapes_
  double overall_ = 1.0;
};

}  // namespace tilewright
