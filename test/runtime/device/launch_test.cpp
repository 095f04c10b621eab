// Tests launches of each role: products and packing with hand-written kernels that follow their
// arguments, and the kernels that run between the products of a network.
#include "catch.hpp"
#include "codelets/space/emit.hpp"
#include "runtime/call/storage.hpp"
#include "runtime/device/device_identity.hpp"
#include "test_device.hpp"
#include "written_kernels.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tilewright {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

cl::Buffer make_buffer(const TestDevice& d, const std::vector<float>& data) {
  return {d.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, data.size() * sizeof(float),
          const_cast<float*>(data.data())};
}

void wait_for(const Launched& launched) {
  if (const auto* kernel_error = std::get_if<KernelError>(&launched)) FAIL(kernel_error->reason);
  std::get<cl::Event>(launched).wait();
}

std::vector<float> read(const TestDevice& d, const cl::Buffer& buffer) {
  std::vector<float> data(buffer.getInfo<CL_MEM_SIZE>() / sizeof(float));
  d.queue.enqueueReadBuffer(buffer, CL_TRUE, 0, data.size() * sizeof(float), data.data());
  return data;
}

// Element (row, column) of all test matrices.
float element(std::int64_t row, std::int64_t column) {
  return static_cast<float>(100 * row + column + 1);
}

// A matrix with a gap between its lines; everything that is not an element is NaN.
std::vector<float> stored(const Layout& layout, std::int64_t rows, std::int64_t columns,
                          std::size_t offset, std::int64_t ld) {
  std::vector<float> data(offset + static_cast<std::size_t>(layout.elements(rows, columns, ld)) + 5,
                          kNan);
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t column = 0; column < columns; ++column) {
      data[offset + static_cast<std::size_t>(layout.index(row, column, ld))] = element(row, column);
    }
  }
  return data;
}

TEST_CASE("packing fills the padding with zeros and writes nothing else") {
  const TestDevice d;
  constexpr std::int64_t kRows = 5;
  constexpr std::int64_t kColumns = 7;
  for (const char* from : {"R", "C"}) {
    for (const char* to : {"R", "C", "R 4 1 C", "C 1 8 R", "R 4 4 R 2 2 R"}) {
      INFO(from << " -> " << to);
      const KernelRecord record = written_pack("pack", from, to);
      const auto kernel = load_kernel(d, record);
      const std::int64_t ld_in = record.layout_a.min_ld(kRows, kColumns) + 3;
      const std::int64_t ld_out = record.layout_c.min_ld(8, 8) + 2;
      const cl::Buffer in = make_buffer(d, stored(record.layout_a, kRows, kColumns, 2, ld_in));
      const cl::Buffer out = make_buffer(d, std::vector<float>(200, kNan));
      wait_for(d.executor.launch(d.queue, *kernel,
                                 PackProblem{kRows,
                                             kColumns,
                                             8,
                                             8,
                                             {in(), 2, static_cast<std::size_t>(ld_in)},
                                             {out(), 3, static_cast<std::size_t>(ld_out)}},
                                 {}));
      std::vector<float> got = read(d, out);
      bool right = true;
      for (std::int64_t row = 0; row < 8; ++row) {
        for (std::int64_t column = 0; column < 8; ++column) {
          float& x = got[3 + static_cast<std::size_t>(record.layout_c.index(row, column, ld_out))];
          right = right && x == (row < kRows && column < kColumns ? element(row, column) : 0.0f);
          x = kNan;
        }
      }
      CHECK(right);
      for (const float x : got) right = right && std::isnan(x);
      CHECK(right);
    }
  }
}

