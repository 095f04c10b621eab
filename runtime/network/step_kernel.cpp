#include "runtime/network/step_kernel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "profiles/type_prelude.hpp"
#include "runtime/network/activation_layer.hpp"
#include "runtime/network/operations.hpp"

namespace tilewright {
namespace {

using Instruction = ElementExpression::Instruction;
using Kind = ElementExpression::Kind;

constexpr int kWorkItems = 64;

// A float literal in OpenCL C that has exactly this value.
std::string literal(double value) {
  if (std::isnan(value)) return "NAN";
  if (std::isinf(value)) return value < 0.0 ? "-INFINITY" : "INFINITY";
  const std::string text = fmt::format("{:.9g}", value);
  const bool is_whole = text.find_first_of(".e") == std::string::npos;
  return fmt::format("{}{}f", text, is_whole ? ".0" : "");
}

std::string variable(std::size_t instruction) {
  return fmt::format("v{}", instruction);
}

// Powers 2, 3 and 1/2 are faster as products and sqrt.
std::string power(const std::string& base, const Instruction& exponent, const std::string& name) {
  if (exponent.kind == Kind::kNumber) {
    if (exponent.number == 2.0f) return fmt::format("{0} * {0}", base);
    if (exponent.number == 3.0f) return fmt::format("{0} * {0} * {0}", base);
    if (exponent.number == 0.5f) return fmt::format("sqrt({})", base);
  }
  return fmt::format("pow({}, {})", base, name);
}

class StepText {
 public:
  StepText(const KernelStep& step, const NetworkSteps& steps, Precision precision)
      : step_(step), steps_(steps), precision_(precision) {}

  std::string text() const;

 private:
  // Does the matrix of the value have another precision than the kernel?
  bool is_wider(MlpValue value) const { return steps_.precision(value, precision_) != precision_; }
  std::string_view type(MlpValue value) const { return is_wider(value) ? "float" : "ELEMENT"; }
  std::string arguments() const;
  std::string statement(std::size_t number) const;
  std::string activation(const Instruction& instruction, std::size_t number) const;
  std::string operation(const Instruction& instruction) const;
  std::string load(const Instruction& instruction) const;
  std::string store(const std::string& value) const;
  std::string expression(const std::string& indent) const;

