#include <algorithm>

#include "catch.hpp"
#include "model_files.hpp"

namespace tilewright {
namespace {

using Catch::Matchers::ContainsSubstring;

std::string definition(const std::string& rows, const std::string& cols, const std::string& type,
                       const std::string& file) {
  return "{\"rows\": " + rows + ", \"data_type\": \"" + type + "\", \"file\": \"" + file +
         "\", \"cols\": " + cols + "}";
}

// The network of Figure 5.3 of the thesis, with widths 2, 3, 1.
void write_thesis_files(const TemporaryFolder& folder) {
  written(folder, "1_w.json", definition("3", "2", "csv", "1_w.csv"));
  written(folder, "1_w.csv", "1,2\n3,4\n5,6\n");
  written(folder, "1 b.json", definition("3", "1", "csv", "1_b.csv"));
  written(folder, "1_b.csv", "10\n20\n30\n");
  written(folder, "2_w.json", definition("1", "3", "npy", "numbers/2_w.npy"));
  std::filesystem::create_directory(folder.file("numbers"));
  written(folder, "numbers/2_w.npy",
          npy_file_text("<f4", "False", "(1, 3)", float_bytes({7, 8, 9})));
  written(folder, "2_b.json", definition("1", "1", "npy", "numbers/2_b.npy"));
  written(folder, "numbers/2_b.npy", npy_file_text("<f8", "False", "(1,)", little_endian(0, 8)));
}

constexpr const char* kThesisNetwork = R"({
  "layers": [
    {"layer": "AffineLayer", "weights": "1_w.json", "biases": "1 b.json"},
    {"layer": "SigmoidLayer"},
    {"layer": "AffineLayer", "weights": "2_w.json", "biases": "2_b.json"},
    {"layer": "ReLULayer"}
  ],
  "size": 4
})";

// The error message for this text in the folder of the thesis' matrices.
std::string said_of_text(const std::string& text) {
  const TemporaryFolder folder;
  write_thesis_files(folder);
  const std::string path = written(folder, "net.json", text);
  return refusal<ModelError>([&] { read_network_model(path); });
}

std::string json_said(const std::string& layers) {
  return said_of_text("{\"layers\": [" + layers + "]}");
}

// The error message if one file of the thesis' network has other content.
std::string said_with(const std::string& name, const std::string& content) {
  const TemporaryFolder folder;
  write_thesis_files(folder);
  written(folder, name, content);
  const std::string path = written(folder, "net.json", kThesisNetwork);
  return refusal<ModelError>([&] { read_network_model(path); });
}

TEST_CASE("the format of the thesis is read: weights are outputs x inputs, paths are relative") {
  const TemporaryFolder folder;
  write_thesis_files(folder);
  const NetworkModel model = read_network_model(written(folder, "net.json", kThesisNetwork));
  NetworkModel expected;
  AffineLayer first{"", 2, 3, {1, 3, 5, 2, 4, 6}, {10, 20, 30}};
  AffineLayer second{"", 3, 1, {7, 8, 9}, {0}};
  expected.layers = {first, activation_layer(Activation::kSigmoid), second,
                     activation_layer(Activation::kRelu)};
  CHECK(model == expected);
}

TEST_CASE("names, all activations, and definitions without size and biases are read") {
  const TemporaryFolder folder;
  write_thesis_files(folder);
  const NetworkModel model = read_network_model(written(folder, "net.JSON", R"({"layers": [
      {"layer": "AffineLayer", "weights": "1_w.json", "name": "first"},
      {"layer": "LeakyReLULayer", "slope": 0.5}, {"layer": "LeakyReLULayer"},
      {"layer": "TanhLayer"}, {"layer": "IdentityLayer"}, {"layer": "reluLayer"},
      {"layer": "SoftmaxLayer", "name": "last"}, {"layer": "ELULayer"},
      {"layer": "HardSigmoidLayer"}, {"layer": "ClipLayer", "low": -1}]})"));
  REQUIRE(model.layers.size() == 10);
  CHECK(std::get<AffineLayer>(model.layers[0]).name == "first");
  CHECK(std::get<AffineLayer>(model.layers[0]).bias.empty());
  const auto activation = [&](std::size_t i) { return std::get<ActivationLayer>(model.layers[i]); };
  CHECK(activation(1) == ActivationLayer{"", Activation::kLeakyRelu, 0.5f});
  CHECK(activation(2) == ActivationLayer{"", Activation::kLeakyRelu, 0.01f});
  CHECK(activation(3).activation == Activation::kTanh);
  CHECK(activation(4).activation == Activation::kIdentity);
  CHECK(activation(5).activation == Activation::kRelu);
  CHECK(activation(6) == ActivationLayer{"last", Activation::kSoftmax, 0.01f});
  CHECK(activation(7) == ActivationLayer{"", Activation::kElu, 1.0f});
  CHECK(activation(8) == ActivationLayer{"", Activation::kHardSigmoid, 1.0f / 6.0f, 0.5f});
  CHECK(activation(9) == ActivationLayer{"", Activation::kClip, 0.01f, 0.5f, -1.0f, 6.0f});
}