TEST_CASE("packing fills whole pixels of an image") {
  const TestDevice d;
  if (!identify(d.device).limits.image_support) SKIP_CASE("the device does not support images");
  for (const char* to : {"R", "C"}) {
    const auto kernel = load_kernel(d, written_pack("pack", "R", to, true));
    const cl::Buffer in = make_buffer(d, stored(Layout::R(), 6, 6, 0, 6));
    const cl::Image2D image(d.context, CL_MEM_READ_WRITE, cl::ImageFormat(CL_RGBA, CL_FLOAT), 2, 6);
    wait_for(d.executor.launch(d.queue, *kernel,
                               PackProblem{6, 6, 6, 6, {in(), 0, 6}, {image(), 0, 0}}, {}));
    std::vector<float> pixels(4 * 2 * 6);
    d.queue.enqueueReadImage(image, CL_TRUE, {0, 0, 0}, {2, 6, 1}, 0, 0, pixels.data());
    bool right = true;
    for (int line = 0; line < 6; ++line) {
      for (int i = 0; i < 8; ++i) {
        const float x = pixels[static_cast<std::size_t>(8 * line + i)];
        const float expected = to == std::string("R") ? element(line, i) : element(i, line);
        right = right && x == (i < 6 ? expected : 0.0f);
      }
    }
    CHECK(right);
  }
}

TEST_CASE("a kernel with split k stores its parts consecutively and unscaled") {
  const TestDevice d;
  KernelRecord record = written_gemm("gemm", "R", "R", "R");
  record.split_k = 3;
  const auto kernel = load_kernel(d, with_source(record));
  GemmProblem problem;
  problem.shape = {2, 3, 6};
  const cl::Buffer ones = make_buffer(d, std::vector<float>(18, 1.0f));
  const Storage parts = storage_parts(record, problem.shape, {0, 3});
  const cl::Buffer c = make_buffer(d, std::vector<float>(parts.elements, kNan));
  problem.a = {ones(), 0, 6};
  problem.b = {ones(), 0, 3};
  problem.c = {c(), 0, parts.ld};
  wait_for(d.executor.launch(d.queue, *kernel, problem, {}));
  CHECK(read(d, c) == std::vector<float>(18, 2.0f));
  const auto reduce = load_kernel(d, written_reduce("reduce"));
  const cl::Buffer sum = make_buffer(d, {1, 1, 1, kNan, 1, 1, 1});
  ReduceProblem adding{2, 3, 3, 0.5f, -1.0f, problem.c, {sum(), 0, 4}, {}, {}};
  wait_for(d.executor.launch(d.queue, *reduce, adding, {}));
  const std::vector<float> got = read(d, sum);
  for (const std::size_t i : {0, 1, 2, 4, 5, 6}) CHECK(got[i] == 2.0f);
  CHECK(std::isnan(got[3]));
}

TEST_CASE("bias and slope follow the other arguments, and a missing bias is rejected") {
  const TestDevice d;
  const cl::Buffer ones = make_buffer(d, std::vector<float>(6, 1.0f));
  const cl::Buffer bias = make_buffer(d, {kNan, -10.0f, 10.0f});
  GemmProblem problem;
  problem.shape = {2, 2, 3};
  problem.a = {ones(), 0, 3};
  problem.b = {ones(), 0, 2};
  problem.arguments = {0.5f};
  for (const Dimension dimension : {Dimension::kM, Dimension::kN}) {
    KernelRecord record = written_gemm("gemm", "R", "R", "R");
    record.bias = dimension;
    record.activation = Activation::kLeakyRelu;
    const auto kernel = load_kernel(d, with_source(record));
    const cl::Buffer c = make_buffer(d, std::vector<float>(4, kNan));
    problem.c = {c(), 0, 2};
    problem.bias.reset();
    const Launched without = d.executor.launch(d.queue, *kernel, problem, {});
    REQUIRE(std::holds_alternative<KernelError>(without));
    CHECK(std::get<KernelError>(without).kind == FailureKind::kLaunch);
    CHECK(std::get<KernelError>(without).reason.find("bias") != std::string::npos);
    problem.bias = VectorArgument{bias(), 1};
    wait_for(d.executor.launch(d.queue, *kernel, problem, {}));
    const std::vector<float> rows{-3.5f, -3.5f, 13.0f, 13.0f};
    const std::vector<float> columns{-3.5f, 13.0f, -3.5f, 13.0f};
    CHECK(read(d, c) == (dimension == Dimension::kM ? rows : columns));
  }
}

