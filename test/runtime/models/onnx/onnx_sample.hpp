// How does a test write ONNX as exporters do?
#pragma once

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model_files.hpp"
#include "onnx/onnx_codec.hpp"

namespace tilewright {

// Tensors do not own their raw data. These bytes stay until the program ends.
inline std::string_view kept(std::string bytes) {
  static std::deque<std::string> all;
  return all.emplace_back(std::move(bytes));
}

// A model whose one input and output are batches of rows, node by node. References to its parts are
// valid until a part of the same kind is added.
class OnnxSample {
 public:
  OnnxSample() {
    model.ir_version = 8;
    model.opset_import = {{"", 13}};
    model.graph.emplace();
  }

  onnx::Graph& graph() { return *model.graph; }

  // A value of the type FLOAT or another; an extent of 0 is the batch.
  static void describe(onnx::ValueInfo& value, const std::string& name,
                       const std::vector<std::int64_t>& extents,
                       onnx::DataType type = onnx::kFloat) {
    value.name = name;
    onnx::TensorShape shape;
    for (const std::int64_t extent : extents) {
      shape.dim.push_back({extent, extent == 0 ? "batch_size" : ""});
    }
    value.type.tensor_type = {type, shape};
  }
  void input(const std::string& name, const std::vector<std::int64_t>& extents) {
    describe(graph().input.emplace_back(), name, extents);
  }
  void output(const std::string& name, const std::vector<std::int64_t>& extents,
              onnx::DataType type = onnx::kFloat) {
    describe(graph().output.emplace_back(), name, extents, type);
  }

  onnx::Node& node(const std::string& op, const std::vector<std::string>& inputs,
                   const std::string& output, const std::string& name = "") {
    auto& node = graph().node.emplace_back();
    node.op_type = op;
    node.name = name;
    node.input = inputs;
    node.output = {output};
    return node;
  }

  // Initialisers.
  onnx::Tensor& tensor(const std::string& name, const std::vector<std::int64_t>& extents,
                       onnx::DataType type = onnx::kFloat) {
    auto& tensor = graph().initializer.emplace_back();
    tensor.name = name;
    tensor.data_type = type;
    tensor.dims = extents;
    return tensor;
  }
  onnx::Tensor& raw(const std::string& name, const std::vector<std::int64_t>& extents,
                    const std::vector<float>& values) {
    auto& result = tensor(name, extents);
    result.raw_data = kept(float_bytes(values));
    return result;
  }
  void integers(const std::string& name, const std::vector<std::int64_t>& values) {
    auto& result = tensor(name, {static_cast<std::int64_t>(values.size())}, onnx::kInt64);
    result.int64_data = values;
  }

  static void set(onnx::Node& node, const std::string& name, std::int64_t value) {
    auto& attribute = node.attribute.emplace_back();
    attribute.name = name;
    attribute.type = onnx::Attribute::kIntValue;
    attribute.i = value;
  }
  static void set(onnx::Node& node, const std::string& name, float value) {
    auto& attribute = node.attribute.emplace_back();
    attribute.name = name;
    attribute.type = onnx::Attribute::kFloatValue;
    attribute.f = value;
  }

  std::string bytes() const { return onnx::encode(model); }
  NetworkModel read() const {
    const TemporaryFolder folder;
    return read_network_model(written(folder, "net.onnx", bytes()));
  }
  std::string said() const {
    return refusal<ModelError>([this] { read(); });
  }

  onnx::Model model;
};

// Constants that a graph may use without defining them.
constexpr std::string_view kGraphConstants[] = {
    "w[2,2] = 1 2 3 4",  "b[2] = 5 6",       "half[] = 0.5",
    "two[1] = 2",        "v[2] = 10 100",    "u[1,2] = 1 -1",
    "zero:INT64[1] = 0", "one:INT64[1] = 1", "rest:INT64[1] = -1"};

// The parts of `text` between the separators that are not inside of brackets or quotes.
inline std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts(1);
  int depth = 0;
  bool is_quoted = false;
  for (const char c : text) {
    is_quoted ^= c == '\'';
    depth += int{c == '[' || c == '('} - int{c == ']' || c == ')'};
    if (c == separator && depth == 0 && !is_quoted) {
      parts.emplace_back();
    } else if (c != ' ' || is_quoted || separator == ';') {
      parts.back() += c;
    }
  }
  if (separator != ',' || parts.size() == 1) std::erase(parts, "");
  return parts;
}

// The numbers of "1 2.5*3 inf".
template <class Number, class Convert>
std::vector<Number> numbers(std::string_view text, char separator, const Convert& convert) {
  std::vector<Number> values;
  for (const std::string& part : split(text, separator)) {
    const std::size_t star = part.find('*');
    const std::size_t count = star == std::string::npos ? 1 : std::stoul(part.substr(star + 1));
    values.insert(values.end(), count, static_cast<Number>(convert(part.c_str(), nullptr)));
  }
  return values;
}
inline std::vector<float> floats(std::string_view text, char separator) {
  return numbers<float>(text, separator, [](auto... at) { return std::strtof(at...); });
}
inline std::vector<std::int64_t> integers(std::string_view text, char separator) {
  return numbers<std::int64_t>(text, separator, [](auto... at) { return std::strtoll(at..., 0); });
}

