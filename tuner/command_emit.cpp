#include <fmt/format.h>

#include <memory>

#include "codelets/emit.hpp"
#include "codelets/generic_profile.hpp"
#include "codelets/validity.hpp"
#include "profiles/profile_text.hpp"
#include "tuner/commands.hpp"
#include "tuner/point_choice.hpp"
#include "tuner/usage_error.hpp"

namespace tilewright {
namespace {

struct EmitArguments {
  std::vector<std::string> words;
  std::string point;
  bool list_points = false;
  bool generic = false;
};

std::string parameter_list() {
  std::string text;
  for (const Codelet codelet : kCodelets) {
    text += fmt::format("Parameters of {}:\n", to_text(codelet));
    for (const Field& field : fields(codelet)) {
      text +=
          fmt::format("  {:<16}{} ({})\n", field.name, fmt::join(field.values, " "), field.meaning);
    }
  }
  return text;
}

void list_points() {
  for (const NamedPoint& named : named_points()) {
    fmt::print("{}: {}\n    {}\n    {}\n", named.name, named.source, named.remark,
               to_text(named.point()));
  }
}

void print_kernel(const ParameterPoint& point) {
  if (const Rule* rule = broken_structural_rule(point)) {
    throw UsageError(fmt::format("no kernel has this point: {} ({})", rule->name, rule->reason));
  }
  fmt::print("{}", emit(point).source);
}

void run_emit(const EmitArguments& arguments) {
  if (arguments.generic) {
    fmt::print("{}", write_profile(generic_profile()));
  } else if (arguments.list_points) {
    list_points();
  } else if (!arguments.point.empty()) {
    print_kernel(choose_point(arguments.point, "--point").point());
  } else {
    try {
      print_kernel(parse_point(fmt::format("{}", fmt::join(arguments.words, " "))));
    } catch (const ParameterError& error) {
      throw UsageError(fmt::format("--set: {}", error.what()));
    }
  }
}

}  // namespace

void add_emit_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand("emit", "Print the kernel of a parameter point");
  auto a = std::make_shared<EmitArguments>();
  command->footer(parameter_list());
  CLI::Option* set = command->add_option(
      "--set", a->words,
      "[gemm|gemv|pack|reduce|activation|softmax] name=value ...; parameters not named keep their first value");
  CLI::Option* point = command->add_option("--point", a->point, "a named point instead");
  CLI::Option* list =
      command->add_flag("--list-points", a->list_points, "list the named points instead");
  CLI::Option* generic =
      command->add_flag("--generic", a->generic, "print the built-in profile instead");
  point->excludes(set);
  list->excludes(set)->excludes(point);
  generic->excludes(set)->excludes(point)->excludes(list);
  command->callback([a] { run_emit(*a); });
}

}  // namespace tilewright
