// Compares networks in half precision on a device with a forward pass on the host in double
// precision, with the same weights and inputs: with bias and activation in the product and after it.
#include "runtime/models/network_files.hpp"

#include "catch.hpp"
#include "network_case.hpp"
#include "network_profiles.hpp"
#include "runtime/device/device_matrix.hpp"

namespace tilewright {
namespace {

// A batch with half-precision inputs, and the correct outputs of a half-precision network.
struct HalfCase {
  NetworkCase floats;
  std::vector<double> right;

  HalfCase(const Network& net, const NetworkModel& model, std::size_t rows, unsigned seed)
      : floats(net, rows, seed % 5, seed % 3, seed) {
    floats.input.data = round_to_precision(floats.input.data, Precision::kHalf);
    right = floats.expected(round_to_precision(model, Precision::kHalf));
  }
};

StoredMatrixOf<Half> stored_half(const StoredMatrix& floats) {
  StoredMatrixOf<Half> half_precision{floats.lines, floats.length, floats.offset, floats.ld, {}};
  for (const float element : floats.data) half_precision.data.emplace_back(element);
  return half_precision;
}

// The whole output buffer after a forward pass in a workspace full of NaN.
std::vector<float> half_forward_in(const Workspace& workspace, const TestDevice& d,
                                   const Network& net, const NetworkCase& test) {
  const Matrix input = upload(d, stored_half(test.input));
  const Matrix output = upload(d, stored_half(test.output));
  const cl::Event done = net.forward(d.queue, input, output, test.batch, {}, {workspace, {}});
  const std::vector<Half> got = download<Half>(d, output, {done});
  return {got.begin(), got.end()};
}

std::vector<float> half_forward(const TestDevice& d, const Network& net, const NetworkCase& test) {
  const std::size_t bytes = net.workspace_bytes(test.batch, upload(d, stored_half(test.input)),
                                                upload(d, stored_half(test.output)));
  return half_forward_in(dirty_workspace(d, bytes), d, net, test);
}

struct HalfWay {
  std::string name;
  LibraryHandle library;
};

std::vector<HalfWay> half_ways(const TestDevice& d) {
  const auto with = [&](const std::vector<std::string>& points) {
    return Library::open(
        d.context, d.device,
        ProfileSource::text(make_profile_from_points(d, points, Precision::kHalf)));
  };
  return {{"built-in", Library::open(d.context, d.device, ProfileSource::builtin())},
          {"fused", with(fused_points())},
          {"fused, in panels", with(fused_panel_points())},
          {"split", with(split_points())},
          {"in chunks", with(morton_points())},
          {"of an older profile", with(older_points())},
          {"padded", with(padded_row_points())}};
}

TEST_CASE("random half-precision networks with every kind of plan") {
  const TestDevice d;
  const std::vector<HalfWay> all = half_ways(d);
  for (int i = 0; i < 12; ++i) {
    const unsigned seed = 1 + 100 * static_cast<unsigned>(i);
    const NetworkModel model = random_network(1 + i % 6, 90, seed);
    const auto batch = static_cast<std::size_t>(1 + i * 37 % 130);
    for (const HalfWay& way : all) {
      INFO(way.name << ", seed " << seed << ", batch " << batch);
      const Network net(way.library, model, ElementType::kHalf);
      const HalfCase test(net, model, batch, seed);
      CHECK(test.floats.wrong_against(test.right, max_relative_error(model, Precision::kHalf),
                                      half_forward(d, net, test.floats)) == "");
    }
  }
}

// Values between steps are halves and floats.
TEST_CASE("a workspace for a maximum batch suffices for all batches in half precision") {
  const TestDevice d;
  constexpr std::size_t kMaxBatch = 13;
  const NetworkModel model = normalised_layers();
  for (const HalfWay& way : half_ways(d)) {
    INFO(way.name);
    const Network net(way.library, model, ElementType::kHalf);
    const Workspace workspace = dirty_workspace(d, net.max_workspace_bytes(kMaxBatch));
    for (std::size_t batch = 1; batch <= kMaxBatch; ++batch) {
      INFO(batch);
      const HalfCase test(net, model, batch, static_cast<unsigned>(batch));
      CHECK(test.floats.wrong_against(test.right, max_relative_error(model, Precision::kHalf),
                                      half_forward_in(workspace, d, net, test.floats)) == "");
    }
  }
}

TEST_CASE("networks of the thesis in half precision") {
  const TestDevice d;
  const LibraryHandle library = Library::open(d.context, d.device, ProfileSource::builtin());
  for (const char* name : {"partial-mnist", "sigmoid-mnist"}) {
    INFO(name);
    const NetworkModel model = preset_model(name, 1);
    const Network net(library, model, ElementType::kHalf);
    const HalfCase test(net, model, 20, 0);
    CHECK(test.floats.wrong_against(test.right, max_relative_error(model, Precision::kHalf),
                                    half_forward(d, net, test.floats)) == "");
  }
}

// Also with a profile that has no half-precision kernels.
TEST_CASE("a half-precision network uses half-precision kernels and buffers") {
  const TestDevice d;
  const NetworkModel model{{affine(64, 48, true, 1), make_layer(Activation::kTanh),
                            affine(48, 32, true, 2), make_layer(Activation::kSoftmax)}};
  for (const ProfileSource& source :
       {ProfileSource::builtin(),
        ProfileSource::text(make_profile_from_points(d, fused_points()))}) {
    const LibraryHandle library = Library::open(d.context, d.device, source);
    const Network floats(library, model);
    const Network half_precision(library, model, ElementType::kHalf);
    CHECK(floats.element_type() == ElementType::kFloat);
    CHECK(half_precision.element_type() == ElementType::kHalf);
    std::size_t kernels = 0;
    for (const StepDescription& step : half_precision.describe(100)) {
      for (const std::string& kernel : step.kernels) {
        INFO(kernel);
        CHECK(kernel.front() == 'h');
        ++kernels;
      }
    }
    CHECK(kernels >= 3);
  }
  const LibraryHandle library = Library::open(d.context, d.device, ProfileSource::builtin());
  const Network half_precision(library, model, ElementType::kHalf);
  const auto in_bytes = [&](std::size_t bytes) {
    return Matrix{cl::Buffer(d.context, CL_MEM_READ_WRITE, bytes), 0, 0};
  };
  Matrix x = in_bytes(10 * 64 * 2);
  Matrix y = in_bytes(10 * 32 * 2);
  x.ld = 64;
  y.ld = 32;
  CHECK(half_precision.forward(d.queue, x, y, 10).wait() == CL_SUCCESS);
  x.buffer = in_bytes(10 * 64 * 2 - 1).buffer;
  try {
    half_precision.forward(d.queue, x, y, 10);
    FAIL("a buffer that is too small was taken");
  } catch (const Error& error) {
    CHECK(error.status() == TW_INSUFFICIENT_BUFFER_INPUT);
  }
}

void check_no_network(const LibraryHandle& library, const NetworkModel& model, ElementType type,
                      tw_status status, const std::string& what) {
  try {
    const Network net(library, model, type);
    FAIL("taken: " << what);
  } catch (const Error& error) {
    CHECK(error.status() == status);
    CHECK(std::string(error.what()).find(what) != std::string::npos);
  }
}

TEST_CASE("weights that exceed half precision are refused, and so are other types of networks") {
  const TestDevice d;
  const LibraryHandle library = Library::open(d.context, d.device, ProfileSource::builtin());
  NetworkModel model{{affine(3, 2, true, 1), affine(2, 2, true, 2)}};
  check_no_network(library, model, ElementType::kDouble, TW_UNSUPPORTED_TYPE,
                   "half precision, not " + std::string(elements_text(Precision::kDouble)));
  for (const ElementType type : {ElementType::kComplexFloat, ElementType::kComplexDouble}) {
    check_no_network(library, model, type, TW_UNSUPPORTED_TYPE, "not complex numbers");
  }
  auto& second = std::get<AffineLayer>(model.layers[1]);
  second.bias[0] = 1e6f;  // biases are floats
  second.weights[1] = 65519.0f;
  CHECK_NOTHROW(Network(library, model, ElementType::kHalf));
  second.weights[1] = -65520.0f;
  second.name = "fc2";
  check_no_network(library, model, ElementType::kHalf, TW_INVALID_NETWORK,
                   "layer 2 ('fc2') has the weight -65520");
  CHECK_NOTHROW(Network(library, model));
}

TEST_CASE("biases of a half-precision network keep single precision until they are added") {
  const TestDevice d;
  const LibraryHandle library = Library::open(d.context, d.device, ProfileSource::builtin());
  AffineLayer first{"", 1, 1, {-4096.0f}, {4097.0f}};
  const Network net(library, NetworkModel{{first}}, ElementType::kHalf);
  StoredMatrixOf<Half> one{1, 1, 0, 1, {Half(1.0f)}};
  const Matrix y = upload(d, StoredMatrixOf<Half>{1, 1, 0, 1, {Half(0.0f)}});
  const cl::Event done = net.forward(d.queue, upload(d, one), y, 1);
  // The nearest half-precision number to 4097 is 4096: a half-precision bias would give 0.
  CHECK(float{download<Half>(d, y, {done}).front()} == 1.0f);
}

// Layers that are written with their operands' numbers.
OperationLayer operation(NetworkOperation operation, const std::vector<NetworkOperand>& operands,
                         const std::vector<std::int64_t>& columns = {}) {
  return {"", operation, operands, columns};
}

NetworkOperand taken(NetworkValue value) {
  return {value, {}};
}

// As ONNX files have it: the deviations from the mean over the root of their mean square.
NetworkModel layer_normalisation() {
  return {{operation(NetworkOperation::kMean, {taken(0)}, {1}),
           operation(NetworkOperation::kSubtract, {taken(0), taken(1)}),
           operation(NetworkOperation::kMultiply, {taken(2), taken(2)}),
           operation(NetworkOperation::kMean, {taken(3)}, {1}),
           operation(NetworkOperation::kAdd, {taken(4), {kPreviousValue, {1e-5}}}),
           operation(NetworkOperation::kSqrt, {taken(5)}),
           operation(NetworkOperation::kDivide, {taken(2), taken(6)})},
          {{"x", 4}},
          {{"y", 7}}};
}

// Over the L2 norm; two layers read the sum of squares.
NetworkModel unit_rows() {
  return {{operation(NetworkOperation::kMultiply, {taken(0), taken(0)}),
           operation(NetworkOperation::kSum, {taken(1)}, {1}),
           operation(NetworkOperation::kSqrt, {taken(2)}),
           operation(NetworkOperation::kDivide, {taken(0), taken(3)}),
           operation(NetworkOperation::kLog, {taken(2)}),
           operation(NetworkOperation::kLargest, {taken(5)}, {1}),
           operation(NetworkOperation::kAdd, {taken(4), taken(6)})},
          {{"x", 4}},
          {{"y", 7}}};
}

// The logarithm of a sum of exponentials.
NetworkModel log_of_sum() {
  return {{operation(NetworkOperation::kExp, {taken(0)}),
           operation(NetworkOperation::kSum, {taken(1)}, {1}),
           operation(NetworkOperation::kLog, {taken(2)})},
          {{"x", 4}},
          {{"y", 3}}};
}

TEST_CASE("sums of large squares do not exceed half precision inside of a network") {
  const TestDevice d;
  const LibraryHandle library = Library::open(d.context, d.device, ProfileSource::builtin());
  for (const auto& [model, row] :
       {std::pair(layer_normalisation(), std::vector<double>{300, -300, 290, -310}),
        std::pair(layer_normalisation(), std::vector<double>{1e-3, -1e-3, 2e-3, -2e-3}),
        std::pair(layer_normalisation(), std::vector<double>{30000, -60000, 40000, 50000}),
        std::pair(unit_rows(), std::vector<double>{300, -300, 290, -310}),
        std::pair(unit_rows(), std::vector<double>{30000, -60000, 40000, 50000}),
        std::pair(log_of_sum(), std::vector<double>{20, 19, -20, 18})}) {
    const Network net(library, model, ElementType::kHalf);
    const cl::Buffer x = upload(d.context, Precision::kHalf, row);
    std::vector<float> stored(row.size());
    REQUIRE(read_as(d.queue, x, Precision::kHalf, stored, {}) == CL_SUCCESS);
    const auto right = host_forward(model, stored, 1);
    std::vector<float> got(right.size());
    const cl::Buffer y =
        upload(d.context, Precision::kHalf, std::vector<double>(right.size(), std::nan("")));
    const cl::Event done = net.forward(d.queue, {x, 0, 4}, {y, 0, got.size()}, 1);
    REQUIRE(read_as(d.queue, y, Precision::kHalf, got, {done}) == CL_SUCCESS);
    for (std::size_t i = 0; i < right.size(); ++i) {
      CAPTURE(right[i], got[i]);
      CHECK(std::abs(static_cast<double>(got[i]) - right[i]) <=
            max_relative_error(model, Precision::kHalf) * std::max(1.0, std::abs(right[i])));
    }
  }
}

}  // namespace
}  // namespace tilewright
