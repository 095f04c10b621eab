#include "runtime/network/steps/step_text.hpp"

#include <fmt/format.h>

#include <cmath>

#include "runtime/network/model/activation_layer.hpp"
#include "runtime/network/model/operations.hpp"

namespace tilewright {
namespace {

using Instruction = ElementExpression::Instruction;
using Kind = ElementExpression::Kind;

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

// Elements of a row are computed in vectors. A vector that extends beyond the row, or beyond the
// terms of a reduction, is loaded and stored element by element.
class StepText {
 public:
  StepText(const KernelStep& step, const NetworkSteps& steps, Precision precision, int width)
      : step_(step),
        steps_(steps),
        precision_(precision),
        width_(width),
        has_rest_((step.combined ? step.terms : step.columns) % width != 0),
        real_(width == 1 ? "float" : fmt::format("float{}", width)) {}

  std::string text() const;

 private:
  // Does the matrix of the value have another precision than the kernel?
  bool is_wider(NetworkValue value) const {
    return steps_.precision(value, precision_) != precision_;
  }
  std::string_view type(NetworkValue value) const { return is_wider(value) ? "float" : "ELEMENT"; }
  // Reads one element: an operator or a macro.
  const char* reader(bool is_float) const {
    if (!is_float) return "LOAD";
    return width_ == 1 ? "*" : "READ";
  }
  std::string arguments() const;
  std::string memory_macros() const;
  std::string number(double value) const;
  std::string lanes(const char* separator, const std::string& text) const;
  std::string lane(const std::string& name, int number) const;
  std::string declaration(const std::string& name, const std::string& address, bool is_float) const;
  std::string statement(std::size_t number) const;
  std::string load(const Instruction& instruction, const std::string& name) const;
  std::string activation(const Instruction& instruction, std::size_t number) const;
  std::string operation(const Instruction& instruction) const;
  std::string store_element(const std::string& value, const std::string& address) const;
  std::string store() const;
  std::string expression(const std::string& indent) const;
  std::string reduction() const;
  std::string combination(const std::string& to, const std::string& value, const std::string& type,
                          const std::string& zero) const;
  bool is_sum() const {
    return *step_.combined == NetworkOperation::kSum || *step_.combined == NetworkOperation::kMean;
  }
  std::string result() const { return variable(step_.expression.instructions.size() - 1); }

