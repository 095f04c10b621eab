// Small files that claim large sizes: reading them must not allocate more than the size of the
// file justifies.
//
// The operator new of this program counts all requested bytes.
#include <cstdlib>
#include <new>

#include "catch.hpp"
#include "model_files.hpp"
#include "onnx/onnx_sample.hpp"
#include "runtime/network/steps/network_steps.hpp"

namespace {

using Catch::Matchers::ContainsSubstring;

std::size_t allocated_bytes = 0;

void* counted(std::size_t bytes) {
  allocated_bytes += bytes;
  void* memory = std::malloc(bytes == 0 ? 1 : bytes);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

void* operator new(std::size_t bytes) {
  return counted(bytes);
}
void* operator new[](std::size_t bytes) {
  return counted(bytes);
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  allocated_bytes += bytes;
  return std::malloc(bytes == 0 ? 1 : bytes);
}
void operator delete(void* memory, const std::nothrow_t&) noexcept {
  std::free(memory);
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete[](void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::size_t) noexcept {
  std::free(memory);
}

namespace tilewright {
namespace {

// The bytes requested in `body`, which must throw `Exception`. Memory that is freed again counts.
template <class Exception, class Body>
std::size_t bytes_until_refusal(const Body& body) {
  const std::size_t before = allocated_bytes;
  REQUIRE_FALSE(refusal<Exception>(body).empty());
  return allocated_bytes - before;
}

// Enough for messages, buffers and the like.
constexpr std::size_t kSmall = 64 << 10;

TEST_CASE("the allocation counter works") {
  const std::size_t before = allocated_bytes;
  const std::vector<float> some(1000);
  CHECK(allocated_bytes - before >= 4000);
}

TEST_CASE("a small .npy file with a huge header is refused without allocating") {
  const TemporaryFolder folder;
  const std::string data = float_bytes({1, 2, 3});
  for (const char* const shape : {"(1099511627776,)", "(1048576, 1048576)", "(1099511627776, 3)",
                                  "(3, 1099511627776)", "(4, 1)", "(4294967296, 4294967297)"}) {
    for (const char* const order : {"False", "True"}) {
      CAPTURE(shape, order);
      const std::string path = written(folder, "x.npy", npy_file_text("<f4", order, shape, data));
      CHECK(bytes_until_refusal<MatrixFileError>([&] { read_npy(path); }) < kSmall);
    }
  }
  const std::string path =
      written(folder, "x.npy", std::string("\x93NUMPY\2\0\xff\xff\xff\xff{", 13));
  CHECK(bytes_until_refusal<MatrixFileError>([&] { read_npy(path); }) < kSmall);
}

TEST_CASE("a JSON definition larger than its matrices is refused without allocating") {
  const TemporaryFolder folder;
  written(folder, "w.csv", "1,2\n");
  const std::string path = written(folder, "net.json",
                                   "{\"layers\": [{\"layer\": \"AffineLayer\", \"weights\": "
                                   "\"w.json\"}]}");
  for (const char* const extents :
       {"\"rows\": 1099511627776, \"cols\": 2", "\"rows\": 1, \"cols\": 1099511627776",
        "\"rows\": 1099511627776, \"cols\": 1099511627776"}) {
    written(folder, "w.json",
            std::string("{\"data_type\": \"csv\", \"file\": \"w.csv\", ") + extents + "}");
    CHECK(bytes_until_refusal<ModelError>([&] { read_network_model(path); }) < kSmall);
  }
  // A matrix without rows that claims many columns.
  written(folder, "w.npy", npy_file_text("<f4", "False", "(0, 1099511627776)", ""));
  written(folder, "w.json",
          "{\"data_type\": \"npy\", \"file\": \"w.npy\", \"rows\": 0, \"cols\": 1099511627776}");
  CHECK(bytes_until_refusal<ModelError>([&] { read_network_model(path); }) < kSmall);
}

TEST_CASE("an ONNX file that promises more data than it has is refused without allocating") {
  const TemporaryFolder folder;
  const auto claimed_bytes = [&folder](const OnnxSample& sample) {
    const std::string path = written(folder, "net.onnx", sample.bytes());
    return bytes_until_refusal<ModelError>([&] { read_network_model(path); });
  };
  const std::int64_t large = std::int64_t{1} << 40;
  for (const bool typed : {false, true}) {
    for (const auto& [rows, columns] : {std::pair{large, std::int64_t{1}},
                                        {large, large},
                                        {std::int64_t{0}, large},
                                        {2, large}}) {
      OnnxSample sample = gemm_sample();
      onnx::Tensor& weights = sample.graph().initializer[0];
      weights.dims[0] = rows;
      weights.dims[1] = columns;
      if (typed) weights.raw_data.reset();
      CHECK(claimed_bytes(sample) < kSmall);
    }
  }
  // 1100 nodes that use one weight of 64 KiB: 64 MiB of copies are read, then the file is refused.
  OnnxSample many;
  many.input("0", {0, 128});
  many.raw("w", {128, 128}, std::vector<float>(128 * 128, 1.0f));
  for (int i = 0; i < 1100; ++i) {
    many.node("MatMul", {std::to_string(i), "w"}, std::to_string(i + 1));
  }
  many.output("1100", {0, 128});
  CHECK(claimed_bytes(many) < 40 * many.bytes().size() + (std::size_t{256} << 20));
}

TEST_CASE("an ONNX file with lengths beyond its end is refused without allocating") {
  const auto claimed_bytes = [](const std::string& bytes) {
    return bytes_until_refusal<ModelError>([&] { read_network_model(bytes.data(), bytes.size()); });
  };
  for (const char* const length : {"\x7f", "\xff\xff\xff\xff\x07", "\xff\xff\xff\xff\x0f",
                                   "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"}) {
    // The graph; an initialiser of the graph; raw data, floats and integers of an initialiser.
    for (const char* const field : {"\x3a", "\x3a\x20\x2a", "\x3a\x20\x2a\x1e\x4a",
                                    "\x3a\x20\x2a\x1e\x22", "\x3a\x20\x2a\x1e\x3a"}) {
      std::string bytes = std::string(field) + length;
      bytes.resize(34, '\1');
      CHECK(claimed_bytes(bytes) < kSmall);
    }
  }
}

// A field of a message of Protocol Buffers that has a length.
std::string field(int number, const std::string& content) {
  std::string bytes(1, static_cast<char>(number << 3 | 2));
  std::size_t length = content.size();
  for (; length > 0x7f; length >>= 7) bytes += static_cast<char>((length & 0x7f) | 0x80);
  return bytes + static_cast<char>(length) + content;
}

TEST_CASE("an ONNX file of names or integers that need more memory than bytes is refused") {
  constexpr int kGraph = 7, kNode = 1, kInitializer = 5, kInt64Data = 7;
  std::string names;
  for (int i = 0; i < 3'000'000; ++i) names += field(1, "");
  const std::string nodes = field(kGraph, field(kNode, names));
  // A vector of a million names, and those that it has outgrown.
  CHECK(bytes_until_refusal<ModelError>([&] { read_network_model(nodes.data(), nodes.size()); }) <
        std::size_t{100} << 20);
  CHECK_THAT(refusal<ModelError>([&] { read_network_model(nodes.data(), nodes.size()); }),
             ContainsSubstring("more than 1000000 nodes"));
  const std::string integers =
      field(kGraph, field(kInitializer, field(kInt64Data, std::string((1 << 27) + 1, '\1'))));
  CHECK(bytes_until_refusal<ModelError>(
            [&] { read_network_model(integers.data(), integers.size()); }) < kSmall);
}

TEST_CASE("a small file cannot move many columns often") {
  const TemporaryFolder folder;
  // 1000 times the same input, of which the file claims a million columns.
  const std::int64_t columns = std::int64_t{1} << 20;
  OnnxSample sample;
  sample.input("x", {0, columns});
  onnx::Node& concat = sample.node("Concat", std::vector<std::string>(1000, "x"), "y");
  OnnxSample::set(concat, "axis", std::int64_t{1});
  sample.output("y", {0, 1000 * columns});
  const std::string path = written(folder, "net.onnx", sample.bytes());
  // 8 numbers of 8 bytes for each column that an application must provide anyway.
  CHECK(bytes_until_refusal<ModelError>([&] { read_network_model(path); }) <
        80 * std::size_t{1 << 20});
}

// A node for each of 0, 1, 2 ..., of the node before it.
OnnxSample long_sample(int count, const std::string& op, const std::vector<std::string>& others) {
  OnnxSample sample;
  sample.input("0", {0, 2});
  sample.raw("half", {}, {0.5f});
  for (int i = 0; i < count; ++i) {
    std::vector<std::string> inputs = {std::to_string(i)};
    inputs.insert(inputs.end(), others.begin(), others.end());
    sample.node(op, inputs, std::to_string(i + 1));
  }
  sample.output(std::to_string(count), {0, 2});
  return sample;
}

TEST_CASE("the memory for a long network is proportional to its length") {
  // Also of memory that is freed again, which counts the work of searching groups of layers.
  const auto bytes_per_node = [](int count, const std::string& op,
                                 const std::vector<std::string>& others) {
    const std::string bytes = long_sample(count, op, others).bytes();
    const std::size_t before = allocated_bytes;
    network_steps(read_network_model(bytes.data(), bytes.size()));
    return (allocated_bytes - before) / static_cast<std::size_t>(count);
  };
  CHECK(bytes_per_node(20000, "Relu", {}) < 8 << 10);
  CHECK(bytes_per_node(20000, "Neg", {}) < 128 << 10);
  CHECK(bytes_per_node(20000, "Mul", {"half"}) < 128 << 10);
}

TEST_CASE("a network of very many layers is refused") {
  const auto said = [](int count, const char* op, const std::vector<std::string>& others) {
    const std::string bytes = long_sample(count, op, others).bytes();
    return refusal<ModelError>([&] { read_network_model(bytes.data(), bytes.size()); });
  };
  CHECK(said(65536, "Relu", {}).empty());
  CHECK_THAT(said(65537, "Relu", {}),
             ContainsSubstring("node 65537 of 65537 (Relu") && ContainsSubstring("65536"));
  CHECK_THAT(said(20000, "LayerNormalization", {"half"}), ContainsSubstring("65536"));
}

TEST_CASE("a small file cannot copy a computed constant into many layers") {
  const TemporaryFolder folder;
  const std::int64_t columns = std::int64_t{1} << 20;
  OnnxSample sample;
  sample.input("0", {0, columns});
  sample.integers("extents", {1, columns});
  sample.node("ConstantOfShape", {"extents"}, "zeros");
  for (int i = 0; i < 1000; ++i) {
    sample.node("Add", {std::to_string(i), "zeros"}, std::to_string(i + 1));
  }
  sample.output("1000", {0, columns});
  const std::string path = written(folder, "net.onnx", sample.bytes());
  // Three copies of 8 bytes per column for each of the first seven nodes.
  CHECK(bytes_until_refusal<ModelError>([&] { read_network_model(path); }) <
        320 * std::size_t{1 << 20});
}

TEST_CASE("many inputs do not justify more constants than one") {
  const TemporaryFolder folder;
  const std::int64_t columns = std::int64_t{1} << 20;
  OnnxSample sample;
  for (int i = 0; i < 1000; ++i) sample.input("x" + std::to_string(i), {0, columns});
  sample.integers("extents", {1, columns});
  sample.node("Sum", {"x0"}, "0");
  for (int i = 1; i < 1000; ++i) {
    const std::string number = std::to_string(i);
    sample.node("Add", {std::to_string(i - 1), "x" + number}, number);
  }
  sample.node("ConstantOfShape", {"extents"}, "c0");
  for (int i = 0; i < 200; ++i) {
    sample.node("Exp", {"c" + std::to_string(i)}, "c" + std::to_string(i + 1));
  }
  sample.node("Add", {"999", "c200"}, "y");
  sample.output("y", {0, columns});
  const std::string path = written(folder, "net.onnx", sample.bytes());
  CHECK(bytes_until_refusal<ModelError>([&] { read_network_model(path); }) <
        320 * std::size_t{1 << 20});
}

TEST_CASE("a small model with many operations is not written as large affine layers") {
  const TemporaryFolder folder;
  NetworkModel model;
  model.inputs = {{"x", 4096}};
  for (int i = 0; i < 40; ++i) {
    model.layers.emplace_back(
        OperationLayer{"", NetworkOperation::kMultiply, {{}, {0, {2.0}}}, {}});
  }
  CHECK(bytes_until_refusal<ModelError>(
            [&] { write_network_model(model, folder.file("net.json")); }) < (std::size_t{1} << 30));
}

// The bytes to read a file in which each output depends on all nodes before it, and half of them on
// one that is wrong.
std::size_t bytes_of_outputs(int count) {
  OnnxSample sample;
  sample.input("0", {0, 2});
  for (int i = 0; i < count; ++i) {
    sample.node(i == count / 2 ? "LSTM" : "Neg", {std::to_string(i)}, std::to_string(i + 1));
    sample.output(std::to_string(i + 1), {0, 2});
  }
  const std::string bytes = sample.bytes();
  const std::size_t before = allocated_bytes;
  CHECK(read_network_model(bytes.data(), bytes.size()).outputs.size() ==
        static_cast<std::size_t>(count) / 2);
  return allocated_bytes - before;
}

TEST_CASE("the memory to read a file is linear in its outputs and nodes") {
  CHECK(bytes_of_outputs(16'000) < 5 * bytes_of_outputs(4'000));
}

// Nodes whose attributes and constants are extents, axes, indices and counts.
OnnxSample moving_sample() {
  return graph(
      "x[N,2,3] => y[N,8]; starts:INT64[1] = 0; ends:INT64[1] = 2; axes:INT64[1] = 2; "
      "sizes:INT64[2] = 1 1; wide:INT64[3] = 1 2 4; first:INT64[1] = 0; rows:INT64[2] = -1 8; "
      "count:INT64[1] = 8; sliced = Slice(x,starts,ends,axes); "
      "left, right = Split(sliced,sizes) axis=2; gathered = Gather(left,first) axis=2; "
      "joined = Concat(gathered,gathered,right,right) axis=2; expanded = Expand(joined,wide); "
      "flat = Reshape(expanded,rows); zeros = ConstantOfShape(count); y = Add(flat,zeros)");
}

TEST_CASE("moves with any changed byte are read or refused, in little memory") {
  REQUIRE_NOTHROW(moving_sample().read());
  const std::string whole = moving_sample().bytes();
  int read = 0;
  int refused = 0;
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const char other : {'\0', '\1', '\x7f', '\x80', '\xff'}) {
      std::string damaged = whole;
      damaged[at] = other;
      const std::size_t before = allocated_bytes;
      try {
        read_network_model(damaged.data(), damaged.size());
        ++read;
      } catch (const ModelError&) {
        ++refused;
      }
      CHECK(allocated_bytes - before < (std::size_t{128} << 20));
    }
  }
  CHECK(read > 100);
  CHECK(refused > 100);
}

}  // namespace
}  // namespace tilewright
