#include <fmt/ranges.h>

#include <memory>

#include "codelets/model/expectation.hpp"
#include "codelets/point/validity.hpp"
#include "codelets/space/emit.hpp"
#include "codelets/space/generic_profile.hpp"
#include "profiles/base/usage_error.hpp"
#include "profiles/profile_text.hpp"
#include "tuner/bench/kernel_bench.hpp"
#include "tuner/cli/commands/commands.hpp"
#include "tuner/cli/help_format.hpp"
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

std::string parameter_tables() {
  constexpr std::size_t kNameWidth = 18;
  std::string text;
  for (const Codelet codelet : kCodelets) {
    text += fmt::format("\nParameters of {}:\n", to_text(codelet));
    for (const Field& field : fields(codelet)) {
      const std::string tag = field.tag.empty() ? "" : fmt::format(" (in names: {})", field.tag);
      const std::string meaning =
          fmt::format("{}{}: {}", field.meaning, tag, fmt::join(field.values, " "));
      text += fmt::format("  {:<{}}{}\n", field.name, kNameWidth - 2,
                          wrapped_help(meaning, kNameWidth, true));
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

// Throws UsageError for a kernel that does not fit the device. Prints what the models predict for
// the kernel of a product.
void print_expectation(const ParameterPoint& point, const std::string& limits) {
  const DeviceInfo device = read_device(limits);
  if (const Rule* rule = broken_rule(point, device.limits)) {
    throw UsageError(
        fmt::format("this kernel does not fit {}: {} ({})", limits, rule->name, rule->reason));
  }
  const auto* gemm = std::get_if<GemmPoint>(&point);
  if (gemm == nullptr || !device.gpu.known()) return;
  print("// Predictions for {}, not measured:\n", limits);
  for (const std::string& line : explain(*gemm, device.gpu)) print("// - {}\n", line);
}

void print_kernel(ParameterPoint point, const EmitArguments& arguments) {
  const std::string& limits = arguments.limits;
  if (!arguments.precision.empty()) {
    point = with_precision(point, parse_precision_option(arguments.precision));
  }
  if (const Rule* rule = broken_structural_rule(point)) {
    throw UsageError(fmt::format("--set: these parameters exclude each other: {} ({})", rule->name,
                                 rule->reason));
  }
  if (!limits.empty()) print_expectation(point, limits);
  print_lines(explained_source(point));
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
  CLI::App* command = app.add_subcommand(
      "emit",
      "Print the OpenCL source of a kernel\n\n"
      "A kernel is given by its generator and its parameters; parameters that are not set have the "
      "first of the values below.");
  auto a = std::make_shared<EmitArguments>();
  CLI::Option* set =
      command
          ->add_option("--set", a->words,
                       "Parameters NAME=VALUE, optionally after the generator: gemm, gemv, pack, "
                       "reduce, activation or softmax [default: gemm]")
          ->type_name("WORDS...");
  CLI::Option* point =
      command->add_option("--point", a->point, "Print this named kernel")->type_name("NAME");
  CLI::Option* list = command->add_flag("--list-points", a->list_points, "List the named kernels");
  CLI::Option* generic = command->add_flag("--generic", a->generic, "Print the built-in profile");
  CLI::Option* limits =
      add_limits_option(*command, a->limits)
          ->description(
              "Reject kernels that do not fit this device (a known device, such as mali-t628, or a "
              "limits file), and print what the models predict for it");
  point->excludes(set);
  list->excludes(set)->excludes(point);
  CLI::Option* precision = add_precision_option(*command, a->precision);
  precision->description("Element type of the kernel: s, d or h");
  precision->excludes(list)->excludes(generic);
  limits->excludes(list)->excludes(generic);
  generic->excludes(set)->excludes(point)->excludes(list);
  command->footer(
      "Examples:\n"
      "  tilewright emit --set tile_m=4 tile_n=4 vector_width=4\n"
      "  tilewright emit --set pack from=R to=R4x1C --limits mali-t628\n" +
      parameter_tables());
  command->callback([a] { run_emit(*a); });
}

}  // namespace tilewright
