#include "runtime/check/kernel_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include "runtime/call/opencl_error.hpp"

namespace tilewright {
namespace {

// The problem of two products that are halves of `whole`.
GemmProblem in_halves(GemmProblem whole, const KernelRecord& record, CheckBatch batch) {
  if (batch == CheckBatch::kNone) return whole;
  const bool along_m = batch == CheckBatch::kAlongM;
  const std::int64_t half = (along_m ? whole.shape.m : whole.shape.n) /= 2;
  const auto distance = [&](const MatrixArgument& matrix, const Layout& layout) {
    const bool by_lines = layout == (along_m ? Layout::R() : Layout::C());
    return static_cast<std::size_t>(half) * (by_lines ? matrix.ld : 1);
  };
  whole.batch = {2, along_m ? distance(whole.a, record.layout_a) : 0,
                 along_m ? 0 : distance(whole.b, *record.layout_b),
                 distance(whole.c, record.layout_c)};
  return whole;
}

// The division for a device that runs so few work-groups at a time that small products have shared
// tiles: if possible, also whole ones, and parts that do not end with their tile.
std::optional<StreamDivision> checked_division(const KernelRecord& record, const GemmShape& shape) {
  if (record.stream_k == 0) return std::nullopt;
  constexpr std::int64_t kMaxCaseGroups = 64;  // no more cases with more work-groups
  const std::int64_t tiles = undivided(record, shape).whole_tiles();
  StreamDivision best = divide(record, shape, 1 + 2 * std::int64_t{record.stream_k});
  int best_cases = 0;
  for (std::int64_t groups = 2; groups < std::min(tiles, kMaxCaseGroups); ++groups) {
    const StreamDivision division = divide(record, shape, groups);
    if (division.shared_tiles() == 0) continue;
    const bool crosses = division.sharing_groups < division.shared_tiles() * division.num_parts;
    const int cases = 1 + int{division.direct_tiles_m > 0} + int{crosses};
    if (cases > best_cases) {
      best = division;
      best_cases = cases;
    }
  }
  return best;
}

std::string case_name(const KernelRecord& record, const CheckCase& test) {
  const std::string name = fmt::format("{} on {}", record.name, to_text(test.shape));
  if (record.epilogue == Epilogue::kNone) return name;
  return fmt::format("{} with alpha = {}, beta = {}", name, test.alpha, test.beta);
}

// The matrices of a case on the device. Keeps references to the arguments of its constructor.
class CaseRun {
 public:
  CaseRun(const cl::Context& context, const KernelRecord& record, const CheckCase& test,
          const CaseData& data);

  Launched launch(const Executor& executor, const cl::CommandQueue& queue,
                  LoadedKernel& kernel) const;
  // Waits, reads what the kernel wrote, and compares it. `name` is used in messages.
  Verified check(const cl::CommandQueue& queue, const std::string& name, const Launched& launched);

 private:
  bool is_split() const { return record_.split_k > 1; }
  Storage storage_of_a() const;
  Storage storage_of_c() const;
  DeviceMatrix upload_operand(const Storage& storage, const ElementReader& element) const;
  MatrixArgument a() const { return test_.in_place ? result_.argument() : a_.argument(); }
  GemmProblem product() const;
  // Element (i, j) of the result, with the sum of its parts, and what it should be.
  double got(std::int64_t i, std::int64_t j) const;
  ProductElement expected(std::int64_t i, std::int64_t j) const;

