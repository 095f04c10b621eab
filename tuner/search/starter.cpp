#include "tuner/search/starter.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <sstream>

#include "codelets/point/validity.hpp"
#include "codelets/space/emit.hpp"
#include "profiles/base/usage_error.hpp"
#include "profiles/version.hpp"
#include "tuner/journal/records/shapes.hpp"

namespace tilewright {
namespace {

// Sizes of the squares for which predicted results are stored: those of the papers, small to large.
constexpr std::int64_t kExtents[] = {96, 384, 1440};

// Tiles of pack kernels, the better ones first. The first one that is valid for the layouts is
// used.
struct PackTile {
  int m, n, vector_width;
};
constexpr PackTile kPackTiles[] = {{4, 4, 4}, {8, 8, 8}, {8, 4, 4}, {4, 8, 4},
                                   {1, 4, 4}, {4, 1, 4}, {1, 1, 1}};

class StarterBuilder {
 public:
  StarterBuilder(const DeviceInfo& paper, const std::string& command_line) : paper_(paper) {
    profile_.kind = ProfileKind::kPredicted;
    profile_.device.name = paper.gpu.kinds;
    profile_.device.compute_units = paper.gpu.compute_units;
    profile_.device.max_clock_mhz = paper.gpu.clock_mhz;
    profile_.device.limits = {1, {1, 1}, 0, false, false};
    Provenance& provenance = profile_.provenance;
    provenance.tool_version = kVersion;
    provenance.command_line = command_line;
    provenance.space_digest = "none";
    provenance.complete = true;
    provenance.statistic = "predicted from counted instructions (docs/mali.md); nothing was run";
    provenance.date =
        fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::chrono::system_clock::now()));
  }

  void add_product(const ChosenKernel& chosen);
  Profile take() { return std::move(profile_); }

 private:
  bool add(const KernelRecord& record);
  void add_pack(Precision precision, const Layout& from, const Layout& to);

  const DeviceInfo& paper_;
  Profile profile_;
};

bool StarterBuilder::add(const KernelRecord& record) {
  if (find_kernel(profile_, record.name) != nullptr) return false;
  DeviceLimits& limits = profile_.device.limits;
  const std::int64_t x = record.work_group[0];
  const std::int64_t y = record.work_group[1];
  limits.max_work_group_size = std::max(limits.max_work_group_size, x * y * record.work_group_k);
  limits.max_work_item_sizes[0] = std::max(limits.max_work_item_sizes[0], x);
  limits.max_work_item_sizes[1] = std::max(limits.max_work_item_sizes[1], y);
  limits.local_memory_bytes = std::max(limits.local_memory_bytes, record.local_bytes);
  limits.image_support = limits.image_support || record.images != Images{};
  profile_.kernels.push_back(record);
  return true;
}

void StarterBuilder::add_pack(Precision precision, const Layout& from, const Layout& to) {
  for (const PackTile& tile : kPackTiles) {
    const PackPoint point{.precision = precision,
                          .from = from,
                          .to = to,
                          .tile_m = tile.m,
                          .tile_n = tile.n,
                          .vector_width = tile.vector_width,
                          .work_group_m = 8,
                          .work_group_n = 8};
    if (broken_rule(point, paper_.limits) != nullptr) continue;
    add(emit(point));
    return;
  }
}

void StarterBuilder::add_product(const ChosenKernel& chosen) {
  if (const Rule* rule = broken_rule(chosen.point, paper_.limits)) {
    throw UsageError(fmt::format("this kernel does not fit {}: {} ({}): {}", paper_.identity.name,
                                 rule->name, rule->reason, to_text(chosen.point)));
  }
  const KernelRecord record = emit(chosen.point);
  if (!add(record)) return;
  const Layout layout_b = record.layout_b.value_or(Layout::R());
  for (const Layout& plain : {Layout::R(), Layout::C()}) {
    if (!record.layout_a.is_plain()) add_pack(record.precision, plain, record.layout_a);
    if (!layout_b.is_plain()) add_pack(record.precision, plain, layout_b);
  }
  // The runtime looks up the results of a kernel under the op that corresponds to its own layouts.
  const Op op = op_from_layouts(record.layout_a, layout_b);
  for (const std::int64_t extent : kExtents) {
    const double ns = flops({extent, extent, extent}) / chosen.gflops;
    ShapeResult& result = profile_.results.emplace_back();
    result = {op, extent, extent, extent, record.name, ns, ns, ns, 0, 0.0};
  }
}

}  // namespace

std::vector<ChosenKernel> parse_chosen(const std::string& text) {
  std::vector<ChosenKernel> chosen;
  std::istringstream lines(text);
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    ChosenKernel kernel;
    const char* end = line.data() + line.size();
    const auto [tab, error] = std::from_chars(line.data(), end, kernel.gflops);
    if (error != std::errc() || tab == end || *tab != '\t' || !(kernel.gflops > 0.0)) {
      throw UsageError(fmt::format("line {}: is not a rate, a tab and a point", number));
    }
    try {
      kernel.point = parse_point(std::string(tab + 1, end));
    } catch (const ParameterError& wrong) {
      throw UsageError(fmt::format("line {}: {}", number, wrong.what()));
    }
    chosen.push_back(std::move(kernel));
  }
  return chosen;
}

Profile starter_profile(const DeviceInfo& paper, const std::vector<ChosenKernel>& chosen,
                        const std::string& command_line) {
  if (!paper.gpu.known()) {
    throw UsageError(fmt::format("{}: the limits file has no table [gpu], which models need",
                                 paper.identity.name));
  }
  StarterBuilder builder(paper, command_line);
  for (const ChosenKernel& kernel : chosen) builder.add_product(kernel);
  return builder.take();
}

}  // namespace tilewright