// "i:INT64[N,2]": a name, a type (without it FLOAT), and extents (N: the batch).
struct DescribedValue {
  explicit DescribedValue(std::string_view text) {
    static const std::map<std::string_view, onnx::DataType> types = {
        {"UINT8", onnx::kUint8},     {"INT8", onnx::kInt8},         {"INT16", onnx::kInt16},
        {"INT32", onnx::kInt32},     {"INT64", onnx::kInt64},       {"BOOL", onnx::kBool},
        {"FLOAT16", onnx::kFloat16}, {"BFLOAT16", onnx::kBfloat16}, {"DOUBLE", onnx::kDouble}};
    const std::size_t colon = std::min(text.find(':'), text.find('['));
    const std::size_t bracket = text.find('[');
    name = text.substr(0, text.find_first_of(":[ "));
    if (colon < bracket) type = types.at(text.substr(colon + 1, bracket - colon - 1));
    const std::size_t end = text.find(']');
    extents = integers(text.substr(bracket + 1, end - bracket - 1), ',');  // 0 for N
  }
  std::string name;
  onnx::DataType type = onnx::kFloat;
  std::vector<std::int64_t> extents;
};

inline void add_graph_constant(OnnxSample& sample, std::string_view text) {
  const DescribedValue value(text);
  onnx::Tensor& tensor = sample.tensor(value.name, value.extents, value.type);
  const std::string_view values = text.substr(text.find('=') + 1);
  if (value.type == onnx::kFloat) {
    tensor.raw_data = kept(float_bytes(floats(values, ' ')));
  } else if (value.type == onnx::kInt64) {
    tensor.int64_data = integers(values, ' ');
  } else {
    const std::vector<std::int64_t> whole = integers(values, ' ');
    tensor.int32_data.assign(whole.begin(), whole.end());
  }
}

// "axis=1", "alpha=0.5", "mode='sine'", "perm=[1,0]" or "scales=[1.0,2.0]".
inline void add_graph_attribute(onnx::Node& node, const std::string& text) {
  const std::size_t equals = text.find('=');
  const std::string key = text.substr(0, equals);
  const std::string value = text.substr(equals + 1);
  const bool is_float = value.find_first_of(".in") != std::string::npos;
  if (value[0] != '\'' && value[0] != '[') {
    if (is_float) return OnnxSample::set(node, key, std::strtof(value.c_str(), nullptr));
    return OnnxSample::set(node, key, std::int64_t{std::strtoll(value.c_str(), nullptr, 10)});
  }
  onnx::Attribute& attribute = node.attribute.emplace_back();
  const std::string inside = value.substr(1, value.size() - 2);
  attribute.name = key;
  if (value[0] == '\'') {
    attribute.s = inside;
  } else if (is_float) {
    attribute.floats = floats(inside, ',');
  } else {
    attribute.ints = integers(inside, ',');
  }
}

// "y, mask = ai.onnx.Dropout:name(h,,c) attributes".
inline void add_graph_node(OnnxSample& sample, std::string_view text) {
  const std::size_t equals = text.find('=');
  const std::size_t open = text.find('(');
  const std::size_t close = text.find(')');
  std::string op = split(text.substr(equals + 1, open - equals - 1), ';').front();
  op = op.substr(op.find_first_not_of(' '));
  const std::size_t colon = op.find(':');
  const std::size_t dot = op.rfind('.', colon);
  onnx::Node& node = sample.node(op.substr(dot + 1, colon - dot - 1),
                                 split(text.substr(open + 1, close - open - 1), ','), "");
  node.output = split(text.substr(0, equals), ',');
  if (colon != std::string::npos) node.name = op.substr(colon + 1);
  if (dot != std::string::npos) node.domain = op.substr(0, dot);
  for (const std::string& part : split(text.substr(close + 1), ' ')) {
    add_graph_attribute(node, part);
  }
}

