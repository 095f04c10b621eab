#include "runtime/team/device_member.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <tuple>
#include <utility>

#include "profiles/profile_text.hpp"
#include "runtime/api/library.hpp"
#include "runtime/call/group_tile.hpp"
#include "runtime/call/opencl_error.hpp"
#include "runtime/device/allocate_buffer.hpp"
#include "runtime/device/device_identity.hpp"

namespace tilewright {

namespace {

// Assumed for devices with their own memory. Measured rates correct it.
constexpr double kCopyBytesPerSecond = 8e9;
constexpr double kSecondsPerNs = 1e-9;

// A buffer in the memory of the application; nullopt if the driver refuses it, for example because
// of the address, or because all lines with their gaps are larger than a buffer may be.
std::optional<cl::Buffer> map_memory(const cl::Context& context, cl_mem_flags access,
                                     const HostPointer& matrix, const StoredLines& stored,
                                     std::size_t element_bytes) {
  cl_int code = CL_SUCCESS;
  cl::Buffer buffer(context, access | CL_MEM_USE_HOST_PTR,
                    spanned_elements(stored, matrix.ld) * element_bytes, matrix.data, &code);
  if (code != CL_SUCCESS) return std::nullopt;
  return buffer;
}

// Memory of the application, from the first to the last byte of a matrix.
struct HostRange {
  const std::byte* start = nullptr;
  std::size_t bytes = 0;
  HostRange(const HostPointer& matrix, const StoredLines& stored, std::size_t element_bytes)
      : start(static_cast<const std::byte*>(matrix.data)),
        bytes(spanned_elements(stored, matrix.ld) * element_bytes) {}
  bool operator==(const HostRange&) const = default;
  const std::byte* end() const { return start + bytes; }
};

bool overlap(const HostRange& one, const HostRange& other) {
  const std::less<> precedes;
  return precedes(one.start, other.end()) && precedes(other.start, one.end());
}

// The arguments of clEnqueueReadBufferRect and clEnqueueWriteBufferRect that copy lines of a matrix
// in host memory from and to a buffer without gaps.
struct LineCopy {
  cl::array<cl::size_type, 3> region;
  std::size_t buffer_pitch = 0;
  std::size_t host_pitch = 0;

