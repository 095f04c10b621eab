// Tests launches of the kernels that run between the products of a network.
#include <algorithm>
#include <cmath>
#include <limits>

#include "catch.hpp"
#include "codelets/space/emit.hpp"
#include "test_device.hpp"

namespace tilewright {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

cl::Buffer make_buffer(const TestDevice& d, const std::vector<float>& data) {
  return {d.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, data.size() * sizeof(float),
          const_cast<float*>(data.data())};
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
