#include "tuner/measure/verification.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "runtime/call/opencl_error.hpp"
#include "runtime/check/kernel_check.hpp"
#include "runtime/device/device_matrix.hpp"
#include "runtime/device/own_buffer.hpp"
#include "tuner/records/shapes.hpp"

namespace tilewright {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

Matrix upload_as_given(const cl::Context& context, Precision precision, const HostMatrix& host) {
  return {upload(context, precision, host.data), host.offset, host.ld};
}

Rejection wrong(const VerificationCase& test, const std::string& what) {
  return {Stage::kWrong, fmt::format("{} {} alpha={} beta={}: {}", to_text(test.op),
                                     to_text(test.shape), test.alpha, test.beta, what)};
}

// What the kernel's epilogue makes of an element of the product, and storing it of that.
ProductElement finished(const VerificationCase& test, const KernelRecord& record, std::int64_t i,
                        std::int64_t j) {
  const auto at = static_cast<std::size_t>(record.bias == Dimension::kN ? j : i);
  ProductElement element = with_epilogue(
      with_half_sums(test.expected[static_cast<std::size_t>(i * test.shape.n + j)],
                     test.whole_numbers ? 0 : record.accumulate_k, test.shape.k, test.alpha),
      record.bias, static_cast<double>(test.bias[at]), record.activation, test.arguments);
  if (stores_halfs(record)) round_to_half(element);
  return element;
}

// Of its bound; more than 1: it is wrong. NaN and infinity are right or not.
double share_of_bound(double got, const ProductElement& want) {
  if (std::isfinite(want.value)) return std::abs(got - want.value) / want.bound;
  const bool same = std::isnan(want.value) ? std::isnan(got) : got == want.value;
  return same ? 0.0 : std::numeric_limits<double>::infinity();
}

// Compares elements with their bounds: value(i, j) is what the kernel made.
Verified compare_elements(const VerificationCase& test, const KernelRecord& record,
                          const std::function<double(std::int64_t, std::int64_t)>& value) {
  double worst = 0.0;
  for (std::int64_t i = 0; i < test.shape.m; ++i) {
    for (std::int64_t j = 0; j < test.shape.n; ++j) {
      const ProductElement want = finished(test, record, i, j);
      const double share = share_of_bound(value(i, j), want);
      if (!(share < 1.0)) {
        return wrong(test, fmt::format("C({}, {}) is {} instead of {} +- {}", i, j, value(i, j),
                                       want.value, want.bound));
      }
      worst = std::max(worst, share);
    }
  }
  return worst;
}

// What is not the kernel's to write must be as it was.
std::optional<Rejection> compare_rest(const VerificationCase& test, const std::vector<char>& is_own,
                                      const std::vector<double>& before,
                                      const std::vector<double>& got) {
  for (std::size_t at = 0; at < got.size(); ++at) {
    if (!is_own[at] && std::memcmp(&got[at], &before[at], sizeof(double)) != 0) {
      return wrong(test,
                   fmt::format("element {} of C's buffer is not part of C and was written", at));
    }
  }
  return std::nullopt;
}

// Reads a buffer back after an event; nullopt: the kernel failed while running.
std::variant<std::vector<double>, Rejection> read_back(const cl::CommandQueue& queue,
                                                       const VerificationCase& test,
                                                       const Launched& launched,
                                                       const cl::Buffer& buffer,
                                                       Precision precision, std::size_t elements) {
  if (const auto* rejection = std::get_if<Rejection>(&launched)) return *rejection;
  std::vector<double> got(elements);
  const std::vector<cl::Event> wait_list{std::get<cl::Event>(launched)};
  const cl_int code = read_elements(queue, buffer, precision, got, wait_list);
  if (code == CL_SUCCESS) return got;
  return Rejection{Stage::kLaunch,
                   fmt::format("{} {} failed while running: {}", to_text(test.op),
                               to_text(test.shape), opencl_code_text(code)),
                   code};
}

// Element (i, j) of op(A) or op(B), or of C.
ElementOf element_of(const HostMatrix& matrix, bool transposed) {
  return [&matrix, transposed](std::int64_t i, std::int64_t j) {
    if (transposed) std::swap(i, j);
    return matrix.data[matrix.offset + static_cast<std::size_t>(i) * matrix.ld +
                       static_cast<std::size_t>(j)];
  };
}

// A case as one kernel wants it.
class KernelCase {
 public:
  KernelCase(const Executor& executor, const KernelRecord& record, const VerificationCase& test);

