#include "runtime/check/kernel_check.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <new>
#include <vector>

#include "runtime/call/opencl_error.hpp"
#include "runtime/check/auxiliary_check.hpp"
#include "runtime/check/check_matrices.hpp"
#include "runtime/check/product_check.hpp"

namespace tilewright {
namespace {

std::optional<KernelError> find_error(const Verified& verified) {
  const auto* kernel_error = std::get_if<KernelError>(&verified);
  return kernel_error == nullptr ? std::nullopt : std::optional(*kernel_error);
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
