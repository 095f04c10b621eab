// The contents of an ONNX file: the messages and fields that we read or write.
//
// Names follow the specification (github.com/onnx/onnx, onnx/onnx.proto), without "Proto":
// onnx::Node is its NodeProto. Each structure lists its fields with their numbers in fields();
// onnx_codec.hpp reads and writes files by these lists. Fields that a file does not have keep their
// defaults.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright::onnx {

// Types of elements: TensorProto.DataType of the specification.
enum DataType : int {
  kUndefined = 0,
  kFloat = 1,
  kUint8 = 2,
  kInt8 = 3,
  kUint16 = 4,
  kInt16 = 5,
  kInt32 = 6,
  kInt64 = 7,
  kString = 8,
  kBool = 9,
  kFloat16 = 10,
  kDouble = 11,
  kUint32 = 12,
  kUint64 = 13,
  kBfloat16 = 16,
};

// A message of which only the presence matters. Its contents are skipped.
struct Skipped {
  template <class Self, class Visit>
  static void fields(Self&, const Visit&) {}
};

struct StringStringEntry {
  std::string key;
  std::string value;

  template <class Self, class Visit>
  static void fields(Self& self, const Visit& visit) {
    visit(1, self.key);
    visit(2, self.value);
  }
};

struct Tensor {
  enum DataLocation : int { kDefault = 0, kExternal = 1 };

  std::vector<std::int64_t> dims;
  int data_type = kUndefined;  // a DataType, or a later version's
  std::optional<Skipped> segment;
  std::vector<float> float_data;
  std::vector<std::int32_t> int32_data;  // also smaller integers, Booleans and the bits of FLOAT16
  std::vector<std::int64_t> int64_data;
  std::string name;
  std::optional<std::string_view> raw_data;  // points into the bytes of the file
  std::vector<double> double_data;
  std::vector<std::uint64_t> uint64_data;  // also UINT32
  std::vector<StringStringEntry> external_data;
  int data_location = kDefault;

  template <class Self, class Visit>
  static void fields(Self& self, const Visit& visit) {
    visit(1, self.dims);
    visit(2, self.data_type);
    visit(3, self.segment);
    visit(4, self.float_data);
    visit(5, self.int32_data);
    visit(7, self.int64_data);
    visit(8, self.name);
    visit(9, self.raw_data);
    visit(10, self.double_data);
    visit(11, self.uint64_data);
    visit(13, self.external_data);
    visit(14, self.data_location);
  }
};

struct SparseTensor {
  Tensor values;
  Tensor indices;
  std::vector<std::int64_t> dims;

  template <class Self, class Visit>
  static void fields(Self& self, const Visit& visit) {
    visit(1, self.values);
    visit(2, self.indices);
    visit(3, self.dims);
  }
};

struct Attribute {
  enum Type : int { kFloatValue = 1, kIntValue = 2, kStringValue = 3, kIntsValue = 7 };

  std::string name;
  std::optional<float> f;
  std::optional<std::int64_t> i;
  std::string s;
  std::shared_ptr<const Tensor> t;    // null: none
  std::optional<std::string_view> g;  // the bytes of a Graph; point into the bytes of the file
  std::vector<float> floats;
  std::vector<std::int64_t> ints;
  int type = 0;  // a number whose type is set but whose value is not is 0
  std::string ref_attr_name;
  std::shared_ptr<const SparseTensor> sparse_tensor;  // null: none

  template <class Self, class Visit>
  static void fields(Self& self, const Visit& visit) {
    visit(1, self.name);
    visit(2, self.f);
    visit(3, self.i);
    visit(4, self.s);
    visit(5, self.t);
    visit(6, self.g);
    visit(7, self.floats);
    visit(8, self.ints);
    visit(20, self.type);
    visit(21, self.ref_attr_name);
    visit(22, self.sparse_tensor);
  }
};

struct Node {
  std::vector<std::string> input;   // an empty name: the input is omitted
  std::vector<std::string> output;  // an empty name: the output is not needed
  std::string name;
  std::string op_type;
  std::vector<Attribute> attribute;
  std::string domain;  // empty: "ai.onnx"

  template <class Self, class Visit>
  static void fields(Self& self, const Visit& visit) {
    visit(1, self.input);
    visit(2, self.output);
    visit(3, self.name);
    visit(4, self.op_type);
    visit(5, self.attribute);
    visit(7, self.domain);
  }
};

struct Dimension {
  std::int64_t dim_value = 0;  // 0: not known
  std::string dim_param;

  template <class Self, class Visit>
  static void fields(Self& self, const Visit& visit) {
    visit(1, self.dim_value);
    visit(2, self.dim_param);
  }
};

struct TensorShape {
  std::vector<Dimension> dim;

  template <class Self, class Visit>
  static void fields(Self& self, const Visit& visit) {
    visit(1, self.dim);
  }
};

struct TensorType {
  int elem_type = kUndefined;
  std::optional<TensorShape> shape;

  template <class Self, class Visit>
  static void fields(Self& self, const Visit& visit) {
    visit(1, self.elem_type);
    visit(2, self.shape);
  }
};

// At most one of the members is set. Sequences of maps are the probabilities of skl2onnx (ZipMap).
struct Type {
  std::optional<TensorType> tensor_type;
  std::optional<Skipped> sequence_type;
  std::optional<Skipped> map_type;

  template <class Self, class Visit>
  static void fields(Self& self, const Visit& visit) {
    visit(1, self.tensor_type);
    visit(4, self.sequence_type);
    visit(5, self.map_type);
  }
};

struct ValueInfo {
  std::string name;
  Type type;

  template <class Self, class Visit>
  static void fields(Self& self, const Visit& visit) {
    visit(1, self.name);
    visit(2, self.type);
  }
};

struct Graph {
  std::vector<Node> node;
  std::string name;
  std::vector<Tensor> initializer;
  std::vector<ValueInfo> input;
  std::vector<ValueInfo> output;

  template <class Self, class Visit>
  static void fields(Self& self, const Visit& visit) {
    visit(1, self.node);
    visit(2, self.name);
    visit(5, self.initializer);
    visit(11, self.input);
    visit(12, self.output);
  }
};

struct OperatorSet {
  std::string domain;  // empty: "ai.onnx"
  std::int64_t version = 0;

  template <class Self, class Visit>
  static void fields(Self& self, const Visit& visit) {
    visit(1, self.domain);
    visit(2, self.version);
  }
};

struct Function {
  std::string name;
  std::vector<std::string> input;
  std::vector<std::string> output;
  std::vector<Node> node;
  std::string domain;
  std::vector<Attribute> attribute_proto;  // attributes that have a default

  template <class Self, class Visit>
  static void fields(Self& self, const Visit& visit) {
    visit(1, self.name);
    visit(4, self.input);
    visit(5, self.output);
    visit(7, self.node);
    visit(10, self.domain);
    visit(11, self.attribute_proto);
  }
};

struct Model {
  std::int64_t ir_version = 0;
  std::string producer_name;
  std::string producer_version;
  std::optional<Graph> graph;
  std::vector<OperatorSet> opset_import;
  std::vector<Function> functions;

  template <class Self, class Visit>
  static void fields(Self& self, const Visit& visit) {
    visit(1, self.ir_version);
    visit(2, self.producer_name);
    visit(3, self.producer_version);
    visit(7, self.graph);
    visit(8, self.opset_import);
    visit(25, self.functions);
  }
};

}  // namespace tilewright::onnx
