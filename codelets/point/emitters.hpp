// The kernel generators, one for each alternative of ParameterPoint.
//
// Internal to codelets. Each expects a valid point: describe() and emit() check it first.
#pragma once

#include "codelets/point/parameter_point.hpp"
#include "codelets/text/kernel_text.hpp"

namespace tilewright {

// Returns a record with the fields that all generators fill in the same way: the names, and the
// fields that are parameters of the point under the same name.
template <class Point>
KernelRecord make_record(Role role, const Point& point) {
  KernelRecord record;
  record.role = role;
  if constexpr (requires { point.precision; }) record.precision = point.precision;
  record.name = kernel_name(point);
  record.entry = record.name;
  record.point = to_text(ParameterPoint(point));
  if constexpr (requires { point.id_order; }) record.id_order = point.id_order;
  if constexpr (requires { point.work_group_m; }) {
    record.work_group = work_group_shape(record.id_order, point.work_group_m, point.work_group_n);
  }
  if constexpr (requires { point.group_size; }) {
    if (point.group_size == GroupSize::kDriver) record.work_group = {0, 0};
  }
  if constexpr (requires { point.math; }) record.build_options = build_options(point.math);
  if constexpr (requires { point.bias; }) record.bias = point.bias;
  if constexpr (requires { point.activation; }) record.activation = point.activation;
  return record;
}

// Returns the record of a kernel without its source.
KernelRecord describe_kernel(const GemmPoint&);
KernelRecord describe_kernel(const GemvPoint&);
KernelRecord describe_kernel(const PackPoint&);
KernelRecord describe_kernel(const ReducePoint&);
KernelRecord describe_kernel(const ActivationPoint&);
KernelRecord describe_kernel(const SoftmaxPoint&);

// Returns the parts of the kernel's source.
KernelParts write_kernel(const GemmPoint&);
KernelParts write_kernel(const GemvPoint&);
KernelParts write_kernel(const PackPoint&);
KernelParts write_kernel(const ReducePoint&);
KernelParts write_kernel(const ActivationPoint&);
KernelParts write_kernel(const SoftmaxPoint&);

}  // namespace tilewright
