/// @file
/// Describes a neural network as plain data. A program fills in a NetworkModel itself or reads one
/// from a file (network_files.hpp); tilewright::Network (network.hpp) runs it. Needs no OpenCL.
///
/// A network is a directed acyclic graph. Each value is a matrix with one sample per row
/// (batch x columns). Each layer computes one value from earlier values. In the usual case each
/// layer takes the result of the previous layer, and the model is only a list of layers.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "profiles/activation.hpp"

namespace tilewright {

/// The number of a value of a network. Input i of the network is value i, and layer j computes
/// value num_inputs + j, where num_inputs is at least 1.
using NetworkValue = int;

/// The value that the previous layer computes; for the first layer, input 0.
inline constexpr NetworkValue kPreviousValue = -1;

/// Y = X W + b. X is batch x inputs, Y batch x outputs.
struct AffineLayer {
  std::string name;                     ///< for messages; may be empty
  std::int64_t inputs = 0;              ///< columns of X
  std::int64_t outputs = 0;             ///< columns of Y
  std::vector<float> weights;           ///< W: inputs x outputs, row-major
  std::vector<float> bias;              ///< b: `outputs` floats; empty: no bias
  NetworkValue input = kPreviousValue;  ///< X
  /// @param other  what to compare with
  /// @return whether all members are equal
  bool operator==(const AffineLayer& other) const = default;
};

/// Y = f(X). X and Y have the same shape. Softmax applies to each row, other functions to each
/// element.
struct ActivationLayer {
  std::string name;                               ///< for messages; may be empty
  Activation activation = Activation::kIdentity;  ///< f
  float slope = 0.01f;                            ///< kLeakyRelu and kElu (for x < 0), kHardSigmoid
  float shift = 0.5f;                             ///< kHardSigmoid
  float low = 0.0f;                               ///< kClip
  float high = 6.0f;                              ///< kClip; at least low
  NetworkValue input = kPreviousValue;            ///< X
  /// @param other  what to compare with
  /// @return whether all members are equal
  bool operator==(const ActivationLayer& other) const = default;
};

/// Operations of an OperationLayer. A comparison gives 1 (true) or 0 (false). As an operand, every
/// number except 0 is true.
enum class NetworkOperation {
  // One operand, applied to each element:
  kNegate,      ///< -a
  kAbs,         ///< |a|
  kSign,        ///< -1, 0 or 1
  kFloor,       ///< the largest integer <= a
  kCeil,        ///< the smallest integer >= a
  kRound,       ///< the nearest whole number, ties to even
  kReciprocal,  ///< 1 / a
  kSqrt,        ///< the square root
  kExp,         ///< e^a
  kLog,         ///< the natural logarithm
  kSin,         ///< sine
  kCos,         ///< cosine
  kTan,         ///< tangent
  kAsin,        ///< arc sine
  kAcos,        ///< arc cosine
  kAtan,        ///< arc tangent
  kSinh,        ///< hyperbolic sine
  kCosh,        ///< hyperbolic cosine
  kAsinh,       ///< inverse hyperbolic sine
  kAcosh,       ///< inverse hyperbolic cosine
  kAtanh,       ///< inverse hyperbolic tangent
  kErf,         ///< the error function
  kNot,         ///< 1 where a is 0, else 0
  // Two operands, combined element by element:
  kAdd,             ///< a + b
  kSubtract,        ///< a - b
  kMultiply,        ///< a b
  kDivide,          ///< a / b
  kPower,           ///< a^b
  kMinimum,         ///< the smaller one
  kMaximum,         ///< the larger one
  kRemainder,       ///< the remainder of a / b, with the sign of a
  kGreater,         ///< a > b
  kGreaterOrEqual,  ///< a >= b
  kLess,            ///< a < b
  kLessOrEqual,     ///< a <= b
  kEqual,           ///< a = b
  kAnd,             ///< both are true
  kOr,              ///< at least one is true
  kXor,             ///< exactly one is true
  // Three operands, combined element by element:
  kWhere,  ///< b where a is true, else c
  // Reductions of one operand along its rows. `columns` contains one number, which must divide the
  // operand's number of columns. The columns are divided into that many equally large groups of
  // adjacent columns; column g of the result is the reduction of group g.
  kSum,       ///< the sum
  kMean,      ///< the mean
  kLargest,   ///< the largest element
  kSmallest,  ///< the smallest element
  kProduct,   ///< the product
  // Columns are rearranged:
  kSelect,  ///< one operand; column j of the result is its column `columns[j]`
  kConcat   ///< any number of operands; their columns, one operand after the other
};

/// An operand of an OperationLayer: a value of the network or a constant.
struct NetworkOperand {
  NetworkValue value = kPreviousValue;  ///< the value, if `constant` is empty
  /// A constant that is the same in all rows: one element per column, or one for all columns.
  /// Devices compute in single precision, but use all digits of a constant that is added or
  /// subtracted.
  std::vector<double> constant;
  /// @param other  what to compare with
  /// @return whether all members are equal
  bool operator==(const NetworkOperand& other) const = default;
};

/// Y = operation(operands). In element-wise operations each operand has as many columns as the
/// result, or one column, which is used for all columns; at least one operand is a value. In
/// operations on rows and selections the operand is a value.
struct OperationLayer {
  std::string name;                                     ///< for messages; may be empty
  NetworkOperation operation = NetworkOperation::kAdd;  ///< what is computed
  std::vector<NetworkOperand> operands;                 ///< in the order of the operation
  /// kSelect: the columns, at least one. Operations on rows: the number of groups. Otherwise empty.
  std::vector<std::int64_t> columns;
  /// @param other  what to compare with
  /// @return whether all members are equal
  bool operator==(const OperationLayer& other) const = default;
};

/// One layer of a network.
using NetworkLayer = std::variant<AffineLayer, ActivationLayer, OperationLayer>;

/// An input of a network.
struct NetworkInput {
  std::string name;          ///< for messages and to find it; may be empty
  std::int64_t columns = 0;  ///< 0: as many as the layers that read it need
};

/// An output of a network.
struct NetworkOutput {
  std::string name;  ///< for messages and to find it; may be empty
  NetworkValue value =
      kPreviousValue;  ///< which value; kPreviousValue: the value of the last layer
  /// In the file, the batch is a later dimension of the output, as after a transpose. The network's
  /// output has a row per sample all the same, with the other dimensions in their order.
  bool is_transposed = false;
};

/// An output that a file has and that the model read from it does not have.
struct NetworkSkippedOutput {
  std::string name;    ///< name in the file
  std::string reason;  ///< a sentence that says why it was skipped
  /// It is the first output of floats in the file. A program that uses the first output would get
  /// another one, so choose_network_outputs() refuses such a model unless outputs are named.
  bool is_first = false;
};

/// The layers of a network in the order in which they are applied. Copies are deep.
struct NetworkModel {
  std::vector<NetworkLayer> layers;       ///< empty only if `outputs` are inputs
  std::vector<NetworkInput> inputs = {};  ///< empty: one input without a name
  /// Empty: one output without a name, the value of the last layer.
  std::vector<NetworkOutput> outputs = {};
  /// Outputs of the file that cannot be computed: for messages, and see
  /// NetworkSkippedOutput::is_first.
  std::vector<NetworkSkippedOutput> skipped_outputs = {};
  /// @param other  what to compare with
  /// @return whether all layers are equal, and inputs and outputs are equal except for their names
  bool operator==(const NetworkModel& other) const;
};

/// Returns the number of inputs of a model.
/// @param model  any model
/// @return the number, at least 1
inline int num_inputs(const NetworkModel& model) {
  return model.inputs.empty() ? 1 : static_cast<int>(model.inputs.size());
}

/// Resolves kPreviousValue.
/// @param model  any model
/// @param value  a value, or kPreviousValue
/// @param layer  the layer that reads the value, from 0; for an output, the number of layers
/// @return `value`, or for kPreviousValue the number of the value that it stands for
inline NetworkValue numbered_value(const NetworkModel& model, NetworkValue value,
                                   std::size_t layer) {
  if (value != kPreviousValue) return value;
  return layer == 0 ? 0 : num_inputs(model) + static_cast<int>(layer) - 1;
}

/// Returns the index of a value in a list of all values.
/// @param value  a value, not kPreviousValue
/// @return the same number
constexpr std::size_t value_index(NetworkValue value) {
  return static_cast<std::size_t>(value);
}

/// Returns the outputs of a model with kPreviousValue resolved.
/// @param model  any model
/// @return the outputs, at least one
inline std::vector<NetworkOutput> numbered_outputs(const NetworkModel& model) {
  std::vector<NetworkOutput> outputs = model.outputs;
  if (outputs.empty()) outputs.emplace_back();
  for (NetworkOutput& output : outputs) {
    output.value = numbered_value(model, output.value, model.layers.size());
  }
  return outputs;
}

inline bool NetworkModel::operator==(const NetworkModel& other) const {
  const std::vector<NetworkOutput> mine = numbered_outputs(*this);
  const std::vector<NetworkOutput> others = numbered_outputs(other);
  if (layers != other.layers || num_inputs(*this) != num_inputs(other)) return false;
  if (mine.size() != others.size()) return false;
  for (std::size_t i = 0; i < mine.size(); ++i) {
    if (mine[i].value != others[i].value) return false;
  }
  return true;
}

}  // namespace tilewright