  const KernelStep& step_;
  const NetworkSteps& steps_;
  const Precision precision_;
};

std::string StepText::arguments() const {
  std::string text = fmt::format(
      "__kernel void network_step(int m, int n, int terms, __global {} *y, ulong offset_y, int ldy",
      type(step_.to));
  if (!step_.rows.empty()) {
    text += ",\n                       __global const float *rows, ulong offset_rows, int ld_rows";
  }
  if (!step_.tables.empty()) {
    text +=
        ",\n                       __global const int *tables, ulong offset_tables, int ld_tables";
  }
  for (std::size_t i = 0; i < step_.from.size(); ++i) {
    text += fmt::format(
        ",\n                       __global const {1} *x{0}, ulong offset_x{0}, int ldx{0}", i,
        type(step_.from[i].value));
  }
  return text + ")";
}

std::string StepText::load(const Instruction& instruction) const {
  std::string address = fmt::format("x{}", instruction.index);
  if (instruction.table >= 0) {
    address += fmt::format(" + tables[{} * ld_tables + c]", instruction.table);
  } else if (!instruction.is_one_column) {
    address += " + c";
  }
  const bool is_float = is_wider(step_.from[instruction.index].value);
  return fmt::format("{}({})", is_float ? "*" : "LOAD", address);
}

// The statement that stores an element of the result.
std::string StepText::store(const std::string& value) const {
  return is_wider(step_.to) ? fmt::format("  y[j] = {};\n", value)
                            : fmt::format("  STORE({}, y + j);\n", value);
}

std::string StepText::operation(const Instruction& instruction) const {
  const auto name = [&](std::size_t i) {
    return i < instruction.operands.size() ? variable(instruction.operands[i]) : std::string();
  };
  if (instruction.operation == MlpOperation::kPower) {
    return power(name(0), step_.expression.instructions[instruction.operands[1]], name(1));
  }
  return fmt::format(fmt::runtime(describe_operation(instruction.operation).text),
                     fmt::arg("a", name(0)), fmt::arg("b", name(1)), fmt::arg("c", name(2)));
}

// The text of an activation refers to its parameters by name, so they become variables.
std::string StepText::activation(const Instruction& instruction, std::size_t number) const {
  const ActivationDescription& described =
      describe_activation(to_activation(instruction.activation.activation));
  const ActivationArguments values = activation_arguments(instruction.activation);
  std::string text = fmt::format("float {};\n{{\n", variable(number));
  for (std::size_t i = 0; i < described.parameters.size(); ++i) {
    text += fmt::format("  const float {} = {};\n", described.parameters[i].name,
                        literal(static_cast<double>(values[i])));
  }
  const std::string function =
      fmt::format(fmt::runtime(described.text), fmt::arg("x", variable(instruction.operands[0])),
                  fmt::arg("exp", "exp"));
  return text + fmt::format("  {} = {};\n}}", variable(number), function);
}

std::string StepText::statement(std::size_t number) const {
  const Instruction& instruction = step_.expression.instructions[number];
  std::string value;
  switch (instruction.kind) {
    case Kind::kLoad:
      value = load(instruction);
      break;
    case Kind::kRow:
      value = fmt::format("rows[{} * ld_rows + c]", instruction.index);
      break;
    case Kind::kNumber:
      value = literal(static_cast<double>(instruction.number));
      break;
    case Kind::kOperation:
      value = operation(instruction);
      break;
    case Kind::kActivation:
      return activation(instruction, number);
  }
  return fmt::format("const float {} = {};", variable(number), value);
}

std::string StepText::expression(const std::string& indent) const {
  std::string text;
  for (std::size_t i = 0; i < step_.expression.instructions.size(); ++i) {
    std::string lines = statement(i);
    for (std::size_t at = lines.find('\n'); at != std::string::npos;
         at = lines.find('\n', at + 1)) {
      lines.insert(at + 1, indent);
    }
    text += indent + lines + "\n";
  }
  return text;
}

std::string StepText::text() const {
  std::string text = arguments() + " {\n";
  text +=
      "  const int j = (int)get_global_id(0);\n"
      "  const int i = (int)get_global_id(1);\n"
      "  if (i >= m || j >= n) return;\n"
      "  y += offset_y + (ulong)i * (ulong)ldy;\n";
  if (!step_.rows.empty()) text += "  rows += offset_rows;\n";
  if (!step_.tables.empty()) text += "  tables += offset_tables;\n";
  for (std::size_t i = 0; i < step_.from.size(); ++i) {
    text += fmt::format("  x{0} += offset_x{0} + (ulong)i * (ulong)ldx{0};\n", i);
  }
  const std::string last = variable(step_.expression.instructions.size() - 1);
  if (!step_.combined) {
    return text + "  const int c = j;\n" + expression("  ") + store(last) + "}\n";
  }
  const OperationDescription& described = describe_operation(*step_.combined);
  const bool is_sum =
      *step_.combined == MlpOperation::kSum || *step_.combined == MlpOperation::kMean;
  text += fmt::format("  float result = {};\n", literal(described.start));
  if (is_sum) text += "  float lost = 0.0f;\n";
  text += "  for (int c = j * terms; c < (j + 1) * terms; ++c) {\n" + expression("    ");
  if (is_sum) {
    // Kahan's summation: the error does not grow with the number of terms.
    text += fmt::format(
        "    const float term = {} - lost;\n    const float sum = result + term;\n"
        "    lost = isfinite(sum) ? (sum - result) - term : 0.0f;\n    result = sum;\n  }}\n",
        last);
  } else {
    text += fmt::format("    result = {};\n  }}\n",
                        fmt::format(fmt::runtime(described.text), fmt::arg("a", "result"),
                                    fmt::arg("b", last), fmt::arg("c", "")));
  }
  if (*step_.combined == MlpOperation::kMean) text += "  result /= (float)terms;\n";
  return text + store("result") + "}\n";
}

}  // namespace

KernelRecord step_kernel(const KernelStep& step, const NetworkSteps& steps, Precision precision) {
  KernelRecord record;
  record.entry = "network_step";
  record.name = step.combined ? "network_rows" : "network_elements";
  record.role = Role::kPack;
  record.precision = precision;
  record.source =
      type_prelude(record, {"ELEMENT", "LOAD", "STORE"}) + StepText(step, steps, precision).text();
  // The kernel is correct in work-groups of any size; the executor reduces this one if necessary.
  int columns = 1;
  while (columns < kWorkItems && columns < step.columns) columns *= 2;
  record.work_group = {columns, kWorkItems / columns};
  return record;
}

}  // namespace tilewright
