#include "runtime/check/kernel_check.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <new>
#include <numeric>
#include <random>
#include <vector>

#include "profiles/round_up.hpp"
#include "runtime/call/epilogue.hpp"
#include "runtime/call/opencl_error.hpp"
#include "runtime/check/check_extents.hpp"
#include "runtime/check/check_matrices.hpp"
#include "runtime/check/layer_check.hpp"
#include "runtime/check/product_check.hpp"

namespace tilewright {
namespace {

constexpr int kParts = 5;  // number of parts for a reduce kernel

// Multiples for whole chunks and tiles of a pack kernel.
CheckExtents whole_tiles(const KernelRecord& record, const Layout& layout) {
  const std::int64_t aligned = record.alignment;
  return {std::lcm(aligned, std::lcm<std::int64_t>(record.multiples.m, layout.chunk_rows())),
          std::lcm(aligned, std::lcm<std::int64_t>(record.multiples.n, layout.chunk_columns()))};
}

// A storage with room for rows x columns elements and padding.
Storage padded_storage(const KernelRecord& record, const Layout& layout, bool image,
                       std::int64_t rows, std::int64_t columns) {
  const CheckExtents whole = whole_tiles(record, layout);
  return whole_chunks(layout, image, round_up(rows + 1, whole.m), round_up(columns + 1, whole.n),
                      record.precision);
}

// Extents for pack and reduce kernels that are small, regardless of the work-group.
constexpr CheckExtents kSmall{37, 53};

// Extents of a matrix that, including its padding, needs the work-groups of check_extents(): at
// least one row and column, and multiples of the alignment.
CheckExtents packed_groups(const KernelRecord& record) {
  const std::int64_t aligned = record.alignment;
  CheckExtents extents = check_extents(record, whole_tiles(record, record.layout_c));
  extents.m = std::max(aligned, (extents.m - 1) / aligned * aligned);
  extents.n = std::max(aligned, (extents.n - 1) / aligned * aligned);
  return extents;
}

std::optional<KernelError> find_error(const Verified& verified) {
  const auto* kernel_error = std::get_if<KernelError>(&verified);
  return kernel_error == nullptr ? std::nullopt : std::optional(*kernel_error);
}

std::optional<KernelError> check_pack(const Executor& executor, const cl::CommandQueue& queue,
                                      LoadedKernel& kernel, CheckExtents extents, bool on_lines) {
  const KernelRecord& record = kernel.record();
  const std::int64_t rows = round_up(extents.m, record.alignment);
  const std::int64_t columns = round_up(extents.n, record.alignment);
  std::mt19937 random(1);
  const HostOperand matrix = random_matrix(rows, columns, random, record.precision);
  const Storage from = padded_storage(record, record.layout_a, false, rows, columns);
  const DeviceMatrix source =
      upload_surrounded(executor.context(), from, rows, columns, matrix, record);
  const Storage to = padded_storage(record, record.layout_c, record.images.c, rows, columns);
  ResultMatrix result(executor.context(), to, to.rows, to.columns, untouched_elements(),
                      on_lines ? on_cache_lines(to) : placement_for(record));
  const PackProblem problem{rows,       columns,           to.rows,
                            to.columns, source.argument(), result.argument()};
  const Launched launched = executor.launch(queue, kernel, problem, {});
  if (auto kernel_error = result.read(queue, record.name, launched)) return kernel_error;
  const auto expected = [&](std::int64_t i, std::int64_t j) {  // copies are exact
    const bool inside = i < rows && j < columns;
    return ProductElement{inside ? element_reader(matrix)(i, j) : 0.0};
  };
  const auto got = [&](std::int64_t i, std::int64_t j) { return result.at(i, j); };
  const Verified verified = compare(record.name, to.rows, to.columns, got, expected);
  if (auto kernel_error = find_error(verified)) return kernel_error;
  if (result.only_within(to.rows, to.columns)) return std::nullopt;
  return wrote_outside(record.name);
}

std::optional<KernelError> check_packs(const Executor& executor, const cl::CommandQueue& queue,
                                       LoadedKernel& kernel) {
  for (const CheckExtents extents : {kSmall, packed_groups(kernel.record())}) {
    for (const bool on_lines : {false, true}) {
      if (auto kernel_error = check_pack(executor, queue, kernel, extents, on_lines))
        return kernel_error;
    }
  }
  return std::nullopt;
}

// A sum of parts is a product of a row of ones and a matrix with one row for each part.
std::vector<ProductElement> add_parts(const HostOperand& parts, double alpha, double beta,
                                      const HostOperand& c, Precision precision) {
  const HostOperand ones{std::vector<double>(kParts, 1.0), 0, kParts};
  const auto elements = static_cast<std::int64_t>(c.data.size());
  const HostOperand terms{parts.data, 0, c.data.size()};
  return host_product_row(Op::kNN, {1, elements, kParts}, alpha, ones, terms, beta, c, 0, 0,
                          elements, precision);
}

std::optional<KernelError> check_sum(const Executor& executor, const cl::CommandQueue& queue,
                                     LoadedKernel& kernel, CheckExtents extents, double alpha,
                                     double beta) {
  const KernelRecord& record = kernel.record();
  const std::int64_t rows = extents.m;
  const std::int64_t columns = round_up(extents.n, record.alignment);
  const Precision sums = sum_precision(record.precision);
  const auto plain = [&](std::int64_t lines, Precision precision) {
    return Storage{Layout::R(), false,    lines, columns, static_cast<std::size_t>(columns),
                   0,           precision};
  };
  std::mt19937 random(1);
  const HostOperand in = random_matrix(rows * kParts, columns, random, sums);
  const HostOperand c = random_matrix(rows, columns, random, record.precision);
  const DeviceMatrix parts = upload_surrounded(executor.context(), plain(rows * kParts, sums),
                                               rows * kParts, columns, in, record);
  ResultMatrix result(executor.context(), plain(rows, record.precision), rows, columns,
                      beta == 0.0 ? untouched_elements() : element_reader(c),
                      placement_for(record));
  const BiasAndArguments given(executor.context(), record, rows, columns);
  const ReduceProblem problem{
      rows,         columns,          kParts, alpha, beta, parts.argument(), result.argument(),
      given.bias(), given.arguments()};
  const Launched launched = executor.launch(queue, kernel, problem, {});
  if (auto kernel_error = result.read(queue, record.name, launched)) return kernel_error;
  const std::vector<ProductElement> right = add_parts(in, alpha, beta, c, sums);
  const auto expected = [&](std::int64_t i, std::int64_t j) {
    return given.applied(record, right[static_cast<std::size_t>(i * columns + j)], i, j);
  };
  const auto got = [&](std::int64_t i, std::int64_t j) { return result.at(i, j); };
  const Verified verified = compare(record.name, rows, columns, got, expected);
  if (auto kernel_error = find_error(verified)) return kernel_error;
  if (result.only_within(rows, columns)) return std::nullopt;
  return wrote_outside(record.name);
}

std::optional<KernelError> check_reduce(const Executor& executor, const cl::CommandQueue& queue,
                                        LoadedKernel& kernel) {
  const CheckExtents groups = check_extents(kernel.record(), {1, kernel.record().alignment});
  for (const CheckExtents extents : {kSmall, groups}) {
    if (auto kernel_error = check_sum(executor, queue, kernel, extents, 1.25, 0.0))
      return kernel_error;
  }
  // A layer of a network overwrites its results, so a kernel with a bias or an activation never
  // reads C.
  if (!implements_epilogue(kernel.record(), {})) return std::nullopt;
  return check_sum(executor, queue, kernel, kSmall, -1.5, 0.75);
}

std::optional<KernelError> check_auxiliary(const Executor& executor, const cl::CommandQueue& queue,
                                           LoadedKernel& kernel) {
  switch (kernel.record().role) {
    case Role::kPack:
      return check_packs(executor, queue, kernel);
    case Role::kReduce:
      return check_reduce(executor, queue, kernel);
    case Role::kActivation:
      return check_activation(executor, queue, kernel);
    case Role::kSoftmax:
      return check_softmax(executor, queue, kernel);
    case Role::kGemm:
    case Role::kGemv:
    case Role::kStep:
      break;
  }
  return std::nullopt;
}

// Returns the largest error over all cases, or the first error that was found. `shared` may be
// null.
Verified check_products(const Executor& executor, const cl::CommandQueue& queue,
                        LoadedKernel& kernel, const std::vector<ProductCase>& cases,
                        Products* shared) {
  double worst = 0.0;
  for (const ProductCase& test : cases) {
    const Precision precision = kernel.record().precision;
    Verified verified =
        shared != nullptr
            ? check_product(executor, queue, kernel, test, shared->get(test, precision))
            : check_product(executor, queue, kernel, test, make_product(test, precision));
    if (std::holds_alternative<KernelError>(verified)) return verified;
    worst = std::max(worst, std::get<double>(verified));
  }
  return worst;
}

constexpr std::int64_t kAnyK = std::numeric_limits<std::int64_t>::max();
// Maximum k for candidates. The tuner verifies hundreds of kernels. The awkward shapes include
// products with large k, which are computed only once. Larger k take seconds if the host emulates
// the sums of doubles.
constexpr std::int64_t kMaxDepthOfCandidates = 4200;

// Products with k above `max_k` are left out.
Verified first_use(const Executor& executor, const cl::CommandQueue& queue, LoadedKernel& kernel,
                   std::int64_t max_k) {
  const KernelRecord& record = kernel.record();
  if (is_product(record.role)) {
    std::vector<ProductCase> cases = first_use_cases(record);
    std::erase_if(cases, [&](const ProductCase& test) { return test.shape.k > max_k; });
    return check_products(executor, queue, kernel, cases, nullptr);
  }
  if (auto kernel_error = check_auxiliary(executor, queue, kernel)) return *kernel_error;
  return 0.0;
}

template <class Check>
Verified without_exceptions(const Check& check) {
  try {
    return check();
  } catch (const Error& error) {
    return KernelError{FailureKind::kLaunch, error.what(), error.opencl_code()};
  } catch (const std::bad_alloc&) {
    // A damaged record may require matrices of any size.
    return KernelError{FailureKind::kLimits, "verifying it needs more memory than the host has"};
  }
}

}  // namespace

std::optional<KernelError> check_kernel(const Executor& executor, const cl::CommandQueue& queue,
                                        LoadedKernel& kernel) {
  return find_error(without_exceptions([&] { return first_use(executor, queue, kernel, kAnyK); }));
}

Verified KernelVerifier::verify(const Executor& executor, const cl::CommandQueue& queue,
                                LoadedKernel& kernel) {
  return without_exceptions([&]() -> Verified {
    const KernelRecord& record = kernel.record();
    if (!is_product(record.role)) return first_use(executor, queue, kernel, kAnyK);
    Verified awkward =
        check_products(executor, queue, kernel, awkward_cases(record, shapes_), &products_);
    if (std::holds_alternative<KernelError>(awkward)) return awkward;
    Verified first = first_use(executor, queue, kernel, kMaxDepthOfCandidates);
    if (std::holds_alternative<KernelError>(first)) return first;
    return std::max(std::get<double>(awkward), std::get<double>(first));
  });
}

}  // namespace tilewright
