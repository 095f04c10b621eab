#include "tuner/search/ways.hpp"

#include <algorithm>

#include "profiles/profile.hpp"

namespace tilewright {

GemmProblem dense_problem(Op op, const GemmShape& shape) {
  const bool at = layout_a_of(op) == Layout::C();
  const bool bt = layout_b_of(op) == Layout::C();
  GemmProblem problem;
  problem.op = op;
  problem.shape = shape;
  problem.a.ld = static_cast<std::size_t>(at ? shape.m : shape.k);
  problem.b.ld = static_cast<std::size_t>(bt ? shape.k : shape.n);
  problem.c.ld = static_cast<std::size_t>(shape.n);
  return problem;
}

bool reads_a_in_place(const KernelRecord& record, Op op, const GemmShape& shape) {
  return takes_a(record, dense_problem(op, shape));
}

bool reads_b_in_place(const KernelRecord& record, Op op, const GemmShape& shape) {
  return takes_b(record, dense_problem(op, shape));
}

bool can_serve(const KernelRecord& record, Op op, const GemmShape& shape) {
  return serves(record, shape) && takes_c(record, dense_problem(op, shape));
}

PackPoint pack_demand_a(const KernelRecord& record, Op op) {
  PackPoint point;
  point.from = layout_a_of(op);
  point.to = record.layout_a;
  point.image = record.images.a;
  return point;
}

PackPoint pack_demand_b(const KernelRecord& record, Op op) {
  PackPoint point;
  point.from = layout_b_of(op);
  point.to = record.layout_b.value_or(Layout::R());
  point.image = record.images.b;
  return point;
}

Storage moved_storage(Finalist::Job job, const KernelRecord& gemm, const GemmShape& shape) {
  switch (job) {
    case Finalist::Job::kPackA:
      return storage_a(gemm, shape);
    case Finalist::Job::kPackB:
      return storage_b(gemm, shape);
    case Finalist::Job::kReduce:
      return storage_parts(gemm, shape);
    case Finalist::Job::kProduct:
      break;
  }
  return {};
}

bool is_large(const Storage& packed) {
  return static_cast<std::int64_t>(packed.elements) >= kLargeMovedElements;
}

bool has_large_operand(const GemmShape& shape) {
  return std::max(shape.m, shape.n) * shape.k >= kLargeMovedElements;
}

PackPoint large(PackPoint demand) {
  demand.large = true;
  return demand;
}

}  // namespace tilewright
