// How long does a kernel take on any shape?
//
// A sum of what costs time, each with one parameter. The tuner fits the parameters to what the
// kernel took on the shapes of its tuning (docs/kernel-model.md).
#pragma once

#include <array>
#include <string>

namespace tilewright {

// Work is counted in multiply-adds, in whole tiles. A compute unit is the busiest if none has more.
struct KernelModel {
  std::string kernel;       // name of a kernel of the same profile
  double fixed_ns = 0.0;    // whatever the shape: the launch
  double even_ps = 0.0;     // per multiply-add of the busiest unit, if units share work evenly
  double whole_ps = 0.0;    // the same, if a unit takes whole work-groups, one after the other
  double group_ps = 0.0;    // per multiply-add of one work-group: what nothing else hides
  double element_ps = 0.0;  // per element of C of the busiest unit: begin and end of a tile
  double byte_ps = 0.0;     // per byte of A, B and C
  // Per byte that tiles read of an operand of more than 8 MiB, which caches do not keep for the
  // next tile.
  double far_ps = 0.0;
  double narrow_ps = 0.0;  // per multiply-add where C is narrower than the kernel's vectors
  // Of shapes that were left out of a fit: the median of |ln(predicted / measured)|. 0: too few.
  double error = 0.0;
  bool operator==(const KernelModel&) const = default;
};

// The parameters, in the order of the text.
inline constexpr std::array kModelParameters = {&KernelModel::fixed_ns,   &KernelModel::even_ps,
                                                &KernelModel::whole_ps,   &KernelModel::group_ps,
                                                &KernelModel::element_ps, &KernelModel::byte_ps,
                                                &KernelModel::far_ps,     &KernelModel::narrow_ps};

// What each parameter is multiplied by on one shape.
using ModelTerms = std::array<double, kModelParameters.size()>;

// In ns.
double predicted_ns(const KernelModel& model, const ModelTerms& terms);

}  // namespace tilewright
