#include "tuner/measure/kernel_job.hpp"

namespace tilewright {
namespace {

// Parts of a C of this extent are as many elements.
constexpr int kTimedParts = 4;
constexpr std::int64_t kTimedPartExtent = 500;

// Of an activation in place, again and again: what it applies to must not shrink to denormals. They
// make sense as slope, slope and shift, low and high.
constexpr ActivationArguments kTimedArguments = {1.0f, 2.0f};

}  // namespace

bool is_product(const KernelRecord& record) {
  return record.role == Role::kGemm || record.role == Role::kGemv;
}

std::variant<LaunchJob, Rejection> job_of(OpenDevice& open, LoadedKernel& kernel,
                                          const GemmShape& shape, std::uint64_t seed) {
  OperandPool& pool = open.pool(seed);
  const KernelRecord& record = kernel.record();
  const auto of = [&](auto make, auto pooled) -> std::variant<LaunchJob, Rejection> {
    if (auto* misfit = std::get_if<Rejection>(&pooled)) return std::move(*misfit);
    return make(open.executor(), open.queue(), kernel, std::move(std::get<0>(pooled)));
  };
  if (is_product(record)) return of(product_job, pool.product(record, shape));
  if (shape.k != 1) return Rejection{Stage::kLimits, record.name + " computes no product"};
  switch (record.role) {
    case Role::kActivation:
      return of(activation_job, pool.activation(record, shape.m, shape.n, kTimedArguments));
    case Role::kSoftmax:
      return of(softmax_job, pool.softmax(record, shape.m, shape.n));
    case Role::kReduce:
      break;
    default:
      return of(packing_job, pool.packing(record, shape.m, shape.n));
  }
  KernelRecord gemm;
  gemm.split_k = kTimedParts;
  return of(reducing_job, pool.reducing(record, gemm, {kTimedPartExtent, kTimedPartExtent, 1}));
}

}  // namespace tilewright
