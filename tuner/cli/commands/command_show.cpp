#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>

#include "codelets/space/derived_facts.hpp"
#include "profiles/base/usage_error.hpp"
#include "profiles/profile_text.hpp"
#include "tuner/cli/commands/commands.hpp"
#include "tuner/cli/options.hpp"
#include "tuner/cli/print.hpp"
#include "tuner/journal/records/shapes.hpp"
#include "tuner/journal/records/shares.hpp"
#include "tuner/measure/rates/rates_text.hpp"
#include "tuner/measure/rates/roofline.hpp"
#include "tuner/report/plan_results.hpp"
#include "tuner/select/validation.hpp"

namespace tilewright {
namespace {

struct ShowArguments {
  std::string profile;
  std::string kernel;
  std::string precision;
  bool all = false;
};

void print_head(const std::string& file, const Profile& profile, bool all) {
  print("{}: {} profile{}\n", file, to_text(profile.kind),
        profile.provenance.complete ? "" : ", of a tuning that stopped early");
  const Provenance& p = profile.provenance;
  if (profile.kind != ProfileKind::kGeneric) {
    print("device      {} ({})\n", profile.device.name, short_platform(profile.device.platform));
    print("made by     tilewright {}, {}\n", p.tool_version, p.date);
  }
  print("kernels     {}\n", kernel_count_text(profile));
  for (const Validation& validation : profile.validations) {
    for (const std::string& line : validation_lines(validation)) print("validation  {}\n", line);
  }
  if (!p.not_covered.empty()) {
    print("not covered {}\n", cut(p.not_covered, all ? std::string::npos : 88));
  }
}

// The conditions of the tuning, with --all.
void print_conditions(const Profile& profile) {
  if (profile.kind == ProfileKind::kGeneric) return;
  const DeviceIdentity& d = profile.device;
  const Provenance& p = profile.provenance;
  print("command     {}\n", p.command_line);
  print("hardware    {}, {} compute units, processor {}\n", d.vendor, d.compute_units,
        d.processor.empty() ? "unknown" : d.processor);
  print("software    {}; driver {}; {}\n", d.platform, d.driver, d.opencl_c_version);
  print("search      seed {}, space {}\n", p.seed, p.space_digest);
  print("figures     {}\n", p.statistic);
  print("\n");
  for (const std::string& line : rates_text(profile.rates)) print("{}\n", line);
}

// What runs, in a few letters: the operands that are packed first, and the kernel.
std::string short_plan(const PlanResult& result) {
  std::string packed;
  for (const char operand : {'a', 'b'}) {
    if (result.plan.find(fmt::format("pack_{}", operand)) != std::string::npos) packed += operand;
  }
  const KernelRecord& kernel = result.kernel;
  return fmt::format(
      "{}{}{}", packed, packed.empty() ? "" : " ",
      kernel.role == Role::kGemv ? "gemv" : fmt::format("{}x{}", kernel.tile.m, kernel.tile.n));
}

std::string plan_cell(const PlanResult& result) {
  constexpr double kMaxPercent = 999.0;
  std::string next = "-";
  if (result.runner_up_ns > 0.0) {
    const double percent = 100.0 * result.ns / result.runner_up_ns;
    next = percent > kMaxPercent ? fmt::format(">{:.0f}%", kMaxPercent)
                                 : fmt::format("{:.0f}%", percent);
  }
  const double gflops = flops(result.product.shape) / result.ns;
  const std::string rate =
      fmt::format("{}{:.{}f}", result.samples == 0 ? "~" : "", gflops, gflops < 100.0 ? 1 : 0);
  return fmt::format("  {:<9} {:>6} {:>5}", cut(short_plan(result), 9), rate, next);
}

// The plans that run the products of the tuning: a row for each shape, with a cell for each op.
void print_plans(const Profile& profile, Precision precision) {
  const std::vector<PlanResult> results = plan_results(profile, precision);
  if (results.empty()) return;
  std::map<Op, std::string> blank;
  for (const PlanResult& result : results) {
    blank.emplace(result.product.op, fmt::format("{:24}", ""));
  }
  std::string heading = fmt::format("{:<14}", "m x n x k");
  for (const auto& [op, cell] : blank) {
    heading += fmt::format("  {:<9} {:>6} {:>5}", to_text(op), "GFLOPS", "next");
  }
  print("\n{}\n", heading);
  for (auto result = results.begin(); result != results.end();) {
    const GemmShape shape = result->product.shape;
    auto cells = blank;
    for (; result != results.end() && result->product.shape == shape; ++result) {
      cells[result->product.op] = plan_cell(*result);
    }
    std::string row = fmt::format("{:<14}", to_text(shape));
    for (const auto& [op, cell] : cells) row += cell;
    print("{}\n", row);
  }
  print(
      "GFLOPS{} of whole calls, ~: estimated; next: the second plan's share of it\n"
      "(above 100%: faster by an estimate that is not trusted); a, b: A, B are packed first;\n"
      "8x16: tile of a work-item; gemv: a kernel for vectors; --all: kernels and their results\n",
      of_elements(precision));
}

void print_kernels(const Profile& profile) {
  print("\nkernels (--kernel NAME prints the source of one)\n");
  for (const KernelRecord& kernel : profile.kernels) {
    print("  {:<55} {} {} lines{}\n", kernel.name, to_text(kernel.role),
          std::count(kernel.source.begin(), kernel.source.end(), '\n'),
          kernel.built_in ? ", built in" : "");
  }
}

// Returns a percentage of a limit; "-" if the limit is not known.
std::string percent_text(double rate, double bound) {
  return bound > 0.0 ? fmt::format("{:.0f}", 100.0 * rate / bound) : "-";
}

void print_results(const Profile& profile) {
  if (profile.results.empty()) return;
  print("\n{:<4}{:<18}{:>9}  {:<19}{:>7}{:>7}{:>5}  {:>8}  {}\n", "op", "m x n x k", "GFLOPS",
        "(low to high)", "% peak", "% roof", "n", "error", "kernel");
  for (const ShapeResult& r : profile.results) {
    const GemmShape shape{r.m, r.n, r.k};
    const KernelRecord* kernel = find_kernel(profile, r.kernel);
    const Precision precision = kernel == nullptr ? Precision::kSingle : kernel->precision;
    const double gflops = computed_gflops(r);
    print("{:<4}{:<18}{:>9.1f}  {:<19}{:>7}{:>7}{:>5}  {:>8.2g}  {}\n", to_text(r.op),
          to_text(shape), gflops,
          fmt::format("({:.1f} to {:.1f})", flops(shape) / r.high_ns, flops(shape) / r.low_ns),
          percent_of_peak(gflops, product_peak(profile.rates, precision)),
          percent_text(gflops, roofline_gflops(profile.rates, shape, precision)), r.samples,
          r.max_error, r.kernel);
  }
  print(
      "% peak: of the largest rate seen; half precision: of the higher peak of single and half\n"
      "% roof: of the lower of the peak and the rate that the copy bandwidth allows if A and B are\n"
      "        read and C is written once; above 100 if the matrices stay in caches\n"
      "n:      number of samples\n"
      "error:  largest error, as a share of the rounding-error bound; below 1 is correct\n");
}

void print_pack_results(const Profile& profile) {
  if (profile.pack_results.empty()) return;
  print("\nns/element{:>8}{:>8}{:>8}  kernel\n", "GB/s", "% copy", "extent");
  for (const PackResult& r : profile.pack_results) {
    const KernelRecord* kernel = find_kernel(profile, r.kernel);
    const Precision precision = kernel == nullptr ? Precision::kSingle : kernel->precision;
    // Each element is read and written once; padding does not count.
    const double rate = 2.0 * static_cast<double>(bytes_per_element(precision)) / r.ns_per_element;
    print("{:>10.3g}{:>8.4g}{:>8}{:>8}  {}\n", r.ns_per_element, rate,
          percent_text(rate, profile.rates.copy_gbytes_per_s), r.extent, r.kernel);
  }
  print(
      "GB/s:   read and written for a square matrix of this extent (activation, softmax: in place)\n"
      "% copy: of the copy bandwidth of a large buffer\n");
}

void run_show(const ShowArguments& arguments) {
  Profile profile = load_named_profile(arguments.profile);
  raise_peaks(profile);
  keep_precision(arguments.precision, arguments.profile, profile);
  if (!arguments.kernel.empty()) {
    const KernelRecord* kernel = find_kernel(profile, arguments.kernel);
    if (kernel == nullptr) {
      throw UsageError(fmt::format("--kernel: profile {} has no kernel '{}'", arguments.profile,
                                   arguments.kernel));
    }
    print_lines(kernel->source);
    return;
  }
  print_head(arguments.profile, profile, arguments.all);
  if (!arguments.all) {
    for (const Precision precision : kPrecisions) print_plans(profile, precision);
    return;
  }
  print_conditions(profile);
  print_kernels(profile);
  print_results(profile);
  print_pack_results(profile);
}

// Compares launch facts with those that follow from the points. Prints differences to standard
// error.
int run_check(const std::string& file) {
  const Profile profile = load_profile(file);
  bool same = true;
  for (const KernelRecord& kernel : profile.kernels) {
    const auto differences = compare_with_point(kernel);
    if (!differences) continue;
    for (const FactDifference& each : *differences) {
      same = false;
      print(stderr,
            "tilewright: profile '{}', kernel '{}': {} is {}, but {} according to its point\n",
            file, kernel.name, each.key, each.value, each.expected);
    }
  }
  if (!same) {
    print(
        stderr,
        "tilewright: a kernel with wrong launch facts computes wrong products; restore the original "
        "file, or tune again\n");
    return 1;
  }
  print("{}: ok; {}, {} results\n", file, kernel_count_text(profile), profile.results.size());
  print("To check the results of the kernels on the device, run: tilewright verify {}\n", file);
  return 0;
}

}  // namespace

void add_show_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand("show", "Print the plans and the speed of a profile");
  auto a = std::make_shared<ShowArguments>();
  command->add_option("PROFILE", a->profile, "Profile to print: a file, or builtin")->required();
  command->add_flag("--all", a->all, "Print the conditions, all kernels and all their results");
  command->add_option("--kernel", a->kernel, "Print the source of this kernel")->type_name("NAME");
  add_precision_option(*command, a->precision)
      ->description("Print only kernels with this element type: s, d or h");
  command->callback([a] { run_show(*a); });
}

void add_check_command(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand(
      "check",
      "Check the format of a profile, without a device\n\n"
      "Also compares each kernel's work-group, tile and other launch facts with its parameters.");
  auto file = std::make_shared<std::string>();
  command->add_option("PROFILE", *file, "Profile to check")->required();
  command->callback([file, &exit_code] { exit_code = run_check(*file); });
}

}  // namespace tilewright