TEST_CASE("numbers that do not fit into a kernel's int are rejected") {
  const TestDevice d;
  const auto kernel = load_kernel(d, with_source(written_gemm("gemm", "R", "R", "R")));
  const auto pack = load_kernel(d, written_pack("pack", "R", "R"));
  const cl::Buffer buffer = make_buffer(d, std::vector<float>(4, 0.0f));
  GemmProblem problem;
  problem.shape = {1, 1, 1};
  problem.a = problem.b = problem.c = {buffer(), 0, 1};
  problem.b.ld = std::size_t{1} << 31;
  const Launched launched = d.executor.launch(d.queue, *kernel, problem, {});
  REQUIRE(std::holds_alternative<KernelError>(launched));
  CHECK_THAT(std::get<KernelError>(launched).reason,
             Catch::Matchers::ContainsSubstring("2147483648"));
  const Launched packed = d.executor.launch(
      d.queue, *pack,
      PackProblem{1, 1, std::int64_t{1} << 31, 1, {buffer(), 0, 1}, {buffer(), 0, 1}}, {});
  REQUIRE(std::holds_alternative<KernelError>(packed));
  CHECK(std::get<KernelError>(packed).kind == FailureKind::kLaunch);
}

TEST_CASE("a record that requires more local memory than there is is rejected before it is built") {
  const TestDevice d;
  KernelRecord record = written_gemm("gemm", "R", "R", "R");
  record.source = "not C";
  record.local_bytes = identify(d.device).limits.local_memory_bytes + 1;
  const Loaded loaded = d.executor.load(record);
  REQUIRE(std::holds_alternative<KernelError>(loaded));
  CHECK(std::get<KernelError>(loaded).kind == FailureKind::kLimits);
  CHECK(std::get<KernelError>(loaded).reason.find("local memory") != std::string::npos);
}

std::vector<float> read(const TestDevice& d, const Launched& launched, const cl::Buffer& buffer) {
  if (const auto* kernel_error = std::get_if<KernelError>(&launched)) FAIL(kernel_error->reason);
  const std::vector<cl::Event> after{std::get<cl::Event>(launched)};
  std::vector<float> data(buffer.getInfo<CL_MEM_SIZE>() / sizeof(float));
  d.queue.enqueueReadBuffer(buffer, CL_TRUE, 0, data.size() * sizeof(float), data.data(), &after);
  return data;
}

std::unique_ptr<LoadedKernel> load_point(const TestDevice& d, const char* point) {
  return load_kernel(d, emit(parse_point(point)));
}

bool same(const std::vector<float>& x, const std::vector<float>& y) {
  return std::equal(x.begin(), x.end(), y.begin(), y.end(),
                    [](float a, float b) { return a == b || (std::isnan(a) && std::isnan(b)); });
}

TEST_CASE("a bias and an activation from one buffer to another, with padding") {
  const TestDevice d;
  const cl::Buffer bias = make_buffer(d, {kNan, 10.0f, 20.0f});
  const cl::Buffer x = make_buffer(d, {kNan, 1.0f, -30.0f, kNan, 3.0f, 4.0f});
  for (const char* point :
       {"activation bias=n activation=leaky_relu",
        "activation tile_n=2 vector_width=2 id_order=flat bias=n activation=leaky_relu",
        "activation tile_m=2 tile_n=2 work_group_m=4 id_order=mn bias=n activation=leaky_relu"}) {
    INFO(point);
    const auto kernel = load_point(d, point);
    const cl::Buffer y = make_buffer(d, std::vector<float>(14, kNan));
    const ActivationProblem problem{
        2, 2, 3, 3, {x(), 1, 3}, {y(), 2, 4}, VectorArgument{bias(), 1}, {0.5f}};
    CHECK(same(
        read(d, d.executor.launch(d.queue, *kernel, problem, {}), y),
        {kNan, kNan, 11.0f, -5.0f, 0.0f, kNan, 13.0f, 24.0f, 0.0f, kNan, 0.0f, 0.0f, 0.0f, kNan}));
  }
}

