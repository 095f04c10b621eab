// How is a plain copy measured beside kernels that move matrices?
//
// As a pack kernel is: it is loaded, guarded and sampled by the same lines.
#pragma once

#include <optional>
#include <string>
#include <variant>

#include "tuner/measure/launch_job.hpp"
#include "tuner/measure/operand_pool.hpp"

namespace tilewright {

// The copy by vectors of so many floats, as a kernel of a request.
std::string copy_name(int vector_width);
// nullopt: the name is another kernel's.
std::optional<int> copy_width(const std::string& name);
KernelRecord copy_record(int vector_width);

// Copies rows x columns floats, as far as whole work-groups do. A rejection: there is no room.
// Pool and kernel must outlive the job.
std::variant<LaunchJob, Rejection> copy_job(OperandPool& pool, LoadedKernel& kernel,
                                            int vector_width, const GemmShape& shape);

}  // namespace tilewright
