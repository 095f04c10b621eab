// Determines which auxiliary kernels a product kernel requires.
//
// The supervisor uses this to decide which auxiliary kernels to search for. Matrices are dense (no
// offset, no gaps), as in every measurement. These functions do not access a device.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "codelets/point/parameter_point.hpp"
#include "runtime/call/gemm_problem.hpp"
#include "tuner/journal/journal.hpp"

namespace tilewright {

// Returns the product of dense matrices, without buffers.
GemmProblem dense_problem(Op op, const GemmShape& shape);

// Return the packing that brings operand A or B of `op` into the layout that the kernel reads: a
// pack point with only the required parameters set.
PackPoint pack_requirement_a(const KernelRecord& record, Op op);
PackPoint pack_requirement_b(const KernelRecord& record, Op op);

// Auxiliary kernels by requirement. A requirement is a pack point with only layouts, image and size
// set, or a reduction point with only the precision set.
using Auxiliaries = std::map<ParameterPoint, KernelId>;

// Returns the requirement that an auxiliary kernel meets.
ParameterPoint requirement_of(const ParameterPoint& auxiliary);

// Returns the number of rows, and of columns, of the matrix on which an auxiliary kernel is timed.
// CPUs also time pack kernels for matrices that are not large on one of kMediumMovedExtent rows.
int moved_extent(const ParameterPoint& auxiliary);
// Returns the time of an auxiliary kernel for one element of a square matrix; 0: not measured.
double ns_per_element(const Outcome& pack, int extent);

// Returns the fastest kernel for each requirement, by its time on a matrix of moved_extent() rows.
// Kernels that crashed at any time are not used.
// `packs` are outcomes of task kPacking.
Auxiliaries fastest_auxiliaries(const std::vector<Outcome>& packs);

// Returns the auxiliary kernels that the product kernels require for the op on any of the shapes.
std::set<ParameterPoint> required_packs(const std::vector<KernelId>& kernels, Op op,
                                        const std::vector<GemmShape>& shapes);

// Returns true if an operand is so large that caches do not hold it, so that the pack kernel for
// large matrices packs it.
bool has_large_operand(const GemmShape& shape);
// Returns the same requirement for large matrices.
PackPoint large(PackPoint requirement);

}  // namespace tilewright