// Statements, separated by ";": inputs and outputs (without them "x[N,2] => y[N,2]"), constants
// "c:INT64[2] = 1 2", and nodes as in add_graph_node().
inline OnnxSample graph(const std::string& text) {
  OnnxSample sample;
  std::string ports = "x[N,2] => y[N,2]";
  for (const std::string& part : split(text, ';')) {
    if (part.find("=>") != std::string::npos) {
      ports = part;
    } else if (part.find('(') != std::string::npos) {
      add_graph_node(sample, part);
    } else {
      add_graph_constant(sample, part.substr(part.find_first_not_of(' ')));
    }
  }
  const std::size_t arrow = ports.find("=>");
  for (const std::string& input : split(ports.substr(0, arrow), ',')) {
    const DescribedValue value(input);
    OnnxSample::describe(sample.graph().input.emplace_back(), value.name, value.extents,
                         value.type);
  }
  for (const std::string& output : split(ports.substr(arrow + 2), ',')) {
    const DescribedValue value(output);
    sample.output(value.name, value.extents, value.type);
  }
  for (const std::string_view constant : kGraphConstants) {
    const std::string name = DescribedValue(constant).name;
    bool is_read = false, is_defined = false;
    for (const onnx::Node& node : sample.graph().node) {
      is_read |= std::ranges::count(node.input, name) > 0;
      is_defined |= std::ranges::count(node.output, name) > 0;
    }
    for (const auto& each : sample.graph().initializer) is_defined |= each.name == name;
    for (const auto& each : sample.graph().input) is_defined |= each.name == name;
    if (is_read && !is_defined) add_graph_constant(sample, constant);
  }
  return sample;
}

// nn.Linear(3, 2), ReLU, nn.Linear(2, 2) after nn.Flatten, as torch.onnx.export writes them.
inline OnnxSample pytorch_sample() {
  OnnxSample sample = graph(
      "input[N,1,3] => output[N,2]; fc1.weight[2,3] = 1 2 3 4 5 6; fc1.bias[2] = 10 20; "
      "fc2.weight[2,2] = 7 8 9 10; fc2.bias[2] = 30 40; flat = Flatten:/Flatten(input) axis=1; "
      "/fc1/Gemm_output_0 = Gemm:/fc1/Gemm(flat,fc1.weight,fc1.bias) alpha=1.0 beta=1.0 transB=1; "
      "/Relu_output_0 = Relu:/Relu(/fc1/Gemm_output_0); "
      "output = Gemm:/fc2/Gemm(/Relu_output_0,fc2.weight,fc2.bias) alpha=1.0 beta=1.0 transB=1");
  sample.model.producer_name = "pytorch";
  return sample;
}

inline NetworkModel pytorch_model() {
  NetworkModel model;
  model.layers = {AffineLayer{"/fc1/Gemm", 3, 2, {1, 4, 2, 5, 3, 6}, {10, 20}},
                  ActivationLayer{"/Relu", Activation::kRelu, 0.01f},
                  AffineLayer{"/fc2/Gemm", 2, 2, {7, 9, 8, 10}, {30, 40}}};
  return model;
}

// An MLPClassifier of three classes, as skl2onnx writes it: with or without a ZipMap at the end.
inline OnnxSample sklearn_sample(bool zipmap) {
  OnnxSample sample = graph(
      std::string("X[N,2] => label:INT64[N]") + (zipmap ? "" : ", probabilities[N,3]") +
      "; coefficient[2,2] = 1 2 3 4; intercepts[1,2] = 5 6; coefficient1[2,3] = 7 8 9 10 11 12; "
      "intercepts1[1,3] = 13 14 15; classes:INT32[3] = 0 1 2; shape:INT64[1] = -1; "
      "cast = Cast:Cast(X) to=1; product = MatMul:MatMul(cast,coefficient); "
      "sum = Add:Add(product,intercepts); next = Relu:Relu(sum); "
      "product1 = MatMul:MatMul1(next,coefficient1); sum1 = Add:Add1(product1,intercepts1); "
      "out = Softmax:Relu1(sum1) axis=1; probabilities = Identity:Identity(out); "
      "argmax = ArgMax:ArgMax(probabilities) axis=1; "
      "extracted = ai.onnx.ml.ArrayFeatureExtractor(classes,argmax); "
      "reshaped = Reshape:Reshape(extracted,shape); label = Cast:Cast1(reshaped) to=7" +
      (zipmap ? "; output_probability = ai.onnx.ml.ZipMap:ZipMap(probabilities)" : ""));
  sample.model.producer_name = "skl2onnx";
  sample.model.opset_import.push_back({"ai.onnx.ml", 1});
  if (zipmap) {
    auto& output = sample.graph().output.emplace_back();
    output.name = "output_probability";
    output.type.sequence_type.emplace();
  }
  return sample;
}

inline NetworkModel sklearn_model() {
  NetworkModel model;
  model.layers = {AffineLayer{"MatMul", 2, 2, {1, 2, 3, 4}, {5, 6}},
                  ActivationLayer{"Relu", Activation::kRelu, 0.01f},
                  AffineLayer{"MatMul1", 2, 3, {7, 8, 9, 10, 11, 12}, {13, 14, 15}},
                  ActivationLayer{"Relu1", Activation::kSoftmax, 0.01f}};
  return model;
}

// One Gemm of 2 x 2 with a bias, in "x", out "y".
inline OnnxSample gemm_sample() {
  return graph("y = Gemm(x,w,b)");
}

}  // namespace tilewright
