#include <fmt/format.h>

#include <memory>

#include "codelets/gemm_codelet.hpp"
#include "codelets/generic_profile.hpp"
#include "codelets/validity.hpp"
#include "profiles/profile_text.hpp"
#include "tuner/commands.hpp"
#include "tuner/usage_error.hpp"

namespace tilewright {
namespace {

struct EmitArguments {
  std::vector<std::string> assignments;
  bool generic = false;
};

std::string parameter_list() {
  std::string text = "Parameters:";
  for (const Field& field : fields()) {
    std::vector<std::string_view> values;
    for (const FieldValue& value : field.values) values.push_back(value.text);
    text += fmt::format("\n  {:<14}{} ({})", field.name, fmt::join(values, " "), field.meaning);
  }
  return text;
}

void run_emit(const EmitArguments& arguments) {
  if (arguments.generic) {
    fmt::print("{}", write_profile(generic_profile()));
    return;
  }
  try {
    const ParameterPoint point =
        parse_point(fmt::format("{}", fmt::join(arguments.assignments, " ")));
    if (const Rule* rule = broken_structural_rule(point)) {
      throw UsageError(fmt::format("no kernel has this point: {} ({})", rule->name, rule->reason));
    }
    fmt::print("{}", emit_gemm(point).source);
  } catch (const ParameterError& error) {
    throw UsageError(fmt::format("--set: {}", error.what()));
  }
}

}  // namespace

void add_emit_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand("emit", "Print the kernel of a parameter point");
  auto a = std::make_shared<EmitArguments>();
  command->footer(parameter_list());
  command->add_option("--set", a->assignments,
                      "name=value ...; parameters not named keep their first value");
  command->add_flag("--generic", a->generic, "print the built-in profile instead");
  command->callback([a] { run_emit(*a); });
}

}  // namespace tilewright
