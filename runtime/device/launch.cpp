#include "runtime/device/launch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "profiles/round_up.hpp"

namespace tilewright {
namespace {

// Work-items in whole groups. A group of 0 means that the driver chooses.
std::size_t whole_groups(std::int64_t elements, int tile, int group) {
  return static_cast<std::size_t>(round_up(quotient_up(elements, tile), std::max(group, 1)));
}

}  // namespace

template <class Integer>
KernelLaunch& KernelLaunch::integer(const char* what, Integer value) {
  if (std::in_range<cl_int>(value)) return add(static_cast<cl_int>(value));
  return fail(fmt::format("{} {} does not fit into an int", what, value));
}

KernelLaunch& KernelLaunch::fail(std::string reason) {
  if (failure_.empty()) failure_ = std::move(reason);
  return *this;
}

KernelLaunch& KernelLaunch::extents(std::initializer_list<std::int64_t> values) {
  for (const std::int64_t value : values) integer("an extent", value);
  return *this;
}

KernelLaunch& KernelLaunch::matrix(const MatrixArgument& matrix) {
  return add(matrix.buffer)
      .add(static_cast<cl_ulong>(matrix.offset))
      .integer("a leading dimension", matrix.ld);
}

KernelLaunch& KernelLaunch::applied(const KernelRecord& record,
                                    const std::optional<VectorArgument>& bias,
                                    const ActivationArguments& values) {
  if (record.bias != Dimension::kNone) {
    if (!bias) return fail("the kernel needs a bias, but none is given");
    add(bias->buffer).add(static_cast<cl_ulong>(bias->offset));
  }
  const std::size_t count = describe_activation(record.activation).parameters.size();
  for (std::size_t i = 0; i < count; ++i) add(values[i]);
  return *this;
}

KernelLaunch& KernelLaunch::products(const Distances& batch) {
  products_ = batch.count;
  return add(static_cast<cl_ulong>(batch.a))
      .add(static_cast<cl_ulong>(batch.b))
      .add(static_cast<cl_ulong>(batch.c));
}

namespace {

// Work-items in dimensions 0 and 1 of a kernel with stream_k.
std::array<std::size_t, 2> streaming_size(const KernelRecord& record,
                                          const StreamDivision& division) {
  return {static_cast<std::size_t>(division.groups() * record.work_group[0]),
          static_cast<std::size_t>(record.work_group[1])};
}

}  // namespace

KernelLaunch make_launch(const KernelRecord& record, const GemmProblem& problem) {
  const GemmShape& shape = problem.shape;
  KernelLaunch launch(problem.division ? streaming_size(record, *problem.division)
                                       : global_size(record, shape.m, shape.n));
  launch.extents({shape.m, shape.n, shape.k})
      .scalar(problem.alpha, record.precision)
      .matrix(problem.a)
      .matrix(problem.b)
      .scalar(problem.beta, record.precision)
      .matrix(problem.c)
      .applied(record, problem.bias, problem.arguments);
  if (record.batched) launch.products(problem.batch);
  if ((record.stream_k > 0) != problem.division.has_value()) {
    return launch.fail("only a kernel with stream_k needs a division of the work");
  }
  if (problem.division) {
    const StreamDivision& division = *problem.division;
    launch.matrix(problem.parts)
        .extents({division.direct_tiles_m, division.whole_tiles(), division.sharing_groups,
                  division.num_parts});
  }
  return launch;
}

KernelLaunch make_launch(const KernelRecord& record, const PackProblem& problem) {
  return KernelLaunch(global_size(record, problem.padded_rows, problem.padded_columns))
      .extents({problem.rows, problem.columns, problem.padded_rows, problem.padded_columns})
      .matrix(problem.from)
      .matrix(problem.to);
}

KernelLaunch make_launch(const KernelRecord& record, const ReduceProblem& problem) {
  return KernelLaunch(global_size(record, problem.m, problem.n))
      .extents({problem.m, problem.n, problem.num_parts})
      .scalar(problem.alpha, record.precision)
      .matrix(problem.parts)
      .scalar(problem.beta, record.precision)
      .matrix(problem.c)
      .applied(record, problem.bias, problem.arguments);
}

KernelLaunch make_launch(const KernelRecord& record, const ActivationProblem& problem) {
  return KernelLaunch(global_size(record, problem.padded_m, problem.padded_n))
      .extents({problem.m, problem.n, problem.padded_m, problem.padded_n})
      .matrix(problem.x)
      .matrix(problem.y)
      .applied(record, problem.bias, problem.arguments);
}

KernelLaunch make_launch(const KernelRecord& record, const SoftmaxProblem& problem) {
  return KernelLaunch(global_size(record, problem.padded_m, 1))
      .extents({problem.m, problem.n, problem.padded_m, problem.padded_n})
      .matrix(problem.x)
      .matrix(problem.y);
}

std::array<std::size_t, 2> global_size(const KernelRecord& record, std::int64_t m, std::int64_t n) {
  if (record.id_order == IdOrder::kFlat) {
    return {whole_groups(m * n, record.tile.n, record.work_group[0]), 1};
  }
  const bool nm = record.id_order == IdOrder::kNM;
  return {whole_groups(nm ? n : m, nm ? record.tile.n : record.tile.m, record.work_group[0]),
          whole_groups(nm ? m : n, nm ? record.tile.m : record.tile.n, record.work_group[1])};
}

}  // namespace tilewright
