// What must be packed before a kernel can serve a product?
//
// Pure: the supervisor decides with it what to measure, and what packing costs. Matrices are dense
// (no offset, no gaps), as they are in every measurement.
#pragma once

#include <map>
#include <string>

#include "codelets/point/parameter_point.hpp"
#include "runtime/call/gemm_problem.hpp"
#include "runtime/call/storage.hpp"
#include "tuner/records/finals_record.hpp"

namespace tilewright {

// The product of dense matrices; without buffers.
GemmProblem dense_problem(Op op, const GemmShape& shape);

// Does the kernel read this operand of a dense product where it is? Else it must be packed.
bool reads_a_in_place(const KernelRecord& record, Op op, const GemmShape& shape);
bool reads_b_in_place(const KernelRecord& record, Op op, const GemmShape& shape);

// Can the kernel serve the op at this shape at all, packed or not, into a plain C?
bool can_serve(const KernelRecord& record, Op op, const GemmShape& shape);

// The kernels that run beside products, as text, each by what is demanded of it: a point of codelet
// pack with nothing but layouts, image and size, or of codelet reduce with nothing at all.
using Auxiliaries = std::map<ParameterPoint, std::string>;

// What a pack kernel must do to bring an operand of `op` to the kernel: the demanded parameters of
// a point of codelet pack.
PackPoint pack_demand_a(const KernelRecord& record, Op op);
PackPoint pack_demand_b(const KernelRecord& record, Op op);

// What a kernel beside a product goes through: the operand as packed, or all parts.
Storage moved_storage(Finalist::Job job, const KernelRecord& gemm, const GemmShape& shape);

// Do caches not hold it, so that the pack kernel for large matrices writes it?
bool is_large(const Storage& packed);
bool has_large_operand(const GemmShape& shape);
// The same demand, for large matrices.
PackPoint large(PackPoint demand);

}  // namespace tilewright
