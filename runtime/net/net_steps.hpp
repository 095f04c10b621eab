// What must be done for a network, in which order.
//
// Without a device: a model that has been checked in, steps out. A chain of affine layers and
// activations, each of which takes the result of the one before it, is planned as a whole
// (mlp_chain.hpp). All other layers become steps of one kernel: an expression that is computed for
// each element of the result, or for each element of a row whose values are then combined.
// Consecutive operations on elements are one such step, and so are the selections of columns that
// they read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <tilewright/mlp_model.hpp>
#include "runtime/net/mlp_stages.hpp"

namespace tilewright {

// Stages of a chain, which reads one value and computes another.
struct ChainStep {
  std::size_t first_stage = 0;  // of NetSteps::stages
  std::size_t num_stages = 0;
  MlpValue from = 0;
  MlpValue to = 0;
};

// An expression of one element.
struct ElementExpression {
  enum class Kind { kLoad, kRow, kNumber, kOperation, kActivation };
  // One instruction; `operands` are instructions before it.
  struct Instruction {
    Kind kind = Kind::kNumber;
    std::size_t index = 0;       // kLoad: of KernelStep::from; kRow: of KernelStep::rows
    bool is_one_column = false;  // kLoad: the first column counts for all
    int table = -1;  // kLoad: which of KernelStep::tables has the columns; -1: all in order
    float number = 0.0f;
    MlpOperation operation = MlpOperation::kAdd;
    ActivationLayer activation;
    std::vector<std::size_t> operands;
  };
  std::vector<Instruction> instructions;  // the last one is the result
};

// One kernel. Element (i, j) of the result is the expression at (i, j), or, of an operation on
// rows, what it makes of the expressions at (i, j terms) to (i, j terms + terms - 1).
struct KernelStep {
  std::string name;  // of its layers
  struct Source {
    MlpValue value = 0;
    std::int64_t first_column = 0;
    bool operator==(const Source&) const = default;
  };
  std::vector<Source> from;
  MlpValue to = 0;
  std::int64_t first_column = 0;  // of the result in value `to`
  std::int64_t columns = 0;       // of the result
  std::int64_t terms = 1;
  std::optional<MlpOperation> combined;  // an operation on rows
  std::vector<std::vector<float>> rows;  // constants, each with columns x terms elements
  std::vector<std::vector<int>> tables;  // likewise: columns of a source
  ElementExpression expression;
};

using NetStep = std::variant<ChainStep, KernelStep>;

struct NetSteps {
  std::vector<MlpStage> stages;  // of all chains
  std::vector<NetStep> steps;
  std::vector<std::int64_t> widths;  // columns of each value
  int num_inputs = 1;
  std::vector<MlpValue> outputs;
};

NetSteps net_steps(const MlpModel& model);

// A kernel step reads at most so many matrices.
inline constexpr std::size_t kMaxSources = 4;

}  // namespace tilewright
