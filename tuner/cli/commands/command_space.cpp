#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "codelets/model/gpu_facts_fields.hpp"
#include "codelets/point/space_limits_fields.hpp"
#include "codelets/space/space_count.hpp"
#include "profiles/base/usage_error.hpp"
#include "tuner/cli/commands/commands.hpp"
#include "tuner/cli/options.hpp"
#include "tuner/cli/print.hpp"
#include "tuner/cli/shape_options.hpp"
#include "tuner/journal/records/tuning_json.hpp"
#include "tuner/measure/device/device_choice.hpp"
#include "tuner/measure/device/limits_file.hpp"
#include "tuner/tuning/report/live_line.hpp"

namespace tilewright {
namespace {

struct SpaceArguments {
  std::string device;
  std::string limits_file;
  std::string codelet = "gemm";
  std::string op;
  std::string precision = "s";
  std::vector<std::string> only;
  bool packed = false;
  bool json = false;
};

Codelet parse_codelet(const std::string& text) {
  for (const Codelet codelet : kCodelets) {
    if (to_text(codelet) == text) return codelet;
  }
  throw UsageError(fmt::format(
      "--codelet: '{}' is not one of gemm, gemv, pack, reduce, activation, softmax", text));
}

// Returns the first point of the codelet, or the first one for an op if one is given.
ParameterPoint simplest_requirement(const SpaceArguments& arguments) {
  const Codelet codelet = parse_codelet(arguments.codelet);
  if (arguments.op.empty()) return first_point(codelet);
  const std::vector<Op> ops = parse_ops(arguments.op, true);
  if (ops.size() != 1) throw UsageError("--op: expected one combination of transposes, not a list");
  if (codelet != Codelet::kGemm && codelet != Codelet::kGemv) {
    throw UsageError(fmt::format("--op: {} kernels have no transposes", arguments.codelet));
  }
  return parse_point(fmt::format("{} op={}", arguments.codelet, to_text(ops.front())));
}

struct NamedLimits {
  std::string name;
  SpaceLimits limits;
  GpuFacts gpu;
};

NamedLimits named_limits(const SpaceArguments& arguments) {
  if (!arguments.limits_file.empty()) {
    const DeviceInfo device = read_device(arguments.limits_file);
    return {arguments.limits_file, device.limits, device.gpu};
  }
  const DeviceList devices = list_devices();
  const DeviceInfo device = describe_device(choose_device(devices, arguments.device));
  return {device.identity.name, device.limits, device.gpu};
}

void print_space_json(const Space& space, const ParameterPoint& requirement,
                      const NamedLimits& named, const SpaceCount& count) {
  nlohmann::ordered_json limits;
  visit_space_limits(named.limits,
                     [&](const char* name, const auto& value) { limits[name] = value; });
  nlohmann::ordered_json excluded = nlohmann::ordered_json::array();
  const std::vector<Rule>& table = rules(point_codelet(requirement));
  for (std::size_t i = 0; i < table.size(); ++i) {
    excluded.push_back({{"rule", table[i].name},
                        {"kind", table[i].structural ? "structural" : "device"},
                        {"reason", table[i].reason},
                        {"points", count.excluded[i]}});
  }
  nlohmann::ordered_json gpu;  // null if the GPU is not known
  if (named.gpu.known()) {
    const auto add = [&](const char* name, const auto& value) { gpu[name] = value; };
    visit_gpu_facts(named.gpu, add);
    visit_optional_gpu_facts(named.gpu, add);
  }
  const nlohmann::ordered_json json{{"requirement", to_text(requirement)},
                                    {"device", named.name},
                                    {"limits", limits},
                                    {"gpu", gpu},
                                    {"product", count.product},
                                    {"valid", count.valid},
                                    {"excluded", excluded},
                                    {"order", space.counting_order()},
                                    {"digest", space.digest()}};
  print_lines(pretty(json) + "\n");
}

// Prints the facts about the GPU that the models use. Models order candidates and reject none.
void print_gpu(const GpuFacts& gpu) {
  print("{}: {}, {} compute units, each with {} multiply-adds per clock, {} MHz\n", gpu.name,
        gpu.architecture, gpu.compute_units, gpu.fma_per_clock, gpu.clock_mhz);
  for (const Precision precision : {Precision::kDouble, Precision::kHalf}) {
    if (const int fma = gpu.arithmetic_fma_per_clock(precision); fma > 0) {
      print("  {}: {} multiply-adds per clock\n", elements_text(precision), fma);
    }
  }
  for (std::size_t i = 0; i < gpu.registers.size(); ++i) {
    print("  kernels with up to {} registers of {} floats: {} work-items per compute unit\n",
          gpu.registers[i], gpu.vector_width, gpu.resident_work_items[i]);
  }
}

void print_space_table(const Space& space, const ParameterPoint& requirement,
                       const NamedLimits& named, const SpaceCount& count) {
  print("search space of '{}' on {}\n", to_text(requirement), named.name);
  print("{:>20}  combinations of parameter values\n", count.product);
  const std::vector<Rule>& table = rules(point_codelet(requirement));
  for (std::size_t i = 0; i < table.size(); ++i) {
    print("{:>20}  excluded by {}: {}\n", count.excluded[i], table[i].name, table[i].reason);
  }
  print("{:>20}  valid\n", count.valid);
  print("digest {}\n", space.digest());
  if (named.gpu.known()) print_gpu(named.gpu);
}

Space chosen_space(const SpaceArguments& arguments, const ParameterPoint& requirement,
                   const SpaceLimits& limits) {
  try {
    return {requirement, limits, {arguments.packed, {}, parse_restrictions(arguments.only)}};
  } catch (const ParameterError& error) {
    throw UsageError(fmt::format("--only: {}", error.what()));
  }
}

// Counts the points. Counting a space with packed operands takes minutes, so a terminal shows the
// progress.
SpaceCount counted(const Space& space) {
  if (!is_live_terminal()) return space.count();
  LiveLine live;
  int shown = -1;
  const SpaceCount count = count_points(space, [&](double share) {
    const int percent = static_cast<int>(100.0 * share);
    if (percent == shown) return;
    shown = percent;
    live.show(fmt::format("counting: {} %", percent));
  });
  live.clear();
  return count;
}

void run_space(const SpaceArguments& arguments) {
  const ParameterPoint requirement =
      with_precision(simplest_requirement(arguments), parse_precision_option(arguments.precision));
  const NamedLimits named = named_limits(arguments);
  const Space space = chosen_space(arguments, requirement, named.limits);
  const SpaceCount count = counted(space);
  (arguments.json ? print_space_json : print_space_table)(space, requirement, named, count);
}

}  // namespace

void add_space_command(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("space", "Count the valid kernels of a search space for a device");
  auto a = std::make_shared<SpaceArguments>();
  CLI::Option* device = add_device_option(*command, a->device);
  add_limits_option(*command, a->limits_file)
      ->description("Device that is not here: a known device, such as mali-t628, or a limits file")
      ->excludes(device);
  command
      ->add_option("--codelet", a->codelet,
                   "Kernel generator: gemm, gemv, pack, reduce, activation or softmax")
      ->type_name("NAME")
      ->capture_default_str();
  command->add_option("--op", a->op, "Transposes of A and B: nn, nt, tn or tt [default: nn]")
      ->type_name("OP");
  add_precision_option(*command, a->precision);
  command
      ->add_option("--only", a->only,
                   "Restrict a parameter to these values, for example tile_m=4,8 (repeatable)")
      ->type_name("NAME=LIST")
      ->allow_extra_args(false);
  command->add_flag("--packed", a->packed,
                    "Include kernels with packed or padded operands, or images");
  add_json_flag(*command, a->json);
  command->footer(
      "Examples:\n"
      "  tilewright space --limits mali-t628\n"
      "  tilewright space --codelet gemv --op nt --only vector_width=4,8");
  command->callback([a] { run_space(*a); });
}

}  // namespace tilewright