  LineCopy(const HostPointer& matrix, const StoredLines& stored, std::size_t element_bytes)
      : region{stored.length * element_bytes, stored.lines, 1},
        buffer_pitch(stored.length * element_bytes),
        host_pitch(matrix.ld * element_bytes) {}
};
constexpr cl::array<cl::size_type, 3> kOrigin = {0, 0, 0};

void write_lines(const cl::CommandQueue& queue, const cl::Buffer& buffer, const HostPointer& matrix,
                 const StoredLines& stored, std::size_t element_bytes) {
  const LineCopy copy(matrix, stored, element_bytes);
  check_opencl(queue.enqueueWriteBufferRect(buffer, CL_TRUE, kOrigin, kOrigin, copy.region,
                                            copy.buffer_pitch, 0, copy.host_pitch, 0, matrix.data),
               "clEnqueueWriteBufferRect");
}

void read_lines(const cl::CommandQueue& queue, const cl::Buffer& buffer, const HostPointer& matrix,
                const StoredLines& stored, std::size_t element_bytes, const cl::Event& after) {
  const LineCopy copy(matrix, stored, element_bytes);
  const std::vector<cl::Event> waits{after};
  check_opencl(
      queue.enqueueReadBufferRect(buffer, CL_TRUE, kOrigin, kOrigin, copy.region, copy.buffer_pitch,
                                  0, copy.host_pitch, 0, matrix.data, &waits),
      "clEnqueueReadBufferRect");
}

StoredLines stored_a(const GemmCall& call) {
  return stored_lines(call.order, call.trans_a, call.m, call.k);
}
StoredLines stored_b(const GemmCall& call) {
  return stored_lines(call.order, call.trans_b, call.k, call.n);
}
StoredLines stored_c(const GemmCall& call) {
  return stored_lines(call.order, Transpose::kNo, call.m, call.n);
}

double copied_bytes(const GemmCall& call) {
  const auto elements = [](const StoredLines& stored) {
    return static_cast<double>(stored.lines) * static_cast<double>(stored.length);
  };
  const double of_c = elements(stored_c(call)) * (call.beta == 0.0 ? 1.0 : 2.0);
  return (elements(stored_a(call)) + elements(stored_b(call)) + of_c) *
         static_cast<double>(bytes_per_element(call.type));
}

// The product of real numbers on which most of the time is spent; nullopt if there is none.
std::optional<GemmProblem> planned_problem(const GemmProblem& problem,
                                           std::uint64_t max_buffer_bytes) {
  if (!problem.complex) return problem;
  return equivalent_real_product(problem, max_buffer_bytes);
}

}  // namespace

DeviceMember::DeviceMember(LibraryHandle library, const cl::CommandQueue& queue)
    : library_(std::move(library)), queue_(queue) {
  library_->check(queue, {});
  context_ = library_->executor().context();
  const cl::Device& device = library_->executor().device();
  name_ = device.getInfo<CL_DEVICE_NAME>();
  shares_ = tilewright::shares_host_memory(device);
  is_cpu_ = device_kind(device) == DeviceKind::kCpu;
}

Library& DeviceMember::library() const {
  library_->require_same_process();
  return *library_;
}

std::string DeviceMember::profile_name() const {
  const auto units = library().executor().device().getInfo<CL_DEVICE_MAX_COMPUTE_UNITS>();
  return fmt::format("{}, {} compute units", name_, units);
}

std::string DeviceMember::profile_digest() const {
  return compute_digest(*library().plan_basis().profiles.front());
}

bool DeviceMember::supports(ElementType type) const {
  return library_->supports(element_precision(type));
}

std::optional<MemberPrediction> DeviceMember::predict(const GemmCall& call,
                                                      bool in_host_memory) const {
  const auto problem =
      planned_problem(resolve_dense(call), library().temporaries().largest_buffer());
  if (!problem) return std::nullopt;
  const PlanBasis basis = library().plan_basis();
  const std::vector<GemmPlan> plans =
      rank_plans(basis.profiles, basis.times, basis.device, *problem);
  if (plans.empty() || !plans.front().times.has_time()) return std::nullopt;
  const GemmPlan& best = plans.front();
  MemberPrediction result{best.times.total_ns() * kSecondsPerNs, 0.0,
                          static_cast<std::size_t>(group_tile_m(best.kernel())),
                          static_cast<std::size_t>(group_tile_n(best.kernel()))};
  if (call.order == Order::kColumnMajor) std::swap(result.tile_m, result.tile_n);
  if (in_host_memory && !shares_) {
    result.transfer_seconds = copied_bytes(call) / kCopyBytesPerSecond;
    result.seconds += result.transfer_seconds;
  }
  return result;
}

void DeviceMember::check(const GemmCall& call, const Matrix& a, const Matrix& b, const Matrix& c,
                         const std::vector<cl::Event>& wait_list) const {
  library().checked(call, a, b, c);
  library().check(queue_, wait_list);
}

cl::Event DeviceMember::enqueue(const GemmCall& call, const Matrix& a, const Matrix& b,
                                const Matrix& c, const std::vector<cl::Event>& wait_list) const {
  cl::Event done = library_->gemm(queue_, call, a, b, c, wait_list);
  flush();
  return done;
}

cl::Event DeviceMember::enqueue_marker(const std::vector<cl::Event>& wait_list) const {
  cl::Event done = library().enqueue_marker(queue_, wait_list);
  flush();
  return done;
}

// Without this, some drivers do not start until the host waits. If it fails, the commands are still
// enqueued, so it is no reason to repeat them. The status of the event shows whether they ran.
void DeviceMember::flush() const {
  static_cast<void>(queue_.flush());
}

// Drivers of GPUs may copy the memory, with its gaps.
std::optional<cl::Buffer> DeviceMember::mapped(const HostPointer& matrix, const StoredLines& stored,
                                               std::size_t element_bytes) const {
  if (!shares_ || !(is_cpu_ || has_small_gaps(stored, matrix.ld))) return std::nullopt;
  return map_memory(context_, CL_MEM_READ_ONLY, matrix, stored, element_bytes);
}

Matrix DeviceMember::copied(const HostPointer& matrix, const StoredLines& stored,
                            std::size_t element_bytes) const {
  const cl::Buffer buffer = allocate_buffer(
      context_, CL_MEM_READ_ONLY, stored.lines * stored.length * element_bytes, "operand");
  write_lines(queue_, buffer, matrix, stored, element_bytes);
  return {buffer, 0, stored.length};
}

// OpenCL does not define what happens if two buffers share memory of the host, so of matrices that
// overlap only A is mapped, or the same buffer is used for both.
std::pair<Matrix, Matrix> DeviceMember::read_operands(const HostGemm& product) const {
  const std::size_t element_bytes = bytes_per_element(product.call.type);
  const StoredLines lines_a = stored_a(product.call);
  const StoredLines lines_b = stored_b(product.call);
  const HostRange range_a(product.a, lines_a, element_bytes);
  const HostRange range_b(product.b, lines_b, element_bytes);
  const auto a = mapped(product.a, lines_a, element_bytes);
  std::optional<cl::Buffer> b;
  if (a && range_a == range_b) {
    b = a;
  } else if (!a || !overlap(range_a, range_b)) {
    b = mapped(product.b, lines_b, element_bytes);
  }
  return {a ? Matrix{*a, 0, product.a.ld} : copied(product.a, lines_a, element_bytes),
          b ? Matrix{*b, 0, product.b.ld} : copied(product.b, lines_b, element_bytes)};
}

// Mapping C makes the driver write the results to the application's memory, if they are not there
// already.
void DeviceMember::multiply_in_place(const HostGemm& product, const Matrix& a, const Matrix& b,
                                     const cl::Buffer& c) const {
  const GemmCall& call = product.call;
  const StoredLines stored = stored_c(call);
  const std::size_t element_bytes = bytes_per_element(call.type);
  const std::vector<cl::Event> waits{enqueue(call, a, b, {c, 0, product.c.ld}, {})};
  cl_int code = CL_SUCCESS;
  void* const mapped = queue_.enqueueMapBuffer(
      c, CL_TRUE, CL_MAP_READ, 0, spanned_elements(stored, product.c.ld) * element_bytes, &waits,
      nullptr, &code);
  check_opencl(code, "clEnqueueMapBuffer");
  cl::Event unmapped;
  check_opencl(queue_.enqueueUnmapMemObject(c, mapped, nullptr, &unmapped),
               "clEnqueueUnmapMemObject");
  check_opencl(unmapped.wait(), "clWaitForEvents");
}

void DeviceMember::multiply_into_copy(const HostGemm& product, const Matrix& a,
                                      const Matrix& b) const {
  const GemmCall& call = product.call;
  const StoredLines stored = stored_c(call);
  const std::size_t element_bytes = bytes_per_element(call.type);
  const cl::Buffer c = allocate_buffer(context_, CL_MEM_READ_WRITE,
                                       stored.lines * stored.length * element_bytes, "result");
  if (call.beta != 0.0) write_lines(queue_, c, product.c, stored, element_bytes);
  const cl::Event done = enqueue(call, a, b, {c, 0, stored.length}, {});
  read_lines(queue_, c, product.c, stored, element_bytes, done);
}

// C is written in place only if it need not be kept for another member in case of an error, and if
// nothing else writes between its lines. A driver that copies a mapped range would write the old
// content of gaps back.
void DeviceMember::multiply(const HostGemm& product) const {
  const GemmCall& call = product.call;
  if (call.m == 0 || call.n == 0) return;
  try {
    const std::size_t element_bytes = bytes_per_element(call.type);
    Matrix a{{}, 0, product.a.ld};
    Matrix b{{}, 0, product.b.ld};
    if (reads_operands(call)) std::tie(a, b) = read_operands(product);
    std::optional<cl::Buffer> c;
    if (shares_ && call.beta == 0.0 && is_one_range(call, product.c.ld)) {
      c = map_memory(context_, CL_MEM_READ_WRITE, product.c, stored_c(call), element_bytes);
    }
    if (c) {
      multiply_in_place(product, a, b, *c);
    } else {
      multiply_into_copy(product, a, b);
    }
  } catch (...) {
    wait_for_everything();
    throw;
  }
}

// Commands must not use the application's memory after multiply() has returned.
void DeviceMember::wait_for_everything() const noexcept {
  try {
    queue_.finish();
  } catch (...) {
  }
}

}  // namespace tilewright
