#include <fmt/format.h>

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
#include "tuner/select/validation.hpp"

namespace tilewright {
namespace {

void print_head(const std::string& file, const Profile& profile) {
  print("{}: {} profile\n", file, to_text(profile.kind));
  if (profile.kind != ProfileKind::kGeneric) {
    const DeviceIdentity& d = profile.device;
    print("device      {} ({}, {} compute units)\n", d.name, d.vendor, d.compute_units);
    if (!d.processor.empty()) print("processor   {}\n", d.processor);
    print("software    {}; driver {}; {}\n", d.platform, d.driver, d.opencl_c_version);
  }
  const Provenance& p = profile.provenance;
  print("made by     tilewright {}, {}: {}\n", p.tool_version, p.date, p.command_line);
  print("tuning      {}, seed {}, space {}\n", p.complete ? "complete" : "partial", p.seed,
        p.space_digest);
  print("figures     {}\n", p.statistic);
  for (const Validation& validation : profile.validations) {
    for (const std::string& line : validation_lines(validation)) print("validation  {}\n", line);
  }
  if (!p.not_covered.empty()) {
    print("not covered {}: calls run there as without this profile\n", p.not_covered);
  }
}

void print_kernels(const Profile& profile) {
  print("\n{} kernels (--kernel NAME prints the source of one)\n", profile.kernels.size());
  for (const KernelRecord& kernel : profile.kernels) {
    print("  {:<55} {} {} lines{}\n", kernel.name, to_text(kernel.role),
          std::count(kernel.source.begin(), kernel.source.end(), '\n'),
          kernel.built_in ? ", built in" : "");
  }
}

void print_rates(const Profile& profile) {
  if (profile.kind == ProfileKind::kGeneric) return;
  print("\n");
  for (const std::string& line : rates_text(profile.rates)) print("{}\n", line);
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
    print("{:<4}{:<18}{:>9.1f}  {:<19}{:>7}{:>7}{:>5}  {:>8.2g}  {}\n", to_text(r.op),
          to_text(shape), r.gflops,
          fmt::format("({:.1f} to {:.1f})", flops(shape) / r.high_ns, flops(shape) / r.low_ns),
          percent_of_peak(r.gflops, product_peak(profile.rates, precision)),
          percent_text(r.gflops, roofline_gflops(profile.rates, shape, precision)), r.samples,
          r.max_error, r.kernel);
  }
  print(
      "% peak: share of the peak of the element type (half precision: the higher of the peaks of "
      "single and half precision);\n        results with few samples can exceed it (>100)\n"
      "% roof: share of the roofline, that is the lower of the peak and the rate that the copy "
      "bandwidth allows if A and B\n        are read and C is written once; above 100 if the "
      "matrices stay in caches\n"
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
      "GB/s:   bytes read and written, for a square matrix of this extent (activation and softmax: "
      "in place); a matrix of\n        {0} x {0} may fit into caches\n"
      "% copy: share of the copy bandwidth of a large buffer\n",
      kMovedExtent);
}

void run_show(const std::string& file, const std::string& kernel_name,
              const std::string& precision) {
  Profile profile = load_profile(file);
  raise_peaks(profile);
  keep_precision(precision, file, profile);
  if (!kernel_name.empty()) {
    const KernelRecord* kernel = find_kernel(profile, kernel_name);
    if (kernel == nullptr) {
      throw UsageError(fmt::format("--kernel: profile {} has no kernel '{}'", file, kernel_name));
    }
    print_lines(kernel->source);
    return;
  }
  print_head(file, profile);
  print_rates(profile);
  print_kernels(profile);
  print_results(profile);
  print_pack_results(profile);
}

// Compares launch facts with those that follow from the points. Prints differences to standard
// error.
int run_check(const std::string& file) {
  const Profile profile = load_profile(file);
  std::size_t derived = 0;
  bool same = true;
  for (const KernelRecord& kernel : profile.kernels) {
    const auto differences = compare_with_point(kernel);
    if (!differences) continue;
    ++derived;
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
  print("{}: ok, {} kernels, {} results\n", file, profile.kernels.size(), profile.results.size());
  print("The launch facts of {} kernels follow from their points.\n", derived);
  print("To check the results of the kernels on the device, run: tilewright verify {}\n", file);
  return 0;
}

}  // namespace

void add_show_command(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("show", "Print the contents of a profile: device, kernels, results");
  auto file = std::make_shared<std::string>();
  auto kernel = std::make_shared<std::string>();
  command->add_option("PROFILE", *file, "Profile to print")->required();
  command->add_option("--kernel", *kernel, "Print the source of this kernel")->type_name("NAME");
  auto precision = std::make_shared<std::string>();
  add_precision_option(*command, *precision)
      ->description("Print only kernels with this element type: s, d or h");
  command->callback([file, kernel, precision] { run_show(*file, *kernel, *precision); });
}

void add_check_command(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand(
      "check",
      "Check the format of a profile, without a device\n\n"
      "Also compares the launch facts of each kernel with those that follow from its parameters.");
  auto file = std::make_shared<std::string>();
  command->add_option("PROFILE", *file, "Profile to check")->required();
  command->callback([file, &exit_code] { exit_code = run_check(*file); });
}

}  // namespace tilewright
