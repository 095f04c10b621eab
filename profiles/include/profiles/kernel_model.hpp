// Predicts the run time of a kernel on any shape.
//
// The time is a sum of terms with one parameter each. The tuner fits the parameters to the times
// that it measured (docs/search.md).
#pragma once

#include <array>
#include <string>

namespace tilewright {

// Work is counted in multiply-adds of whole tiles. The "busiest unit" is the compute unit with the
// most work.
struct KernelModel {
  std::string kernel;       // name of a kernel of the same profile
  double fixed_ns = 0.0;    // independent of the shape: the launch
  double even_ps = 0.0;     // per multiply-add of the busiest unit, if the work is divided evenly
  double whole_ps = 0.0;    // the same, if a unit runs whole work-groups one after the other
  double group_ps = 0.0;    // per multiply-add of one work-group: latency that nothing else hides
  double element_ps = 0.0;  // per element of C of the busiest unit: start and end of a tile
  double byte_ps = 0.0;     // per byte of A, B and C
  // Per byte that tiles read from an operand larger than 8 MiB. Caches do not keep such an operand,
  // so a byte counts once for each tile that reads it.
  double far_ps = 0.0;
  // CPUs: per step along k that a tile makes from one page of memory to another; 0 on other
  // devices.
  double page_ps = 0.0;
  double narrow_ps = 0.0;  // per multiply-add, if C is narrower than the kernel's vectors
  // Median of |ln(predicted / measured)| over shapes that were left out of the fit; 0: too few
  // shapes.
  double error = 0.0;
  // Multiply-adds of the busiest unit, the maximum over the products of the fit; 0: not known.
  double max_work = 0.0;
  bool operator==(const KernelModel&) const = default;
};

// The parameters, in the order of the text format.
inline constexpr std::array kModelParameters = {
    &KernelModel::fixed_ns, &KernelModel::even_ps,    &KernelModel::whole_ps,
    &KernelModel::group_ps, &KernelModel::element_ps, &KernelModel::byte_ps,
    &KernelModel::far_ps,   &KernelModel::page_ps,    &KernelModel::narrow_ps};

// The factors by which the parameters are multiplied for one shape.
using ModelTerms = std::array<double, kModelParameters.size()>;

// Predicted time in ns.
double predicted_ns(const KernelModel& model, const ModelTerms& terms);

}  // namespace tilewright