TEST_CASE("two arguments of an activation are passed in order") {
  const TestDevice d;
  const cl::Buffer x = make_buffer(d, {-1.0f, 0.5f, 3.0f, 0.25f});
  const auto applied = [&](const char* point, const ActivationArguments& arguments) {
    const auto kernel = load_point(d, point);
    const cl::Buffer y = make_buffer(d, std::vector<float>(4, kNan));
    const ActivationProblem problem{1, 4, 1, 4, {x(), 0, 4}, {y(), 0, 4}, std::nullopt, arguments};
    return read(d, d.executor.launch(d.queue, *kernel, problem, {}), y);
  };
  CHECK(applied("activation activation=clip", {-0.5f, 0.25f}) ==
        std::vector<float>{-0.5f, 0.25f, 0.25f, 0.25f});
  CHECK(applied("activation activation=hard_sigmoid", {0.5f, 0.25f}) ==
        std::vector<float>{0.0f, 0.5f, 1.0f, 0.375f});
}

TEST_CASE("an activation in place waits for the previous commands") {
  const TestDevice d;
  const auto kernel = load_point(d, "activation tile_n=4 vector_width=4 activation=relu");
  const cl::Buffer x = make_buffer(d, {-1.0f, 2.0f, -3.0f, 4.0f, -5.0f, 6.0f});
  const ActivationProblem problem{1, 6, 1, 6, {x(), 0, 6}, {x(), 0, 6}, std::nullopt, {}};
  cl::UserEvent before(d.context);
  const std::vector<cl::Event> waits{before};
  const Launched launched = d.executor.launch(d.queue, *kernel, problem, waits);
  REQUIRE(std::holds_alternative<cl::Event>(launched));
  CHECK(std::get<cl::Event>(launched).getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>() != CL_COMPLETE);
  before.setStatus(CL_COMPLETE);
  CHECK(read(d, launched, x) == std::vector<float>{0.0f, 2.0f, 0.0f, 4.0f, 0.0f, 6.0f});
}

TEST_CASE("softmax of rows, with padding and in place") {
  const TestDevice d;
  for (const char* point : {"softmax", "softmax vector_width=2 work_group_m=2 work_group_n=4"}) {
    INFO(point);
    const auto kernel = load_point(d, point);
    const cl::Buffer x = make_buffer(d, {5.0f, 5.0f, kNan, -1e30f, 1e30f, kNan, kNan, kNan, kNan});
    const SoftmaxProblem problem{2, 2, 3, 2, {x(), 0, 3}, {x(), 0, 3}};
    CHECK(same(read(d, d.executor.launch(d.queue, *kernel, problem, {}), x),
               {0.5f, 0.5f, kNan, 0.0f, 1.0f, kNan, 0.0f, 0.0f, kNan}));
  }
}

TEST_CASE("invalid problems for the kernels of a network are rejected by name") {
  const TestDevice d;
  const cl::Buffer x = make_buffer(d, std::vector<float>(4, 1.0f));
  const auto reason = [](const Launched& launched) {
    const auto* kernel_error = std::get_if<KernelError>(&launched);
    REQUIRE(kernel_error != nullptr);
    CHECK(kernel_error->kind == FailureKind::kLaunch);
    CHECK(kernel_error->opencl_code == CL_INVALID_ARG_VALUE);
    return kernel_error->reason;
  };
  const auto biased = load_point(d, "activation bias=n");
  ActivationProblem problem{2, 2, 2, 2, {x(), 0, 2}, {x(), 0, 2}, std::nullopt, {}};
  CHECK(reason(d.executor.launch(d.queue, *biased, problem, {})) ==
        biased->record().name + ": the kernel needs a bias, but none is given");
  const auto unbiased = load_point(d, "activation");
  problem.y.ld = std::size_t{1} << 31;
  CHECK(reason(d.executor.launch(d.queue, *unbiased, problem, {})) ==
        unbiased->record().name + ": a leading dimension 2147483648 does not fit into an int");
  const auto softmax = load_point(d, "softmax");
  CHECK(reason(d.executor.launch(
            d.queue, *softmax,
            SoftmaxProblem{
                std::int64_t{1} << 31, 2, std::int64_t{1} << 31, 2, {x(), 0, 2}, {x(), 0, 2}},
            {})) == softmax->record().name + ": an extent 2147483648 does not fit into an int");
}

}  // namespace
}  // namespace tilewright
