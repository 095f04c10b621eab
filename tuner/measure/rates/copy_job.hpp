// Measures a plain copy kernel in the same way as pack kernels.
//
// `tilewright bench` compares pack kernels with this copy. The copy is loaded, limited by the
// dispatch guard and sampled by the same code as a pack kernel.
#pragma once

#include <optional>
#include <string>
#include <variant>

#include "tuner/measure/launch_job.hpp"
#include "tuner/measure/operand_pool.hpp"

namespace tilewright {

// Returns the name by which a measure request refers to the copy kernel of this vector width.
std::string copy_name(int vector_width);
// Returns the vector width of the copy kernel with that name; nullopt if the name belongs to
// another kernel.
std::optional<int> copy_width(const std::string& name);
// Returns the copy kernel as the record of a pack kernel.
KernelRecord copy_record(int vector_width);

// Creates a job that copies shape.m x shape.n floats, rounded down to whole work-groups (at least
// one). Returns a KernelError if the matrices do not fit in device memory. Pool and kernel must
// outlive the job.
std::variant<LaunchJob, KernelError> copy_job(OperandPool& pool, LoadedKernel& kernel,
                                              int vector_width, const GemmShape& shape);

}  // namespace tilewright