  Verified run(const Executor& executor, const cl::CommandQueue& queue, LoadedKernel& kernel) const;

 private:
  bool split() const { return record_.split_k > 1; }
  std::int64_t c_rows() const { return test_.shape.m * record_.split_k; }
  std::size_t c_index(std::int64_t i, std::int64_t j) const;
  double element(const std::vector<double>& got, std::int64_t i, std::int64_t j) const;

  const KernelRecord& record_;
  const VerificationCase& test_;
  Storage storage_c_;
  HostStorage host_c_;
  DeviceMatrix a_, b_, c_;
  cl::Buffer bias_;
  GemmProblem problem_;
};

// Offsets and gaps of the case where the kernel's alignment allows them; a foreign kernel has none.
Placement placement_of(const HostMatrix& matrix, std::int64_t columns, const KernelRecord& record) {
  if (record.is_foreign()) return {0, 0, matrix.offset};
  const int alignment = record.alignment;
  const std::size_t least =
      (static_cast<std::size_t>(columns) + static_cast<std::size_t>(alignment) - 1) /
      static_cast<std::size_t>(alignment) * static_cast<std::size_t>(alignment);
  return {matrix.offset, matrix.ld - std::min(matrix.ld, least), matrix.offset};
}

KernelCase::KernelCase(const Executor& executor, const KernelRecord& record,
                       const VerificationCase& test)
    : record_(record), test_(test) {
  const GemmShape& s = test.shape;
  const bool at = layout_a_of(test.op) == Layout::C();
  const bool bt = layout_b_of(test.op) == Layout::C();
  const auto place = [&](const Storage& storage, std::int64_t rows, std::int64_t columns,
                         const HostMatrix& matrix, bool transposed) {
    const Placement placement = placement_of(matrix, transposed ? rows : columns, record);
    return upload(executor.context(), storage,
                  lay_out(storage, rows, columns, element_of(matrix, transposed), placement, kNan));
  };
  a_ = place(storage_a(record, s), s.m, s.k, test.a, at);
  b_ = place(storage_b(record, s), s.k, s.n, test.b, bt);
  storage_c_ = split() ? storage_parts(record, s) : storage_c(record, s);
  const ElementOf c = element_of(test.c, false);
  const ElementOf poison = [](std::int64_t, std::int64_t) { return kNan; };
  host_c_ = lay_out(storage_c_, c_rows(), s.n, split() ? poison : c,
                    placement_of(test.c, s.n, record), kUntouchedNan);
  c_ = upload(executor.context(), storage_c_, host_c_);
  problem_ = {test.op,
              s,
              split() ? 1.0 : test.alpha,
              split() ? 0.0 : test.beta,
              a_.argument(),
              b_.argument(),
              c_.argument(),
              std::nullopt,
              test.arguments,
              {},
              false,
              {},
              test.precision};
  if (record.bias == Dimension::kNone) return;
  bias_ = own_buffer(executor.context(), CL_MEM_READ_ONLY, test.bias, "bias");
  problem_.bias = VectorArgument{bias_(), 0};
}

std::size_t KernelCase::c_index(std::int64_t i, std::int64_t j) const {
  return host_c_.offset + static_cast<std::size_t>(
                              storage_c_.layout.index(i, j, static_cast<std::int64_t>(host_c_.ld)));
}

// Parts of a split k are added up, and scaled as a reduce kernel would.
double KernelCase::element(const std::vector<double>& got, std::int64_t i, std::int64_t j) const {
  if (!split()) return got[c_index(i, j)];
  double sum = 0.0;
  for (int part = 0; part < record_.split_k; ++part) {
    sum += got[c_index(part * test_.shape.m + i, j)];
  }
  sum *= test_.alpha;
  return test_.beta == 0.0 ? sum : sum + test_.beta * element_of(test_.c, false)(i, j);
}

Verified KernelCase::run(const Executor& executor, const cl::CommandQueue& queue,
                         LoadedKernel& kernel) const {
  const Launched launched = executor.launch(queue, kernel, problem_, {});
  auto read = read_back(queue, test_, launched, cl::Buffer(c_.memory(), true), storage_c_.precision,
                        host_c_.data.size());
  if (const auto* rejection = std::get_if<Rejection>(&read)) return *rejection;
  const std::vector<double>& got = std::get<std::vector<double>>(read);
  Verified verified = compare_elements(
      test_, record_, [&](std::int64_t i, std::int64_t j) { return element(got, i, j); });
  if (std::holds_alternative<Rejection>(verified)) return verified;
  std::vector<char> is_own(got.size(), 0);
  for (std::int64_t i = 0; i < storage_c_.rows; ++i) {
    for (std::int64_t j = 0; j < storage_c_.columns; ++j) is_own[c_index(i, j)] = 1;
  }
  if (auto rejection = compare_rest(test_, is_own, host_c_.data, got)) return *rejection;
  return verified;
}

// Why the device cannot hold the case's operands as the kernel wants them.
std::optional<Rejection> too_large(const Executor& executor, const KernelRecord& record,
                                   const GemmShape& shape) {
  for (const Storage& storage : {storage_a(record, shape), storage_b(record, shape)}) {
    if (const auto lack = lack_of_room(executor.device(), storage)) {
      return Rejection{Stage::kLimits,
                       fmt::format("{}: on {} it wants {}", record.name, to_text(shape), *lack)};
    }
  }
  return std::nullopt;
}

}  // namespace

