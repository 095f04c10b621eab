#include <fmt/format.h>

#include <memory>

#include "codelets/model/expectation.hpp"
#include "codelets/point/validity.hpp"
#include "codelets/space/emit.hpp"
#include "codelets/space/generic_profile.hpp"
#include "profiles/base/usage_error.hpp"
#include "profiles/profile_text.hpp"
#include "tuner/bench/point_choice.hpp"
#include "tuner/cli/commands/commands.hpp"
#include "tuner/cli/options.hpp"
#include "tuner/cli/print.hpp"
#include "tuner/measure/device/limits_file.hpp"

namespace tilewright {
namespace {

struct EmitArguments {
  std::vector<std::string> words;
  std::string point;
  std::string limits;
  std::string precision;
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
    print("{}: {}\n    {}\n    {}\n", named.name, named.source, named.remark,
          to_text(named.point()));
  }
}

// Rejects points that are not valid for the device. For a gemm kernel, prints what the models
// expect on a known GPU.
void print_expectation(const ParameterPoint& point, const std::string& limits) {
  const DeviceInfo device = read_device(limits);
  if (const Rule* rule = broken_rule(point, device.limits)) {
    throw UsageError(fmt::format("not a kernel for {}: {} ({})", limits, rule->name, rule->reason));
  }
  const auto* gemm = std::get_if<GemmPoint>(&point);
  if (gemm == nullptr || !device.gpu.known()) return;
  print("// On {}, as models expect it, not measured:\n", limits);
  for (const std::string& line : explain(*gemm, device.gpu)) print("// - {}\n", line);
}

void print_kernel(ParameterPoint point, const EmitArguments& arguments) {
  const std::string& limits = arguments.limits;
  if (!arguments.precision.empty()) {
    point = with_precision(point, parse_precision_option(arguments.precision));
  }
  if (const Rule* rule = broken_structural_rule(point)) {
    throw UsageError(fmt::format("no kernel has this point: {} ({})", rule->name, rule->reason));
  }
  if (!limits.empty()) print_expectation(point, limits);
  print_lines(emit(point).source);
}

void run_emit(const EmitArguments& arguments) {
  if (arguments.generic) {
    print_lines(write_profile(generic_profile()));
  } else if (arguments.list_points) {
    list_points();
  } else if (!arguments.point.empty()) {
    print_kernel(choose_point(arguments.point, "--point").point(), arguments);
  } else {
    try {
      print_kernel(parse_point(fmt::format("{}", fmt::join(arguments.words, " "))), arguments);
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
  CLI::Option* limits = command->add_option(
      "--limits", a->limits,
      "known device, such as mali-t628, or limits file: refuse what is not tried there, and tell "
      "what to expect");
  point->excludes(set);
  list->excludes(set)->excludes(point);
  CLI::Option* precision = add_precision_option(*command, a->precision);
  precision->description("the point's kernel for that type: s, d or h");
  precision->excludes(list)->excludes(generic);
  limits->excludes(list)->excludes(generic);
  generic->excludes(set)->excludes(point)->excludes(list);
  command->callback([a] { run_emit(*a); });
}

}  // namespace tilewright
