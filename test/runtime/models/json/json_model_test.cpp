#include "catch.hpp"
#include "model_files.hpp"

namespace tilewright {
namespace {

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

TEST_CASE("errors in a definition are reported with their place") {
  using Catch::Matchers::ContainsSubstring;
  CHECK_THAT(said_of_text("{\"layers\": ["),
             ContainsSubstring("net.json': is not JSON: it ends too early"));
  CHECK_THAT(said_of_text("{\n  \"layers\": x}"),
             ContainsSubstring("net.json': is not JSON: syntax error in line 2, column 13"));
  CHECK_THAT(said_of_text("\xef\xbb\xbf{\"layers\": {}}"),
             ContainsSubstring("key 'layers' must be a list"));
  CHECK_THAT(said_of_text(""), ContainsSubstring("is not JSON"));
  CHECK_THAT(said_of_text("[]"), ContainsSubstring("is not a JSON object"));
  CHECK_THAT(said_of_text("{}"), ContainsSubstring("net.json': has no key 'layers'"));
  CHECK_THAT(said_of_text("{\"layers\": {}}"), ContainsSubstring("key 'layers' must be a list"));
  CHECK_THAT(said_of_text("{\"layers\": [], \"size\": 3}"),
             ContainsSubstring("key 'size' is 3, but there are 0 layers"));
  CHECK_THAT(said_of_text("{\"layers\": [], \"size\": -1}"),
             ContainsSubstring("key 'size' must be a whole number"));
  CHECK_THAT(said_of_text("{\"layers\": [], \"Size\": 0}"),
             ContainsSubstring("unknown key 'Size'"));
  CHECK_THAT(said_of_text("{\"layers\": [1e999]}"), ContainsSubstring("net.json': "));
  CHECK_THAT(json_said(""), ContainsSubstring("net.json': has no layers"));
  CHECK_THAT(json_said("{\"layer\": \"ReLULayer\"}"),
             ContainsSubstring("has an unknown number of columns in input 1"));
  CHECK_THAT(json_said("7"), ContainsSubstring("net.json': layer 1: is not a JSON object"));
  CHECK_THAT(json_said("{\"layer\": 7}"),
             ContainsSubstring("layer 1: key 'layer' must be a string"));
  CHECK_THAT(json_said("{\"layer\": \"ReLULayer\"}, {\"weights\": \"1_w.json\"}"),
             ContainsSubstring("layer 2: has no key 'layer'"));
  CHECK_THAT(json_said("{\"layer\": \"ConvLayer\"}"),
             ContainsSubstring(
                 "layer 1: key 'layer' is 'ConvLayer', not one of AffineLayer, IdentityLayer"));
  CHECK_THAT(json_said("{\"layer\": \"ReLULayer\", \"slope\": 1}"),
             ContainsSubstring("layer 1 (ReLULayer): has the unknown key 'slope'"));
  CHECK_THAT(json_said("{\"layer\": \"LeakyReLULayer\", \"slope\": \"1\"}"),
             ContainsSubstring("layer 1 (LeakyReLULayer): key 'slope' must be a number"));
  CHECK_THAT(json_said("{\"layer\": \"AffineLayer\", \"biases\": \"1 b.json\"}"),
             ContainsSubstring("layer 1 (AffineLayer): has no key 'weights'"));
  CHECK_THAT(
      json_said("{\"layer\": \"AffineLayer\", \"weights\": \"1_w.json\", \"bias\": \"b\"}"),
      ContainsSubstring("unknown key 'bias'; the known keys are layer, name, weights, biases"));
  CHECK_THAT(json_said("{\"layer\": \"AffineLayer\", \"weights\": \"1_w.json\", \"biases\": "
                       "\"2_b.json\"}"),
             ContainsSubstring(
                 "layer 1 (AffineLayer): biases are 1 x 1, but weights of 3 x 2 (outputs x inputs) "
                 "need 3 x 1"));
  CHECK_THAT(
      json_said("{\"layer\": \"AffineLayer\", \"weights\": \"2_w.json\"}, "
                "{\"layer\": \"AffineLayer\", \"weights\": \"1_w.json\"}"),
      ContainsSubstring("net.json': layer 2: has 2 inputs, but the previous layer has 1 outputs"));
  CHECK_THAT(json_said("{\"layer\": \"AffineLayer\", \"weights\": \"none.json\"}"),
             ContainsSubstring("layer 1 (AffineLayer), weights '") &&
                 ContainsSubstring("none.json': cannot be opened"));
  CHECK_THAT(json_said("{\"layer\": \"AffineLayer\", \"weights\": \"numbers\"}"),
             ContainsSubstring("is not a regular file"));
}

TEST_CASE("errors in a matrix are reported with its layer and file") {
  using Catch::Matchers::ContainsSubstring;
  const std::string place = "net.json': layer 1 (AffineLayer), weights '";
  const auto said = [](const std::string& text) { return said_with("1_w.json", text); };
  CHECK_THAT(said("{\"rows\": 3"),
             ContainsSubstring(place) && ContainsSubstring("1_w.json': is not JSON"));
  CHECK_THAT(said("[]"), ContainsSubstring("1_w.json': is not a JSON object"));
  CHECK_THAT(said("{\"rows\": 3, \"cols\": 2, \"data_type\": \"csv\"}"),
             ContainsSubstring(place) && ContainsSubstring("1_w.json': has no key 'file'"));
  CHECK_THAT(said("{\"rows\": 3, \"data_type\": \"csv\", \"file\": \"1_w.csv\"}"),
             ContainsSubstring("has no key 'cols'"));
  CHECK_THAT(said(definition("3", "2", "hdf5", "1_w.csv")),
             ContainsSubstring("key 'data_type' is 'hdf5', not csv, npy or values"));
  CHECK_THAT(said(definition("3", "2.0", "csv", "1_w.csv")),
             ContainsSubstring("key 'cols' must be a whole number"));
  CHECK_THAT(said(definition("-3", "2", "csv", "1_w.csv")),
             ContainsSubstring("key 'rows' must be a whole number"));
  CHECK_THAT(said(definition("18446744073709551615", "2", "csv", "1_w.csv")),
             ContainsSubstring("key 'rows' must be a whole number"));
  CHECK_THAT(said(definition("1099511627776", "1099511627776", "csv", "1_w.csv")),
             ContainsSubstring("is 1099511627776 x 1099511627776, but its file has 3 x 2"));
  // Only vectors may be stored transposed.
  CHECK_THAT(said(definition("2", "3", "csv", "1_w.csv")),
             ContainsSubstring("is 2 x 3, but its file has 3 x 2"));
  CHECK_THAT(said(definition("3", "2", "csv", "none.csv")),
             ContainsSubstring(place) && ContainsSubstring("none.csv': cannot be opened"));
  CHECK_THAT(said_with("1_w.csv", "1,2\n3\n"),
             ContainsSubstring(place) && ContainsSubstring("line 2: has 1 numbers"));
  CHECK_THAT(said_with("numbers/2_w.npy", "PK"),
             ContainsSubstring("layer 3 (AffineLayer), weights '") &&
                 ContainsSubstring("is not a .npy file"));
  CHECK_THAT(
      said_with("numbers/2_b.npy", npy_file_text("<f4", "False", "(1099511627776,)", "1234")),
      ContainsSubstring("layer 3 (AffineLayer), biases '") && ContainsSubstring("is truncated"));
}

TEST_CASE("a definition can only refer to files in its folder or below") {
  using Catch::Matchers::ContainsSubstring;
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
    CHECK_THAT(
        said(elsewhere),
        ContainsSubstring("net.json': layer 1 (AffineLayer): key 'weights' is '") &&
            ContainsSubstring("'; the file must be in the folder of the file that refers to it"));
    // Also the file that a matrix definition refers to: it must be in the folder of the
    // definition.
    written(folder, "net/numbers/w.json", definition("1", "1", "csv", elsewhere));
    CHECK_THAT(said("numbers/w.json"), ContainsSubstring("numbers/w.json': key 'file' is '") &&
                                           ContainsSubstring("'; the file must be in"));
  }
}

TEST_CASE("a definition cannot refer to files through links out of its folder, or with a NUL") {
  using Catch::Matchers::ContainsSubstring;
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
  CHECK_THAT(said("outside.csv"),
             ContainsSubstring("w.json': key 'file' is 'outside.csv'; the file must be in"));
  CHECK_THAT(said("own.csv\\u0000.png"), ContainsSubstring("w.json': key 'file' is") &&
                                             ContainsSubstring("; the file must be in"));
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
  CHECK_THAT(json_said(layers(16)), Catch::Matchers::ContainsSubstring("layer 2: has 3 inputs"));
  CHECK_THAT(json_said(layers(17)),
             Catch::Matchers::ContainsSubstring("layer 17 (AffineLayer)") &&
                 Catch::Matchers::ContainsSubstring("is used more than 16 times"));
}

TEST_CASE("deep nesting and megabytes of text are handled", "[long]") {
  using Catch::Matchers::ContainsSubstring;
  CHECK_THAT(said_of_text(std::string(1 << 20, '[')), ContainsSubstring("is not JSON"));
  const std::string deep = std::string(1 << 20, '[') + std::string(1 << 20, ']');
  CHECK_THAT(json_said(deep), ContainsSubstring("layer 1: is not a JSON object"));
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
  CHECK(said("{\n  \"layers\": [}") ==
        "model: in memory: is not JSON: syntax error in line 2, column 14");
  CHECK_THAT(said(listed("1, 2, 3, 4")),
             Catch::Matchers::Equals("model: in memory, layer 1 (AffineLayer), key 'weights': is 2 "
                                     "x 3, but key 'values' has 4 numbers"));
  CHECK_THAT(said(listed("1, 2, 3, 4, null, 6")),
             Catch::Matchers::ContainsSubstring("key 'values': element 5 is not a number"));
  CHECK_THAT(said(listed("1, 2, 3, 4, 5, 6", ", \"file\": \"w.npy\"")),
             Catch::Matchers::ContainsSubstring("has the key 'file', which data_type values"));
  CHECK_THAT(said(kThesisNetwork),
             Catch::Matchers::ContainsSubstring(
                 "in memory, layer 1 (AffineLayer): key 'weights' is '1_w.json', a file; a network "
                 "in memory must have its matrices in its text"));
  CHECK_THAT(said("{\"layers\": [{\"layer\": \"AffineLayer\", \"weights\": " +
                  definition("2", "3", "csv", "w.csv") + "}]}"),
             Catch::Matchers::ContainsSubstring("key 'file' is 'w.csv', a file"));
  CHECK_THAT(said("{\"layers\": [{\"layer\": \"AffineLayer\", \"weights\": 7}]}"),
             Catch::Matchers::ContainsSubstring("key 'weights' must be a string"));
  CHECK_THAT(said("{\"layers\": [{\"layer\": \"AffineLayer\", \"weights\": {\"rows\": 4000000000, "
                  "\"cols\": 0, \"data_type\": \"values\", \"values\": []}}]}"),
             Catch::Matchers::ContainsSubstring("layer 1"));
}

}  // namespace
}  // namespace tilewright