  const KernelStep& step_;
  const NetworkSteps& steps_;
  const Precision precision_;
  const int width_;
  const bool has_rest_;  // the last vector extends beyond the row
  const std::string real_;
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

// A number in the type of the expression.
std::string StepText::number(double value) const {
  return width_ == 1 ? literal(value) : fmt::format("({})({})", real_, literal(value));
}

// Element `number` of a vector.
std::string StepText::lane(const std::string& name, int number) const {
  return width_ == 1 ? name : fmt::format("{}.s{:x}", name, number);
}

// The text once for each lane, with the number of the lane as {0}.
std::string StepText::lanes(const char* separator, const std::string& text) const {
  std::string all;
  for (int i = 0; i < width_; ++i) {
    all += (i == 0 ? "" : separator) + fmt::format(fmt::runtime(text), i);
  }
  return all;
}

// Macros that load a vector element by element: SOME reads consecutive columns, up to the column
// `last`; SELECTED reads the columns that a table lists.
std::string StepText::memory_macros() const {
  if (width_ == 1) return "";
  return "#define READ(p) *(p)\n" +
         fmt::format("#define SOME(read, p, c) ({})({})\n", real_,
                     lanes(", ", "read((p) + min((c) + {0}, last))")) +
         fmt::format("#define SELECTED(read, p, table, c) ({})({})\n", real_,
                     lanes(", ", "read((p) + (table)[min((c) + {0}, last)])"));
}

// Declares a variable and loads consecutive columns into it.
std::string StepText::declaration(const std::string& name, const std::string& address,
                                  bool is_float) const {
  const char* const read = reader(is_float);
  if (width_ == 1) return fmt::format("const float {} = {}({} + c);", name, read, address);
  const std::string whole = is_float ? fmt::format("vload{}(0, {} + c)", width_, address)
                                     : fmt::format("LOAD{}({} + c)", width_, address);
  if (!has_rest_) return fmt::format("const {} {} = {};", real_, name, whole);
  return fmt::format("{0} {1};\nif (is_whole) {1} = {2};\nelse {1} = SOME({3}, {4}, c);", real_,
                     name, whole, read, address);
}

std::string StepText::load(const Instruction& instruction, const std::string& name) const {
  const std::string from = fmt::format("x{}", instruction.index);
  const bool is_float = is_wider(step_.from[instruction.index].value);
  const char* const read = reader(is_float);
  if (instruction.is_one_column && instruction.table < 0) {
    return fmt::format("const {0} {1} = ({0})({2}({3}));", real_, name, read, from);
  }
  if (instruction.table < 0) return declaration(name, from, is_float);
  const std::string table = fmt::format("tables + {} * ld_tables", instruction.table);
  if (width_ == 1)
    return fmt::format("const float {} = {}({} + ({})[c]);", name, read, from, table);
  return fmt::format("const {} {} = SELECTED({}, {}, {}, c);", real_, name, read, from, table);
}

std::string StepText::store_element(const std::string& value, const std::string& address) const {
  return fmt::format(fmt::runtime(is_wider(step_.to) ? "*({1}) = {0};" : "STORE({0}, {1});"), value,
                     address);
}

// The statements that store the result of a step that is no reduction.
std::string StepText::store() const {
  if (width_ == 1) return "  " + store_element(result(), "y + j") + "\n";
  const std::string whole = fmt::format(
      fmt::runtime(is_wider(step_.to) ? "vstore{0}({1}, 0, y + j);" : "STORE{0}({1}, y + j);"),
      width_, result());
  if (!has_rest_) return fmt::format("  {}\n", whole);
  std::string text = fmt::format("  if (is_whole) {{\n    {}\n    return;\n  }}\n", whole);
  for (int i = 0; i < width_; ++i) {
    text += fmt::format("  if (j + {} <= last) {}\n", i,
                        store_element(lane(result(), i), fmt::format("y + j + {}", i)));
  }
  return text;
}

std::string StepText::operation(const Instruction& instruction) const {
  const auto name = [&](std::size_t i) {
    return i < instruction.operands.size() ? variable(instruction.operands[i]) : std::string();
  };
  if (instruction.operation == NetworkOperation::kPower) {
    return power(name(0), step_.expression.instructions[instruction.operands[1]], name(1));
  }
  return fmt::format(fmt::runtime(describe_operation(instruction.operation).text),
                     fmt::arg("a", name(0)), fmt::arg("b", name(1)), fmt::arg("c", name(2)),
                     fmt::arg("one", number(1.0)), fmt::arg("zero", number(0.0)));
}

// The text of an activation refers to its parameters by name, so they become variables.
std::string StepText::activation(const Instruction& instruction, std::size_t number) const {
  const ActivationDescription& described = describe_activation(instruction.activation.activation);
  const ActivationArguments values = activation_arguments(instruction.activation);
  std::string text = fmt::format("{} {};\n{{\n", real_, variable(number));
  for (std::size_t i = 0; i < described.parameters.size(); ++i) {
    text += fmt::format("  const float {} = {};\n", described.parameters[i].name,
                        literal(static_cast<double>(values[i])));
  }
  const bool has_vector_text = width_ > 1 && !described.vector_text.empty();
  const std::string function =
      fmt::format(fmt::runtime(has_vector_text ? described.vector_text : described.text),
                  fmt::arg("x", variable(instruction.operands[0])), fmt::arg("exp", "exp"));
  return text + fmt::format("  {} = {};\n}}", variable(number), function);
}

std::string StepText::statement(std::size_t index) const {
  const Instruction& instruction = step_.expression.instructions[index];
  const std::string name = variable(index);
  switch (instruction.kind) {
    case Kind::kLoad:
      return load(instruction, name);
    case Kind::kRow:
      return declaration(name, fmt::format("rows + {} * ld_rows", instruction.index), true);
    case Kind::kActivation:
      return activation(instruction, index);
    case Kind::kNumber:
      return fmt::format("const {} {} = {};", real_, name,
                         number(static_cast<double>(instruction.number)));
    case Kind::kOperation:
      break;
  }
  return fmt::format("const {} {} = {};", real_, name, operation(instruction));
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

// The statements that combine a value with a result. A sum uses Kahan's summation, whose error does
// not grow with the number of terms: `to` minus to_lost is the sum.
std::string StepText::combination(const std::string& to, const std::string& value,
                                  const std::string& type, const std::string& zero) const {
  if (!is_sum()) {
    return fmt::format("{} = {};", to,
                       fmt::format(fmt::runtime(describe_operation(*step_.combined).text),
                                   fmt::arg("a", to), fmt::arg("b", value), fmt::arg("c", "")));
  }
  return fmt::format(
      "{{ const {0} term = {2} - {1}_lost; const {0} sum = {1} + term; "
      "{1}_lost = isfinite(sum) ? (sum - {1}) - term : {3}; {1} = sum; }}",
      type, to, value, zero);
}

// Each lane combines every `width`th term. The lanes are combined at the end.
std::string StepText::reduction() const {
  const double start = describe_operation(*step_.combined).start;
  std::string text = fmt::format("  const int last = (j + 1) * terms - 1;\n  {} result = {};\n",
                                 real_, number(start));
  if (is_sum()) text += fmt::format("  {} result_lost = {};\n", real_, number(0.0));
  text += fmt::format("  for (int c = j * terms; c <= last; c += {}) {{\n", width_);
  if (has_rest_) text += fmt::format("    const bool is_whole = c + {} <= last + 1;\n", width_);
  text += expression("    ");
  std::string value = result();
  if (has_rest_) {
    text += fmt::format("    const {} value = select({}, {}, (int{})({}) <= last);\n", real_,
                        number(start), value, width_, lanes(", ", "c + {0}"));
    value = "value";
  }
  text += fmt::format("    {}\n  }}\n", combination("result", value, real_, number(0.0)));
  if (width_ > 1) {
    text += fmt::format("  float total = {};\n", literal(start));
    if (is_sum()) text += "  float total_lost = 0.0f;\n";
    for (int i = 0; i < width_; ++i) {
      const std::string one = lane("result", i);
      text += fmt::format("  {}\n", combination("total", one, "float", "0.0f"));
      if (!is_sum()) continue;
      const std::string lost = fmt::format("(-{})", lane("result_lost", i));
      text += fmt::format("  {}\n", combination("total", lost, "float", "0.0f"));
    }
  }
  const std::string total = width_ == 1 ? "result" : "total";
  if (*step_.combined == NetworkOperation::kMean)
    text += fmt::format("  {} /= (float)terms;\n", total);
  return text + "  " + store_element(total, "y + j") + "\n";
}

std::string StepText::text() const {
  std::string text = memory_macros() + arguments() + " {\n";
  text += fmt::format("  const int j = (int)get_global_id(0) * {};\n", step_.combined ? 1 : width_);
  text +=
      "  const int i = (int)get_global_id(1);\n"
      "  if (i >= m || j >= n) return;\n"
      "  y += offset_y + (ulong)i * (ulong)ldy;\n";
  if (!step_.rows.empty()) text += "  rows += offset_rows;\n";
  if (!step_.tables.empty()) text += "  tables += offset_tables;\n";
  for (std::size_t i = 0; i < step_.from.size(); ++i) {
    text += fmt::format("  x{0} += offset_x{0} + (ulong)i * (ulong)ldx{0};\n", i);
  }
  if (step_.combined) return text + reduction() + "}\n";
  text += "  const int c = j;\n";
  if (width_ > 1) text += "  const int last = n - 1;\n";
  if (has_rest_) text += fmt::format("  const bool is_whole = c + {} <= n;\n", width_);
  return text + expression("  ") + store() + "}\n";
}

}  // namespace

std::string step_text(const KernelStep& step, const NetworkSteps& steps, Precision precision,
                      int width) {
  return StepText(step, steps, precision, width).text();
}

}  // namespace tilewright