TEST_CASE("a model written as JSON is read as the same model") {
  const TemporaryFolder folder;
  NetworkModel model = sample_model();
  model.layers.push_back(activation_layer(Activation::kIdentity));
  std::get<AffineLayer>(model.layers[0]).name = "erste \"Schicht\" \xc3\xa4";
  write_network_model(model, folder.file("net.json"));
  CHECK(read_network_model(folder.file("net.json")) == model);
  // Layers are counted from 1; the second affine layer has no bias.
  CHECK(std::filesystem::exists(folder.file("net.layer1.weights.npy")));
  CHECK(std::filesystem::exists(folder.file("net.layer1.biases.json")));
  CHECK(std::filesystem::exists(folder.file("net.layer3.weights.json")));
  CHECK_FALSE(std::filesystem::exists(folder.file("net.layer3.biases.npy")));
  // The file stores a layer as the thesis does: outputs x inputs, and the biases as a column.
  CHECK(read_matrix(folder.file("net.layer1.weights.npy")).rows == 5);
  CHECK(read_matrix(folder.file("net.layer1.biases.npy")).columns == 1);
  // Write again over the existing files, with a name that is not valid UTF-8.
  std::get<AffineLayer>(model.layers[0]).name = "\xff";
  write_network_model(model, folder.file("net.json"));
  CHECK(read_network_model(folder.file("net.json")).layers.size() == model.layers.size());
}

// A text with apostrophes instead of quotes, and what the message for it contains.
struct RefusedText {
  std::string text;
  std::string place;
  std::string keyword = "";
};

std::string quoted(std::string text) {
  std::replace(text.begin(), text.end(), '\'', '"');
  return text;
}

template <class Said>
void check_refused(const std::vector<RefusedText>& rows, const Said& said) {
  for (const RefusedText& row : rows) {
    INFO(row.text);
    CHECK_THAT(said(quoted(row.text)),
               ContainsSubstring(row.place) && ContainsSubstring(row.keyword));
  }
}

TEST_CASE("errors in a definition are reported with their place") {
  check_refused({{"{'layers': [", "net.json': is not JSON"},
                 {"{\n  'layers': x}", "line 2, column 13"},
                 {"\xef\xbb\xbf{'layers': {}}", "'layers'", "list"},
                 {"", "is not JSON"},
                 {"[]", "net.json'", "object"},
                 {"{}", "net.json'", "no key 'layers'"},
                 {"{'layers': [], 'size': 3}", "'size'", "0 layers"},
                 {"{'layers': [], 'size': -1}", "'size'", "whole"},
                 {"{'layers': [], 'Size': 0}", "'Size'", "unknown"},
                 {"{'layers': [1e999]}", "net.json': "}},
                said_of_text);
  const std::string affine = "{'layer': 'AffineLayer', 'weights': ";
  check_refused(
      {{"", "net.json'", "no layers"},
       {"{'layer': 'ReLULayer'}", "input 1", "unknown"},
       {"7", "layer 1", "object"},
       {"{'layer': 7}", "layer 1: key 'layer'", "string"},
       {"{'layer': 'ReLULayer'}, {'weights': '1_w.json'}", "layer 2", "no key 'layer'"},
       {"{'layer': 'ConvLayer'}", "layer 1: key 'layer'", "'ConvLayer'"},
       {"{'layer': 'ReLULayer', 'slope': 1}", "layer 1 (ReLULayer)", "unknown key 'slope'"},
       {"{'layer': 'LeakyReLULayer', 'slope': '1'}", "layer 1 (LeakyReLULayer): key 'slope'",
        "number"},
       {"{'layer': 'AffineLayer', 'biases': '1 b.json'}", "layer 1 (AffineLayer)",
        "no key 'weights'"},
       {affine + "'1_w.json', 'bias': 'b'}", "layer 1", "unknown key 'bias'"},
       {affine + "'1_w.json', 'biases': '2_b.json'}", "layer 1 (AffineLayer): biases", "1 x 1"},
       {affine + "'2_w.json'}, " + affine + "'1_w.json'}", "layer 2", "2 inputs"},
       {affine + "'none.json'}", "layer 1 (AffineLayer), weights", "none.json'"},
       {affine + "'numbers'}", "layer 1", "regular file"}},
      json_said);
}