  const cl::Context& context_;
  const KernelRecord& record_;
  const CheckCase& test_;
  const CaseData& data_;
  const ElementReader x_;      // A, parts or X
  const ElementReader old_c_;  // read if beta is not 0
  const std::optional<StreamDivision> division_;
  const PartialProducts parts_;  // that a reduce kernel would add up
  const std::int64_t part_rows_;
  const Storage storage_;  // of the result, or of the parts of a split k
  const BiasAndArguments given_;
  ResultMatrix result_;
  std::optional<ResultMatrix> shared_;  // the parts of shared tiles
  DeviceMatrix a_;                      // unless in place
  DeviceMatrix b_;                      // of a product
};

CaseRun::CaseRun(const cl::Context& context, const KernelRecord& record, const CheckCase& test,
                 const CaseData& data)
    : context_(context),
      record_(record),
      test_(test),
      data_(data),
      // Only kernels of products may read padding.
      x_(is_product(record.role) ? element_reader(data.a, test.shape.k)
                                 : element_reader(data.a, test.shape.n, surrounding_nan())),
      old_c_(element_reader(data.c, test.shape.n)),
      division_(checked_division(record, test.shape)),
      parts_(division_ ? partial_products(*division_)
                       : PartialProducts{0, is_split() ? record.split_k : 0}),
      part_rows_(test.shape.m - parts_.first_row),
      storage_(storage_of_c()),
      given_(context, record, test.shape.m, test.shape.n),
      // Without beta, C is never read: its NaN must not reach the result.
      result_(context, storage_,
              test.in_place      ? x_
              : test.beta == 0.0 ? untouched_elements()
                                 : old_c_,
              result_placement(record, test.placement, storage_)) {
  if (division_) {
    shared_.emplace(context, storage_parts(record, test.shape, parts_), untouched_elements(),
                    operand_placement(record, CheckPlacement::kAligned));
  }
  if (!test.in_place) a_ = upload_operand(storage_of_a(), x_);
  if (!is_product(record.role)) return;
  b_ = upload_operand(storage_b(record, test.shape), element_reader(data.b, test.shape.n));
}

Storage CaseRun::storage_of_a() const {
  if (is_product(record_.role)) return storage_a(record_, test_.shape);
  const bool adds = record_.role == Role::kReduce;
  return whole_chunks(record_.layout_a, false, test_.shape.k * test_.padded.m, test_.padded.n,
                      adds ? sum_precision(record_.precision) : record_.precision);
}

Storage CaseRun::storage_of_c() const {
  if (is_split()) return storage_parts(record_, test_.shape, parts_);
  if (is_product(record_.role)) return storage_c(record_, test_.shape);
  return whole_chunks(record_.layout_c, record_.images.c, test_.padded.m, test_.padded.n,
                      record_.precision);
}

DeviceMatrix CaseRun::upload_operand(const Storage& storage, const ElementReader& element) const {
  return upload(context_, storage,
                lay_out(storage, storage.rows, storage.columns, element,
                        operand_placement(record_, test_.placement), surrounding_nan()));
}

GemmProblem CaseRun::product() const {
  GemmProblem problem;
  problem.op = op_from_layouts(record_.layout_a, *record_.layout_b);
  problem.shape = test_.shape;
  problem.alpha = is_split() ? 1.0 : test_.alpha;
  problem.beta = test_.beta;
  problem.a = a();
  problem.b = b_.argument();
  problem.c = result_.argument();
  problem.bias = given_.bias();
  problem.arguments = given_.arguments();
  problem.division = division_;
  if (shared_) problem.parts = shared_->argument();
  problem.precision = record_.precision;
  return in_halves(problem, record_, test_.batch);
}

Launched CaseRun::launch(const Executor& executor, const cl::CommandQueue& queue,
                         LoadedKernel& kernel) const {
  const auto& [m, n, k] = test_.shape;
  const MatrixArgument y = result_.argument();
  const auto enqueue = [&](const auto& problem) {
    return executor.launch(queue, kernel, problem, {});
  };
  switch (record_.role) {
    case Role::kPack:
      return enqueue(PackProblem{m, n, storage_.rows, storage_.columns, a(), y});
    case Role::kReduce:
      return enqueue(ReduceProblem{m, n, k, test_.alpha, test_.beta, a(), y, given_.bias(),
                                   given_.arguments()});
    case Role::kActivation:
      return enqueue(ActivationProblem{m, n, storage_.rows, storage_.columns, a(), y, given_.bias(),
                                       given_.arguments()});
    case Role::kSoftmax:
      return enqueue(SoftmaxProblem{m, n, storage_.rows, storage_.columns, a(), y});
    default:
      return enqueue(product());
  }
}

double CaseRun::got(std::int64_t i, std::int64_t j) const {
  if (parts_.count == 0 || i < parts_.first_row) return result_.at(i, j);
  const ResultMatrix& stored = shared_ ? *shared_ : result_;
  double sum = 0.0;
  for (int part = 0; part < parts_.count; ++part) {
    sum += stored.at(part * part_rows_ + i - parts_.first_row, j);
  }
  return test_.alpha * sum + (test_.beta == 0.0 ? 0.0 : test_.beta * old_c_(i, j));
}

ProductElement CaseRun::expected(std::int64_t i, std::int64_t j) const {
  const GemmShape& shape = test_.shape;
  if (i >= shape.m || j >= shape.n) return {};  // padding
  const ProductElement& element = data_.expected[static_cast<std::size_t>(i * shape.n + j)];
  if (record_.role == Role::kPack || record_.role == Role::kSoftmax) return element;
  const int half_sums = test_.data == CheckData::kWhole ? 0 : record_.accumulate_k;
  return given_.applied(record_, with_half_sums(element, half_sums, shape.k, test_.alpha), i, j);
}

Verified CaseRun::check(const cl::CommandQueue& queue, const std::string& name,
                        const Launched& launched) {
  if (auto kernel_error = result_.read(queue, name, launched)) return *kernel_error;
  if (shared_) {
    if (auto kernel_error = shared_->read(queue, name, launched)) return *kernel_error;
  }
  // The padding of a product's C may contain anything, that of Y is zero.
  const bool product = is_product(record_.role);
  Verified verified = compare(
      name, product ? test_.shape.m : storage_.rows, product ? test_.shape.n : storage_.columns,
      [&](std::int64_t i, std::int64_t j) { return got(i, j); },
      [&](std::int64_t i, std::int64_t j) { return expected(i, j); });
  if (std::holds_alternative<KernelError>(verified)) return verified;
  const std::int64_t rows = shared_ && parts_.count > 0 ? parts_.first_row : storage_.rows;
  if (!result_.only_within(rows, storage_.columns)) return wrote_outside(name);
  const std::int64_t shared_rows = part_rows_ * parts_.count;
  if (shared_ && !shared_->only_within(shared_rows, test_.shape.n)) return wrote_outside(name);
  return verified;
}

// Returns the largest error over all cases, or the first error that was found. `shared` may be
// null.
Verified check_cases(const Executor& executor, const cl::CommandQueue& queue, LoadedKernel& kernel,
                     const std::vector<CheckCase>& cases, Products* shared) {
  const KernelRecord& record = kernel.record();
  double worst = 0.0;
  for (const CheckCase& test : cases) {
    Verified verified = shared != nullptr
                            ? check_case(executor, queue, kernel, test, shared->get(test, record))
                            : check_case(executor, queue, kernel, test, make_data(test, record));
    if (std::holds_alternative<KernelError>(verified)) return verified;
    worst = std::max(worst, std::get<double>(verified));
  }
  return worst;
}

// Maximum k for candidates. The tuner verifies hundreds of kernels. The awkward shapes include
// products with large k, which are computed only once. Larger k take seconds if the host emulates
// the sums of doubles.
constexpr std::int64_t kMaxDepthOfCandidates = 4200;

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

Verified check_case(const Executor& executor, const cl::CommandQueue& queue, LoadedKernel& kernel,
                    const CheckCase& test, const CaseData& data) {
  const KernelRecord& record = kernel.record();
  const std::string name = case_name(record, test);
  if (is_product(record.role)) {
    for (const Storage& storage : {storage_a(record, test.shape), storage_b(record, test.shape)}) {
      if (const auto shortage = memory_shortage(executor.device(), storage)) {
        return KernelError{FailureKind::kLimits, fmt::format("{} needs {}", name, *shortage)};
      }
    }
  }
  CaseRun run(executor.context(), record, test, data);
  return run.check(queue, name, run.launch(executor, queue, kernel));
}

std::optional<KernelError> check_kernel(const Executor& executor, const cl::CommandQueue& queue,
                                        LoadedKernel& kernel) {
  const Verified verified = without_exceptions([&] {
    return check_cases(executor, queue, kernel, first_use_cases(kernel.record()), nullptr);
  });
  const auto* kernel_error = std::get_if<KernelError>(&verified);
  return kernel_error == nullptr ? std::nullopt : std::optional(*kernel_error);
}

Verified KernelVerifier::verify(const Executor& executor, const cl::CommandQueue& queue,
                                LoadedKernel& kernel) {
  return without_exceptions([&]() -> Verified {
    const KernelRecord& record = kernel.record();
    Verified awkward =
        check_cases(executor, queue, kernel, awkward_cases(record, shapes_), &products_);
    if (std::holds_alternative<KernelError>(awkward)) return awkward;
    std::vector<CheckCase> cases = first_use_cases(record);
    std::erase_if(cases,
                  [](const CheckCase& test) { return test.shape.k > kMaxDepthOfCandidates; });
    Verified first = check_cases(executor, queue, kernel, cases, nullptr);
    if (std::holds_alternative<KernelError>(first)) return first;
    return std::max(std::get<double>(awkward), std::get<double>(first));
  });
}

}  // namespace tilewright
