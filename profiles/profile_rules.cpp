#include "profile_rules.hpp"

#include <fmt/format.h>

#include <cmath>
#include <set>

#include "profiles/digest.hpp"
#include "quoted.hpp"
#include "source_rules.hpp"

namespace tilewright {
namespace {

// Collects what is wrong with one table.
class Table {
 public:
  Table(std::string path, std::vector<Violation>& found) : path_(std::move(path)), found_(found) {}

  void require(bool holds, std::string_view key, std::string_view message) const {
    if (!holds) found_.push_back({fmt::format("{}.{}", path_, key), std::string(message)});
  }
  void refuse(const std::optional<std::string>& reason, std::string_view key) const {
    if (reason) require(false, key, *reason);
  }

 private:
  std::string path_;
  std::vector<Violation>& found_;
};

void check_device(const DeviceIdentity& device, std::vector<Violation>& found) {
  const DeviceLimits& limits = device.limits;
  const Table table("device.limits", found);
  table.require(limits.max_work_group_size >= 1, "max_work_group_size", "must be at least 1");
  table.require(limits.max_work_item_sizes[0] >= 1 && limits.max_work_item_sizes[1] >= 1,
                "max_work_item_sizes", "must be at least 1 each");
  table.require(limits.local_memory_bytes >= 0, "local_memory_bytes", "must not be negative");
  Table("device.soft", found)
      .require(device.compute_units >= 0, "compute_units", "must not be negative");
  Table("device.information", found)
      .require(device.max_clock_mhz >= 0, "max_clock_mhz", "must not be negative");
}

void check_launch(const KernelRecord& kernel, const Table& table) {
  const auto& [x, y] = kernel.work_group;
  table.require(x >= 1 && y >= 1, "work_group", "must be at least 1 each");
  const auto positive = [](const Tile& t) { return t.m >= 1 && t.n >= 1 && t.k >= 1; };
  table.require(positive(kernel.tile), "tile", "must be at least 1 each");
  table.require(positive(kernel.multiples), "multiples", "must be at least 1 each");
}

void check_limits(const KernelRecord& kernel, const DeviceLimits& limits, const Table& table) {
  const std::int64_t x = kernel.work_group[0];
  const std::int64_t y = kernel.work_group[1];
  table.require(
      x * y <= limits.max_work_group_size, "work_group",
      fmt::format("has {} work-items, but device.limits.max_work_group_size of this profile is {}",
                  x * y, limits.max_work_group_size));
  table.require(x <= limits.max_work_item_sizes[0] && y <= limits.max_work_item_sizes[1],
                "work_group", "exceeds device.limits.max_work_item_sizes of this profile");
}

void check_role(const KernelRecord& kernel, const Table& table) {
  const bool gemm = kernel.role == Role::kGemm;
  table.require(!gemm || kernel.layout_b, "layout_b", "is missing: a gemm kernel has an operand B");
  table.require(gemm || !kernel.layout_b, "layout_b", "must be absent: only gemm kernels have a B");
  table.require(
      kernel.epilogue == (gemm ? Epilogue::kAlphaBeta : Epilogue::kNone), "epilogue",
      gemm ? "must be 'alpha_beta' for a gemm kernel" : "must be 'none' for a pack kernel");
}

void check_source(const KernelRecord& kernel, const Table& table) {
  table.require(is_identifier(kernel.entry), "entry", "must be the name of an OpenCL C function");
  if (const auto option = forbidden_build_option(kernel.build_options)) {
    table.require(false, "build_options", quoted(*option) + " is not an allowed build option");
  }
  if (const auto reason = forbidden_source(kernel.source)) {
    table.require(false, "source", *reason);
  } else {
    table.require(declares_kernel(kernel.source, kernel.entry), "entry",
                  quoted(kernel.entry) + " is not a __kernel function of the source");
  }
}

void check_kernels(const Profile& profile, std::vector<Violation>& found) {
  if (profile.kernels.empty()) found.push_back({"kernel", "is missing: a profile needs a kernel"});
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < profile.kernels.size(); ++i) {
    const KernelRecord& kernel = profile.kernels[i];
    const Table table(fmt::format("kernel[{}]", i), found);
    table.require(!kernel.name.empty(), "name", "must not be empty");
    table.require(names.insert(kernel.name).second, "name",
                  quoted(kernel.name) + " is also the name of an earlier kernel");
    check_source(kernel, table);
    check_launch(kernel, table);
    if (profile.kind == ProfileKind::kTuned) check_limits(kernel, profile.device.limits, table);
    check_role(kernel, table);
  }
}

void check_times(const ShapeResult& result, const Table& table) {
  // Comparisons are written so that NaN fails them.
  const auto is_time = [](double ns) { return ns > 0.0 && std::isfinite(ns); };
  table.require(is_time(result.median_ns), "median_ns", "must be positive and finite");
  table.require(is_time(result.low_ns), "low_ns", "must be positive and finite");
  table.require(is_time(result.high_ns), "high_ns", "must be positive and finite");
  table.require(result.low_ns <= result.median_ns, "low_ns", "must not exceed median_ns");
  table.require(result.high_ns >= result.median_ns, "high_ns", "must not be below median_ns");
  table.require(result.samples >= 1, "samples", "must be at least 1");
  const double gflops = 2.0 * static_cast<double>(result.m) * static_cast<double>(result.n) *
                        static_cast<double>(result.k) / result.median_ns;
  table.require(std::abs(result.gflops - gflops) <= 1e-3 * gflops, "gflops",
                fmt::format("must be 2 m n k / median_ns = {} to 0.1 %", gflops));
  table.require(result.max_error >= 0.0 && result.max_error < 1.0, "max_error",
                "must be at least 0 and below 1 (1 or more is a wrong product)");
}

void check_results(const Profile& profile, std::vector<Violation>& found) {
  std::set<std::string_view> names;
  for (const KernelRecord& kernel : profile.kernels) names.insert(kernel.name);
  for (std::size_t i = 0; i < profile.results.size(); ++i) {
    const ShapeResult& result = profile.results[i];
    const Table table(fmt::format("result[{}]", i), found);
    table.require(result.m >= 1, "m", "must be at least 1");
    table.require(result.n >= 1, "n", "must be at least 1");
    table.require(result.k >= 1, "k", "must be at least 1");
    table.require(names.contains(result.kernel), "kernel",
                  quoted(result.kernel) + " is not the name of a kernel of this profile");
    check_times(result, table);
  }
  if (profile.kind == ProfileKind::kGeneric && !profile.results.empty()) {
    found.push_back({"result", "must be absent: a generic profile was never measured"});
  }
}

}  // namespace

std::vector<Violation> violations(const Profile& profile) {
  std::vector<Violation> found;
  if (profile.kind == ProfileKind::kTuned) check_device(profile.device, found);
  check_kernels(profile, found);
  check_results(profile, found);
  return found;
}

std::string digest_table(std::string_view body) {
  return fmt::format("[digest]\nprofile = \"{}\"\n", digest_of_bytes(body));
}

}  // namespace tilewright