Verified verify(const cl::Context& context, const cl::CommandQueue& queue,
                const VerificationCase& test, const Multiply& multiply) {
  const Matrix a = upload_as_given(context, test.precision, test.a);
  const Matrix b = upload_as_given(context, test.precision, test.b);
  const Matrix c = upload_as_given(context, test.precision, test.c);
  auto read =
      read_back(queue, test, multiply(test, a, b, c), c.buffer, test.precision, test.c.data.size());
  if (const auto* rejection = std::get_if<Rejection>(&read)) return *rejection;
  const std::vector<double>& got = std::get<std::vector<double>>(read);
  const auto index = [&](std::int64_t i, std::int64_t j) {
    return test.c.offset + static_cast<std::size_t>(i) * test.c.ld + static_cast<std::size_t>(j);
  };
  KernelRecord plain;
  plain.precision = test.precision;
  Verified verified = compare_elements(
      test, plain, [&](std::int64_t i, std::int64_t j) { return got[index(i, j)]; });
  if (std::holds_alternative<Rejection>(verified)) return verified;
  std::vector<char> is_own(got.size(), 0);
  for (std::int64_t i = 0; i < test.shape.m; ++i) {
    for (std::int64_t j = 0; j < test.shape.n; ++j) is_own[index(i, j)] = 1;
  }
  if (auto rejection = compare_rest(test, is_own, test.c.data, got)) return *rejection;
  return verified;
}

Verified verify_kernel(const Executor& executor, const cl::CommandQueue& queue,
                       LoadedKernel& kernel, const std::vector<VerificationCase>& cases) {
  double worst = 0.0;
  for (const VerificationCase& test : cases) {
    if (auto rejection = too_large(executor, kernel.record(), test.shape)) return *rejection;
    const Verified verified =
        KernelCase(executor, kernel.record(), test).run(executor, queue, kernel);
    if (std::holds_alternative<Rejection>(verified)) return verified;
    worst = std::max(worst, std::get<double>(verified));
  }
  if (kernel.record().is_foreign()) return worst;
  if (auto rejection = check_groups(executor, queue, kernel)) return *rejection;
  return worst;
}

}  // namespace tilewright
