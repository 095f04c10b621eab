#include <fmt/format.h>

#include <memory>
#include <utility>

#include "profiles/base/printable.hpp"
#include "profiles/base/usage_error.hpp"
#include "runtime/call/opencl_error.hpp"
#include "runtime/device/profile_search.hpp"
#include "runtime/plan/operands.hpp"
#include "tuner/bench/competitors/competitors.hpp"
#include "tuner/bench/device_plans.hpp"
#include "tuner/bench/explanation.hpp"
#include "tuner/cli/commands/commands.hpp"
#include "tuner/cli/options.hpp"
#include "tuner/cli/print.hpp"
#include "tuner/cli/shape_options.hpp"
#include "tuner/journal/records/shares.hpp"
#include "tuner/measure/device/device_choice.hpp"
#include "tuner/measure/device/device_queue.hpp"
#include "tuner/measure/device/limits_file.hpp"
#include "tuner/measure/device/profile_choice.hpp"

namespace tilewright {
namespace {

struct ExplainArguments {
  std::string profile;
  std::string device;
  std::string limits;
  std::string shape;
  std::string op = "nn";
  std::size_t lda = 0;
  std::size_t ldb = 0;
  std::size_t ldc = 0;
  std::string precision = "s";
  double alpha = 1.0;
  double beta = 0.0;
  bool verbose = false;
  bool json = false;
};

GemmProblem parse_problem(const ExplainArguments& arguments) {
  const auto shape = parse_shape(arguments.shape);
  if (!shape) {
    throw UsageError(fmt::format("SHAPE: '{}' is not a shape MxNxK with whole numbers from 1 to {}",
                                 arguments.shape, kMaxExtent));
  }
  const std::vector<Op> ops = parse_ops(arguments.op, true);
  if (ops.size() != 1) throw UsageError("--op: expected one combination of transposes, not a list");
  GemmProblem problem;
  problem.op = ops[0];
  problem.shape = *shape;
  const NumberType type = parse_number_type(arguments.precision);
  problem.precision = type.precision;
  if (type.complex) problem.complex = ComplexPart{};
  problem.alpha = arguments.alpha;
  problem.beta = arguments.beta;
  try {
    const GemmCall call = to_gemm_call(problem);
    const GemmProblem dense = resolve_dense(call);
    const auto matrix = [](std::size_t ld, std::size_t least) {
      return Matrix{{}, 0, ld == 0 ? least : ld};
    };
    return resolve(call, matrix(arguments.lda, dense.a.ld), matrix(arguments.ldb, dense.b.ld),
                   matrix(arguments.ldc, dense.c.ld));
  } catch (const Error& error) {
    throw UsageError(error.what());
  }
}

// The device that --limits or the profile describes.
DeviceInfo device_on_paper(const ExplainArguments& arguments, const Profile& profile) {
  if (arguments.limits.empty() && profile.kind == ProfileKind::kGeneric) {
    throw UsageError("--profile: " + arguments.profile +
                     " is for any device; name one with --device or --limits");
  }
  DeviceInfo device =
      arguments.limits.empty() ? described_device(profile) : read_device(arguments.limits);
  // If the user asks for double precision, the device is assumed to support it.
  device.has_double = parse_number_type(arguments.precision).precision == Precision::kDouble;
  return complete_device(std::move(device));
}

std::string printed(const Explanation& explanation, const ExplainArguments& arguments) {
  return arguments.json ? to_json(explanation) + "\n" : to_table(explanation, arguments.verbose);
}

std::string explain_on_paper(const ExplainArguments& arguments) {
  const GemmProblem problem = parse_problem(arguments);
  Profile profile = load_named_profile(arguments.profile.empty() ? "builtin" : arguments.profile);
  const DeviceInfo device = device_on_paper(arguments, profile);
  const ProfileStack profiles(std::move(profile), device);
  Explanation explanation = explain_call(
      problem, [&](const GemmProblem& real) { return rank_plans(profiles.all(), device, real); },
      nullptr);
  explanation.device = arguments.limits.empty()
                           ? fmt::format("{}, as the profile describes it", device.identity.name)
                           : "a device with the limits of " + arguments.limits;
  return printed(explanation, arguments);
}

std::string explain_on_device(const ExplainArguments& arguments, const ListedDevice& device) {
  const GemmProblem problem = parse_problem(arguments);
  FoundProfile found =
      find_profile(choose_profile(arguments.profile), default_search_path(), device.identity);
  const std::string origin = origin_text(found);
  DevicePlans plans(create_context(device.device), device, std::move(found.profile),
                    found.under_other_software, take_fallback(found));
  Explanation explanation = explain_call(
      problem, [&](const GemmProblem& real) { return plans.rank(real); },
      [&](const GemmPlan& plan) -> std::optional<std::string> {
        std::string why;
        return plans.load(plan, why) ? std::nullopt : std::optional(why);
      });
  explanation.device =
      fmt::format("{} ({})", device.identity.name, short_platform(device.identity.platform));
  return printed(explanation, arguments) +
         (arguments.json ? "" : fmt::format("profile: {}\n", printable(short_origin(origin))));
}

void run_explain(const ExplainArguments& arguments) {
  const bool names_file = !arguments.profile.empty() && arguments.profile != "builtin";
  const bool on_paper = !arguments.limits.empty() || (names_file && arguments.device.empty());
  print_lines(on_paper
                  ? explain_on_paper(arguments)
                  : explain_on_device(arguments, choose_device(list_devices(), arguments.device)));
}

}  // namespace

void add_explain_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "explain", "List the plans for a product, fastest first, and say why each is used or not");
  auto a = std::make_shared<ExplainArguments>();
  command->option_defaults()->group("The call");
  command->add_option("SHAPE,--shape", a->shape, "m, n and k, such as 512x512x512")->required();
  command->add_option("--op", a->op, "Transposes of A and B: nn, nt, tn or tt")
      ->type_name("OP")
      ->capture_default_str();
  add_number_type_option(*command, a->precision);
  const char* const no_padding = " (row-major) [default: no padding]";
  command->add_option("--lda", a->lda, std::string("Leading dimension of A") + no_padding);
  command->add_option("--ldb", a->ldb, std::string("Leading dimension of B") + no_padding);
  command->add_option("--ldc", a->ldc, std::string("Leading dimension of C") + no_padding);
  command->add_option("--alpha", a->alpha, "Scale of the product")->capture_default_str();
  command->add_option("--beta", a->beta, "Scale of C; 0: C is not read")->capture_default_str();
  command->option_defaults()->group("Options");
  add_profile_option(*command, a->profile);
  CLI::Option* device = add_device_option(*command, a->device)
                            ->description(
                                "Device on which the kernels are compiled: its number or a part of "
                                "its name [default with a file: none, it is as the profile "
                                "describes it; otherwise: first GPU, or else first device]");
  add_limits_option(*command, a->limits)
      ->description("Device that is not here: a known device, such as mali-t628, or a limits file")
      ->excludes(device);
  add_verbose_flag(*command, a->verbose);
  add_json_flag(*command, a->json);
  command->footer(
      "Examples:\n"
      "  tilewright explain 512x512x512\n"
      "  tilewright explain 64x1000x784 --op nt --profile board.toml");
  command->callback([a] { run_explain(*a); });
}

}  // namespace tilewright
