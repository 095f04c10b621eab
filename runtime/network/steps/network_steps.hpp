// Divides a network into steps, in the order in which they run. Uses no OpenCL.
//
// Affine layers and the activations after them become layer steps (layer_steps.hpp), all other
// layers kernel steps. A kernel step evaluates an expression for each element of its result, or
// reduces the expressions along each row. Consecutive element-wise operations, and the column
// selections that they read, are fused into one kernel step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "profiles/precision.hpp"
#include "runtime/network/model/network_model.hpp"
#include "runtime/network/steps/layer_steps.hpp"

namespace tilewright {

// The expression that a kernel step evaluates for one element.
struct ElementExpression {
  enum class Kind { kLoad, kRow, kNumber, kOperation, kActivation };
  // `operands` are indices of earlier instructions.
  struct Instruction {
    Kind kind = Kind::kNumber;
    std::size_t index = 0;       // kLoad: in KernelStep::from; kRow: in KernelStep::rows
    bool is_one_column = false;  // kLoad: the source has one column, which is used for all columns
    int table = -1;  // kLoad: index in KernelStep::tables of the column numbers; -1: all in order
    float number = 0.0f;
    NetworkOperation operation = NetworkOperation::kAdd;
    ActivationLayer activation;
    std::vector<std::size_t> operands;
  };
  std::vector<Instruction> instructions;  // the last one is the result
};

// A step that is one kernel. Element (i, j) of its result is the expression at (i, j). For an
// operation on rows it is the reduction of the expressions at (i, j terms) to
// (i, j terms + terms - 1).
struct KernelStep {
  std::string name;  // names of its layers
  struct Source {
    NetworkValue value = 0;
    std::int64_t first_column = 0;
    bool operator==(const Source&) const = default;
  };
  std::vector<Source> from;
  NetworkValue to = 0;
  std::int64_t first_column = 0;             // where the result starts in value `to`
  std::int64_t columns = 0;                  // columns of the result
  std::int64_t terms = 1;                    // expressions that are reduced to one element
  std::optional<NetworkOperation> combined;  // the reduction, an operation on rows; nullopt: none
  // Constants that the expression reads; each has columns * terms elements.
  std::vector<std::vector<float>> rows;
  std::vector<std::vector<int>> tables;  // column numbers of a source, columns x terms each
  ElementExpression expression;
};

using NetworkStep = std::variant<LayerStep, KernelStep>;

// A network as steps.
struct NetworkSteps {
  std::vector<NetworkStep> steps;    // in launch order
  std::vector<std::int64_t> widths;  // columns, indexed by NetworkValue
  int num_inputs = 1;
  std::vector<NetworkValue> outputs;  // the value of each output of the network
  // Values that are stored in single precision even if the network has another one, indexed by
  // NetworkValue: those that only kernel steps write and read. A sum of squares, for example, may
  // be too large for half precision although its square root is not.
  std::vector<bool> is_single;

  // Returns the precision in which a value is stored.
  Precision precision(NetworkValue value, Precision network) const {
    return is_single[value_index(value)] ? Precision::kSingle : network;
  }
};

// Returns the steps of a model without fault.
NetworkSteps network_steps(const NetworkModel& model);

// The maximal number of matrices that a kernel step reads.
inline constexpr std::size_t kMaxSources = 4;

}  // namespace tilewright