TEST_CASE("errors in a matrix are reported with its layer and file") {
  const std::string place = "net.json': layer 1 (AffineLayer), weights '";
  const auto file = [](const char* rows, const char* cols, const char* type, const char* name) {
    return definition(rows, cols, type, name);
  };
  check_refused({{"{'rows': 3", place, "1_w.json': is not JSON"},
                 {"[]", "1_w.json'", "object"},
                 {"{'rows': 3, 'cols': 2, 'data_type': 'csv'}", place, "no key 'file'"},
                 {"{'rows': 3, 'data_type': 'csv', 'file': '1_w.csv'}", place, "no key 'cols'"},
                 {file("3", "2", "hdf5", "1_w.csv"), "'data_type'", "'hdf5'"},
                 {file("3", "2.0", "csv", "1_w.csv"), "'cols'", "whole"},
                 {file("-3", "2", "csv", "1_w.csv"), "'rows'", "whole"},
                 {file("18446744073709551615", "2", "csv", "1_w.csv"), "'rows'", "whole"},
                 {file("1099511627776", "1099511627776", "csv", "1_w.csv"), place,
                  "1099511627776 x 1099511627776"},
                 // Only vectors may be stored transposed.
                 {file("2", "3", "csv", "1_w.csv"), place, "is 2 x 3"},
                 {file("3", "2", "csv", "none.csv"), place, "none.csv'"}},
                [](const std::string& text) { return said_with("1_w.json", text); });
  CHECK_THAT(said_with("1_w.csv", "1,2\n3\n"),
             ContainsSubstring(place) && ContainsSubstring("line 2"));
  CHECK_THAT(said_with("numbers/2_w.npy", "PK"),
             ContainsSubstring("layer 3 (AffineLayer), weights") && ContainsSubstring(".npy"));
  CHECK_THAT(
      said_with("numbers/2_b.npy", npy_file_text("<f4", "False", "(1099511627776,)", "1234")),
      ContainsSubstring("layer 3 (AffineLayer), biases") && ContainsSubstring("truncated"));
}

TEST_CASE("a definition can only refer to files in its folder or below") {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder.file("net"));
  std::filesystem::create_directory(folder.file("net/numbers"));
  const std::string layer = "{\"layer\": \"AffineLayer\", \"weights\": \"";
  const auto net = [&](const std::string& weights) {
    return read_network_model(
        written(folder, "net/net.json", "{\"layers\": [" + layer + weights + "\"}]}"));
  };
  const auto said = [&](const std::string& weights) {
    return refusal<ModelError>([&] { net(weights); });
  };
  for (const char* const place : {"", "net/", "net/numbers/"}) {
    written(folder, std::string(place) + "w.json", definition("1", "1", "csv", "w.csv"));
    written(folder, std::string(place) + "w.csv", "1\n");
  }
  CHECK(net("numbers/../w.json").layers.size() == 1);
  CHECK(net("./numbers/w.json").layers.size() == 1);
  for (const std::string& elsewhere :
       {folder.file("w.json"), folder.file("net/w.json"), std::string("../w.json"),
        std::string("../net/w.json"), std::string("numbers/../../w.json"), std::string()}) {
    INFO(elsewhere);
    CHECK_THAT(said(elsewhere), ContainsSubstring("layer 1 (AffineLayer): key 'weights'") &&
                                    ContainsSubstring("in the folder"));
    // Also the file that a matrix definition refers to: it must be in the folder of the
    // definition.
    written(folder, "net/numbers/w.json", definition("1", "1", "csv", elsewhere));
    CHECK_THAT(said("numbers/w.json"), ContainsSubstring("w.json': key 'file'") &&
                                           ContainsSubstring("'; the file must be in"));
  }
}

