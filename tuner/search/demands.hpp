// What must be packed before a kernel can serve a product?
//
// Pure: the supervisor decides with it which kernels beside products it needs. Matrices are dense
// (no offset, no gaps), as they are in every measurement.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "codelets/point/parameter_point.hpp"
#include "runtime/call/gemm_problem.hpp"
#include "tuner/records/journal.hpp"

namespace tilewright {

// The product of dense matrices; without buffers.
GemmProblem dense_problem(Op op, const GemmShape& shape);

// What a pack kernel must do to bring an operand of `op` to the kernel: the demanded parameters of
// a point of codelet pack.
PackPoint pack_demand_a(const KernelRecord& record, Op op);
PackPoint pack_demand_b(const KernelRecord& record, Op op);

// The kernels that run beside products, each by what is demanded of it: a point of codelet
// pack with nothing but layouts, image and size, or of codelet reduce with nothing at all.
using Auxiliaries = std::map<ParameterPoint, KernelId>;

// The kernel for each demand: the fastest, where joined journals have several.
Auxiliaries fastest_auxiliaries(const std::vector<PackOutcome>& packs);

// The demands of the kernels, to serve the op on any of the shapes.
std::set<ParameterPoint> demands_of(const std::vector<KernelId>& kernels, Op op,
                                    const std::vector<GemmShape>& shapes);

// Is there a matrix that caches do not hold, so that the pack kernel for large matrices writes it?
bool has_large_operand(const GemmShape& shape);
// The same demand, for large matrices.
PackPoint large(PackPoint demand);

}  // namespace tilewright
