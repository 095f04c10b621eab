#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "codelets/model/gpu_facts_fields.hpp"
#include "codelets/point/space_limits_fields.hpp"
#include "codelets/space/space_count.hpp"
#include "profiles/base/usage_error.hpp"
#include "tuner/cli/commands/commands.hpp"
#include "tuner/cli/device_list.hpp"
#include "tuner/cli/options.hpp"
#include "tuner/cli/print.hpp"
#include "tuner/cli/shape_options.hpp"
#include "tuner/journal/records/tuning_json.hpp"
#include "tuner/measure/device/device_choice.hpp"
#include "tuner/measure/device/limits_file.hpp"
#include "tuner/tuning/live_line.hpp"

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
      "--codelet: '{}' is none of gemm, gemv, pack, reduce, activation, softmax", text));
}

// Returns the first point of the codelet, or the first one for an op if one is given.
ParameterPoint simplest_requirement(const SpaceArguments& arguments) {
  const Codelet codelet = parse_codelet(arguments.codelet);
  if (arguments.op.empty()) return first_point(codelet);
  const std::vector<Op> ops = parse_ops(arguments.op, true);
  if (ops.size() != 1) throw UsageError("--op: one operand combination is meant");
  if (codelet != Codelet::kGemm && codelet != Codelet::kGemv) {
    throw UsageError(fmt::format("--op: {} has no operand combinations", arguments.codelet));
  }
  return parse_point(fmt::format("{} op={}", arguments.codelet, to_text(ops.front())));
}

ParameterPoint chosen_requirement(const SpaceArguments& arguments) {
  return with_precision(simplest_requirement(arguments),
                        parse_precision_option(arguments.precision));
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

void print_json(const Space& space, const ParameterPoint& requirement, const NamedLimits& named,
                const SpaceCount& count) {
  nlohmann::ordered_json limits;
  visit_space_limits(named.limits,
                     [&](const char* name, const auto& value) { limits[name] = value; });
  nlohmann::ordered_json fallen = nlohmann::ordered_json::array();
  const std::vector<Rule>& table = rules(point_codelet(requirement));
  for (std::size_t i = 0; i < table.size(); ++i) {
    fallen.push_back({{"rule", table[i].name},
                      {"kind", table[i].structural ? "structural" : "device"},
                      {"reason", table[i].reason},
                      {"points", count.fallen[i]}});
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
                                    {"fallen", fallen},
                                    {"order", space.counting_order()},
                                    {"digest", space.digest()}};
  print_lines(pretty(json) + "\n");
}

// Prints the facts about the GPU that the models use. Models order candidates and reject none.
void print_gpu(const GpuFacts& gpu) {
  print("{}: {}, {} compute units of {} multiply-adds a clock, {} MHz\n", gpu.name,
        gpu.architecture, gpu.compute_units, gpu.fma_per_clock, gpu.clock_mhz);
  for (const Precision precision : {Precision::kDouble, Precision::kHalf}) {
    if (const int fma = gpu.arithmetic_fma_per_clock(precision); fma > 0) {
      print("  of {}: {} multiply-adds a clock\n", elements_text(precision), fma);
    }
  }
  for (std::size_t i = 0; i < gpu.registers.size(); ++i) {
    print("  up to {} registers of {} floats: {} work-items at a time on a compute unit\n",
          gpu.registers[i], gpu.vector_width, gpu.resident_work_items[i]);
  }
}

void print_table(const Space& space, const ParameterPoint& requirement, const NamedLimits& named,
                 const SpaceCount& count) {
  print("space of '{}' on {}\n", to_text(requirement), named.name);
  print("{:>20}  points in the product\n", count.product);
  const std::vector<Rule>& table = rules(point_codelet(requirement));
  for (std::size_t i = 0; i < table.size(); ++i) {
    print("{:>20}  fall to {}: {}\n", count.fallen[i], table[i].name, table[i].reason);
  }
  print("{:>20}  are valid\n", count.valid);
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
  const ParameterPoint requirement = chosen_requirement(arguments);
  const NamedLimits named = named_limits(arguments);
  const Space space = chosen_space(arguments, requirement, named.limits);
  const SpaceCount count = counted(space);
  (arguments.json ? print_json : print_table)(space, requirement, named, count);
}

}  // namespace

void add_space_command(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("space", "Tell how many kernels a device can be offered, and why no more");
  auto a = std::make_shared<SpaceArguments>();
  CLI::Option* device = command->add_option(
      "--device", a->device, "number or part of the name; default: first GPU, else first");
  command
      ->add_option("--limits", a->limits_file,
                   "known device, such as mali-t628, or limits file (docs/parameters.md)")
      ->excludes(device);
  command->add_option("--codelet", a->codelet, "gemm, gemv, pack, reduce, activation, softmax")
      ->capture_default_str();
  command->add_option("--op", a->op, "operand combination: nn, nt, tn, tt; default: nn");
  add_precision_option(*command, a->precision);
  command
      ->add_option("--only", a->only,
                   "values that a parameter may have, such as tile_m=4,8; may be repeated")
      ->allow_extra_args(false);
  command->add_flag("--packed", a->packed, "operands may be packed, padded, put into images");
  command->add_flag("--json", a->json, "print JSON");
  command->callback([a] { run_space(*a); });
}

}  // namespace tilewright