TEST_CASE("a definition cannot refer to files through links out of its folder, or with a NUL") {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder.file("net"));
  written(folder, "w.csv", "1\n");
  written(folder, "net/own.csv", "1\n");
  std::filesystem::create_symlink("../w.csv", folder.file("net/outside.csv"));
  std::filesystem::create_symlink("own.csv", folder.file("net/inside.csv"));
  const auto said = [&](const std::string& file) {
    written(folder, "net/w.json", definition("1", "1", "csv", file));
    const std::string path =
        written(folder, "net/net.json",
                "{\"layers\": [{\"layer\": \"AffineLayer\", \"weights\": \"w.json\"}]}");
    return refusal<ModelError>([&] { read_network_model(path); });
  };
  CHECK(said("inside.csv").empty());
  CHECK_THAT(said("outside.csv"), ContainsSubstring("'outside.csv'"));
  CHECK_THAT(said("own.csv\\u0000.png"),
             ContainsSubstring("key 'file'") && ContainsSubstring("; the file must be in"));
}

TEST_CASE("a small definition cannot use large weights any number of times") {
  const auto layers = [](int count) {
    const std::string layer = "{\"layer\": \"AffineLayer\", \"weights\": \"2_w.json\"}";
    std::string text = layer;
    for (int i = 1; i < count; ++i) text += ", " + layer;
    return text;
  };
  // The outputs of a 1 x 3 layer do not fit the inputs of the next one. That is checked after all
  // layers are read, so a message about it shows that 16 layers were read.
  CHECK_THAT(json_said(layers(16)), ContainsSubstring("layer 2: has 3 inputs"));
  CHECK_THAT(json_said(layers(17)),
             ContainsSubstring("layer 17 (AffineLayer)") && ContainsSubstring("16 times"));
}

TEST_CASE("deep nesting and megabytes of text are handled", "[long]") {
  CHECK_THAT(said_of_text(std::string(1 << 20, '[')), ContainsSubstring("is not JSON"));
  const std::string deep = std::string(1 << 20, '[') + std::string(1 << 20, ']');
  CHECK_THAT(json_said(deep), ContainsSubstring("layer 1: is not"));
  const std::string text(1 << 20, 'x');
  CHECK(json_said("{\"layer\": \"" + text + "\"}").size() < 1000);
  CHECK(json_said("{\"layer\": \"ReLULayer\", \"" + text + "\": 1}").size() < 1000);
}

std::string listed(const std::string& values, const char* rest = "") {
  return "{\"layers\": [{\"layer\": \"AffineLayer\", \"weights\": {\"rows\": 2, \"cols\": 3, "
         "\"data_type\": \"values\", \"values\": [" +
         values + "]" + rest + "}}]}";
}

TEST_CASE("a network whose text has its matrices is read from a file and from memory") {
  const TemporaryFolder folder;
  const NetworkModel right{{AffineLayer{"", 3, 2, {1, 4, 2, 5, 3, 6}, {}}}};
  for (const std::string before : {"", "\xef\xbb\xbf", " \r\n\t"}) {
    const std::string text = before + listed("1, 2, 3, 4, 5, 6");
    CHECK(read_network_model(text.data(), text.size()) == right);
    CHECK(read_network_model(written(folder, "net.json", text)) == right);
  }
}

TEST_CASE("errors of JSON in memory say so, with line and column, or key") {
  const auto said = [](const std::string& text) {
    return refusal<ModelError>([&] { read_network_model(text.data(), text.size()); });
  };
  const std::string affine = "{'layers': [{'layer': 'AffineLayer', 'weights': ";
  check_refused(
      {{"{\n  'layers': [}", "in memory", "line 2, column 14"},
       {listed("1, 2, 3, 4"), "in memory, layer 1 (AffineLayer), key 'weights'", "4 numbers"},
       {listed("1, 2, 3, 4, null, 6"), "key 'values'", "element 5"},
       {listed("1, 2, 3, 4, 5, 6", ", \"file\": \"w.npy\""), "layer 1", "'file'"},
       {kThesisNetwork, "key 'weights'", "'1_w.json', a file"},
       {affine + definition("2", "3", "csv", "w.csv") + "}]}", "key 'file'", "'w.csv', a file"},
       {affine + "7}]}", "key 'weights'", "string"},
       {affine + "{'rows': 4000000000, 'cols': 0, 'data_type': 'values', 'values': []}}]}",
        "layer 1", "0 inputs"}},
      said);
}

}  // namespace
}  // namespace tilewright
