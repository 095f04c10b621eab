// Tests the decoder with bytes that our encoder does not write. Files of exporters are in exported/
// and pytorch/; the tests of runtime/network run them.
#include "onnx/onnx_codec.hpp"

#include <algorithm>
#include <filesystem>

#include "catch.hpp"
#include "model_files.hpp"
#include "onnx/onnx_sample.hpp"

namespace tilewright {
namespace {

using Catch::Matchers::ContainsSubstring;

std::string varint(std::uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) bytes += static_cast<char>(value | 0x80);
  return bytes + static_cast<char>(value);
}

// Fields of a message, by wire type.
std::string field(int number, int wire_type, const std::string& content) {
  return varint(static_cast<std::uint64_t>(number * 8 + wire_type)) + content;
}
std::string number_field(int number, std::uint64_t value) {
  return field(number, 0, varint(value));
}
std::string bytes_field(int number, const std::string& bytes) {
  return field(number, 2, varint(bytes.size()) + bytes);
}

// A model with one graph that has these fields.
std::string graph_field(const std::string& fields) {
  return bytes_field(7, fields);
}

onnx::Model decoded(const std::string& bytes) {
  return onnx::decode(bytes, {"net.onnx", ""});
}

std::string refusal_of(const std::string& bytes) {
  return refusal<ModelError>([&] { decoded(bytes); });
}

onnx::Tensor decoded_tensor(const std::string& fields) {
  static std::string bytes;
  bytes = graph_field(bytes_field(5, fields));
  return decoded(bytes).graph->initializer.at(0);
}

TEST_CASE("repeated numbers of ONNX are read packed, not packed and mixed") {
  const std::string minus_one(9, '\xff');
  const onnx::Tensor tensor = decoded_tensor(
      number_field(1, 300) + bytes_field(1, varint(2) + minus_one + "\x01") + number_field(1, 5) +
      bytes_field(4, float_bytes({1, -2})) + field(4, 5, float_bytes({0.5f})) +
      bytes_field(5, varint(65535) + minus_one + "\x01") + number_field(5, 7) +
      bytes_field(10, little_endian(0x3ff0000000000000, 8)) +
      field(10, 1, little_endian(0xc000000000000000, 8)) + number_field(11, ~std::uint64_t{0}) +
      bytes_field(7, ""));
  CHECK(tensor.dims == std::vector<std::int64_t>{300, 2, -1, 5});
  CHECK(tensor.float_data == std::vector<float>{1, -2, 0.5f});
  CHECK(tensor.int32_data == std::vector<std::int32_t>{65535, -1, 7});
  CHECK(tensor.double_data == std::vector<double>{1, -2});
  CHECK(tensor.uint64_data == std::vector<std::uint64_t>{~std::uint64_t{0}});
  CHECK(tensor.int64_data.empty());
  CHECK_FALSE(tensor.raw_data);
  CHECK(decoded_tensor(bytes_field(9, "")).raw_data == "");
}

TEST_CASE("fields of ONNX that are not known are skipped, in any wire type") {
  const std::string unknown = number_field(99, 1) + field(98, 5, "abcd") +
                              field(97, 1, "abcdefgh") + bytes_field(96, "\xff\xff\xff") +
                              bytes_field(18999, "");
  const onnx::Model model = decoded(
      unknown + graph_field(unknown + bytes_field(1, unknown + bytes_field(4, "Relu") + unknown)) +
      unknown + bytes_field(8, number_field(2, 13) + unknown));
  REQUIRE(model.graph);
  REQUIRE(model.graph->node.size() == 1);
  CHECK(model.graph->node[0].op_type == "Relu");
  REQUIRE(model.opset_import.size() == 1);
  CHECK(model.opset_import[0].version == 13);
}

TEST_CASE("a field that occurs twice has its last value, and messages are merged") {
  const onnx::Model model =
      decoded(number_field(1, 7) + number_field(1, 8) + graph_field(bytes_field(2, "a")) +
              graph_field(bytes_field(2, "b")) + graph_field(bytes_field(1, "")));
  CHECK(model.ir_version == 8);
  CHECK(model.graph->name == "b");
  CHECK(model.graph->node.size() == 1);
}

TEST_CASE("ONNX fields of a wrong wire type are refused") {
  CHECK_THAT(refusal_of(number_field(7, 1)), ContainsSubstring("field 7 has the wire type 0"));
  CHECK_THAT(refusal_of(bytes_field(1, "x")), ContainsSubstring("field 1 has the wire type 2"));
  CHECK_THAT(refusal_of(graph_field(bytes_field(5, number_field(4, 1)))),
             ContainsSubstring("field 4 has the wire type 0"));
  CHECK_THAT(refusal_of(graph_field(bytes_field(5, field(1, 5, "abcd")))),
             ContainsSubstring("field 1 has the wire type 5"));
  for (const int group : {3, 4, 6, 7}) {
    CHECK_THAT(refusal_of(field(7, group, "")), ContainsSubstring("not an ONNX file"));
  }
  CHECK_THAT(refusal_of(number_field(0, 1)), ContainsSubstring("not an ONNX file"));
}

TEST_CASE("ONNX lengths beyond the end are refused") {
  for (const std::uint64_t length :
       {std::uint64_t{1}, std::uint64_t{0x7fffffff}, std::uint64_t{0x80000000},
        std::uint64_t{0xffffffff}, std::uint64_t{1} << 32, ~std::uint64_t{0}}) {
    CAPTURE(length);
    const std::string claim = varint(length);
    const std::string expected = "'net.onnx': is not an ONNX file, or is truncated";
    CHECK(refusal_of(field(7, 2, claim)) == expected);                               // the graph
    CHECK(refusal_of(field(99, 2, claim)) == expected);                              // unknown
    CHECK(refusal_of(graph_field(field(2, 2, claim))) == expected);                  // a name
    CHECK(refusal_of(graph_field(bytes_field(5, field(9, 2, claim)))) == expected);  // raw data
    CHECK(refusal_of(graph_field(bytes_field(5, field(4, 2, claim)))) == expected);  // packed
    CHECK(refusal_of(graph_field(bytes_field(5, field(7, 2, claim)))) == expected);
  }
  // Packed numbers that are not whole.
  CHECK_FALSE(refusal_of(graph_field(bytes_field(5, bytes_field(4, "abcde")))).empty());
  CHECK_FALSE(refusal_of(graph_field(bytes_field(5, bytes_field(7, "\x01\x80")))).empty());
  CHECK_FALSE(
      refusal_of(graph_field(bytes_field(5, bytes_field(7, std::string(11, '\xff'))))).empty());
}

TEST_CASE("deeply nested graphs and types in an ONNX file are skipped") {
  std::string graphs;
  std::string types;
  for (int depth = 0; depth < 5000; ++depth) {
    // A graph with a node with an attribute with a graph ...; a sequence of sequences ...
    graphs = bytes_field(1, bytes_field(5, bytes_field(6, graphs)));
    types = bytes_field(4, bytes_field(1, types));
  }
  const onnx::Model model = decoded(graph_field(graphs + bytes_field(12, bytes_field(2, types))));
  REQUIRE(model.graph->node.size() == 1);
  CHECK(model.graph->node[0].attribute.size() == 1);
  CHECK(model.graph->output.at(0).type.sequence_type);
}

TEST_CASE("an ONNX file with too many parts is refused") {
  std::string nodes;
  for (int i = 0; i < 1'000'000; ++i) nodes += bytes_field(1, "");
  CHECK_THAT(refusal_of(graph_field(nodes)), ContainsSubstring("1000000 nodes"));
}

// The files that exporters wrote.
std::vector<std::string> exported_files() {
  std::vector<std::string> paths;
  for (const char* const folder : {"exported", "pytorch"}) {
    for (const auto& entry :
         std::filesystem::directory_iterator(std::string(TILEWRIGHT_TEST_MODELS "/") + folder)) {
      if (entry.path().extension() == ".onnx") paths.push_back(entry.path().string());
    }
  }
  return paths;
}

TEST_CASE("exported ONNX files, decoded and encoded, are the same networks") {
  const TemporaryFolder folder;
  const std::vector<std::string> paths = exported_files();
  REQUIRE(paths.size() > 80);
  for (const std::string& path : paths) {
    CAPTURE(path);
    const std::string bytes = read_content(path);
    const onnx::Model model = onnx::decode(bytes, {path, ""});
    const std::string encoded = onnx::encode(model);
    CHECK(onnx::encode(onnx::decode(encoded, {})) == encoded);
    if (std::filesystem::exists(path + ".data")) continue;  // the copy is in another folder
    CHECK(read_network_model(written(folder, "net.onnx", encoded)) == read_network_model(path));
  }
}

TEST_CASE("an exported ONNX file that ends early is refused, wherever it ends") {
  const std::string whole = read_content(TILEWRIGHT_TEST_MODELS "/pytorch/actor.dynamo-18.onnx");
  REQUIRE(whole.size() > 1000);
  REQUIRE_NOTHROW(read_network_model(whole.data(), whole.size()));
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const std::string part = whole.substr(0, size);
    const std::string refused =
        refusal<ModelError>([&] { read_network_model(part.data(), part.size()); });
    CAPTURE(size);
    REQUIRE_THAT(refused, ContainsSubstring("not an ONNX file"));
  }
}

}  // namespace
}  // namespace tilewright
