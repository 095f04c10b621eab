#include "tuner/measure/device/limits_file.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <set>
#include <sstream>

#include "codelets/model/gpu_facts_fields.hpp"
#include "codelets/point/space_limits_fields.hpp"
#include "profiles/base/read_file.hpp"
#include "profiles/base/text_file.hpp"
#include "profiles/profile_text.hpp"
#include "profiles/toml_subset.hpp"
#include "profiles/toml_table.hpp"
#include "tuner/measure/device/known_limits.hpp"

namespace tilewright {
namespace {

constexpr std::size_t kMaxLimitsBytes = 1 << 16;

std::string read_text(const std::string& path) {
  FileContent content = read_file(path, {0, kMaxLimitsBytes + 1});
  if (!content.failure.empty()) {
    throw ProfileError(path, 0, "",
                       fmt::format("{}; the known devices are {}", content.failure,
                                   fmt::join(known_devices(), ", ")));
  }
  if (content.bytes.size() > kMaxLimitsBytes)
    throw ProfileError(path, 0, "", "is larger than 64 KiB");
  return std::string(without_byte_order_mark(content.bytes));
}

TomlText parse(const std::string& text, const std::string& path) {
  TomlText toml = read_toml(text);
  if (!toml.error) return toml;
  throw ProfileError(path, toml.error_line, toml.error_key, *toml.error);
}

// Reads one limit according to the type of its member. Integers must be at least 1, except that
// local_memory_bytes may be 0.
struct LimitReader {
  TomlTable& table;

  void operator()(const char* key, bool& value) {
    if (key != kOptionalLimit || table.has(key)) value = table.boolean(key);
  }
  void operator()(const char* key, int& value) {
    value = static_cast<int>(table.integer(key, 1, std::numeric_limits<int>::max()));
  }
  void operator()(const char* key, std::int64_t& value) {
    const bool may_be_none = std::string_view(key) == "local_memory_bytes";
    value = table.integer(key, may_be_none ? 0 : 1, std::numeric_limits<std::int64_t>::max());
  }
  void operator()(const char* key, std::array<std::int64_t, 2>& value) {
    const auto read = table.integers(key, 2, 2, 1, std::numeric_limits<std::int64_t>::max());
    value = {read[0], read[1]};
  }
};

// Reads one fact about a GPU. 0 means that a figure is not known.
struct FactReader {
  TomlTable& table;

  void operator()(const char* key, std::string& value) { value = table.text(key); }
  void operator()(const char* key, bool& value) { value = table.boolean(key); }
  void operator()(const char* key, int& value) {
    value = static_cast<int>(table.integer(key, 0, std::numeric_limits<int>::max()));
  }
  void operator()(const char* key, std::int64_t& value) {
    value = table.integer(key, 0, std::numeric_limits<std::int64_t>::max());
  }
  void operator()(const char* key, std::vector<int>& value) {
    constexpr std::size_t kMaxClasses = 8;
    value.clear();
    for (const std::int64_t each :
         table.integers(key, 1, kMaxClasses, 1, std::numeric_limits<int>::max())) {
      value.push_back(static_cast<int>(each));
    }
  }
};

constexpr std::string_view kArchitectures[] = {
    "midgard", "bifrost", "valhall", "adreno", "rogue", "gen", "xe", "gcn", "rdna", "videocore"};

// Returns the name followed by the names in the optional key `aliases`, with | between them.
std::string read_kinds(TomlTable& table, const std::string& name) {
  if (name.empty() || name.find('|') != std::string::npos) table.fail("name", "is not a name");
  if (!table.has("aliases")) return name;
  const std::string aliases = table.text("aliases");
  std::set<std::string_view> seen = {name};
  std::size_t begin = 0;
  while (begin <= aliases.size()) {
    const std::size_t end = std::min(aliases.find('|', begin), aliases.size());
    const auto alias = std::string_view(aliases).substr(begin, end - begin);
    if (alias.empty()) table.fail("aliases", "has an empty name");
    if (!seen.insert(alias).second) table.fail("aliases", "has a name twice");
    begin = end + 1;
  }
  return name + "|" + aliases;
}

GpuFacts read_gpu(TomlTable table) {
  GpuFacts gpu;
  visit_gpu_facts(gpu, FactReader{table});
  visit_optional_gpu_facts(gpu, [&](const char* key, int& value) {
    if (table.has(key)) FactReader{table}(key, value);
  });
  gpu.kinds = read_kinds(table, gpu.name);
  table.refuse_unknown();
  if (std::find(std::begin(kArchitectures), std::end(kArchitectures), gpu.architecture) ==
      std::end(kArchitectures)) {
    table.fail("architecture", fmt::format("is not one of {}", fmt::join(kArchitectures, ", ")));
  }
  if (gpu.vector_width == 0) table.fail("vector_width", "must be at least 1");
  if (!std::is_sorted(gpu.registers.begin(), gpu.registers.end())) {
    table.fail("registers", "must ascend");
  }
  if (gpu.resident_work_items.size() != gpu.registers.size()) {
    table.fail("resident_work_items", "must have as many elements as the key registers");
  }
  if (!std::is_sorted(gpu.resident_work_items.rbegin(), gpu.resident_work_items.rend())) {
    table.fail("resident_work_items", "must descend");
  }
  return gpu;
}

const KnownLimits* find_known(std::string_view name) {
  for (const KnownLimits& known : known_limits()) {
    if (known.name == name) return &known;
  }
  return nullptr;
}

}  // namespace

void set_gpu(DeviceInfo& device, const GpuFacts& gpu) {
  constexpr int kUsualLanes = 32;
  const int lanes = gpu.preferred_work_group_multiple;
  device.min_work_group = lanes > 0 ? lanes : kUsualLanes;
  device.side_by_side = true;
  device.gpu = gpu;
}

DeviceInfo read_device(const std::string& name_or_path) {
  const KnownLimits* known = find_known(name_or_path);
  const std::string text = known != nullptr ? std::string(known->text) : read_text(name_or_path);
  const TomlText root = parse(text, name_or_path);
  TomlTable table(root, name_or_path);
  DeviceInfo device;
  visit_space_limits(device.limits, LimitReader{table});
  set_gpu(device, table.has("gpu") ? read_gpu(table.table("gpu")) : GpuFacts{});
  table.refuse_unknown();
  device.identity.name = device.gpu.known() ? device.gpu.name : name_or_path;
  device.identity.limits = device.limits;
  device.identity.compute_units = device.gpu.compute_units;
  device.identity.max_clock_mhz = device.gpu.clock_mhz;
  device.kind = DeviceKind::kGpu;
  device.native_vector_width = std::max(1, device.gpu.vector_width);
  return device;
}

std::vector<std::string> known_devices() {
  std::vector<std::string> names;
  for (const KnownLimits& known : known_limits()) names.emplace_back(known.name);
  std::sort(names.begin(), names.end());
  return names;
}

GpuFacts known_gpu(const DeviceIdentity& device) {
  GpuFacts found;
  for (const KnownLimits& known : known_limits()) {
    GpuFacts gpu = read_device(std::string(known.name)).gpu;
    if (!names_kind(device.name, gpu.kinds) && !names_kind(device.driver, gpu.kinds)) continue;
    if (gpu.compute_units == device.compute_units) return gpu;
    if (!found.known()) found = std::move(gpu);
  }
  return found;
}

}  // namespace tilewright
