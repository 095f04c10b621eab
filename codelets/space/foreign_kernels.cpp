#include "codelets/space/foreign_kernels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <numeric>
#include <sstream>
#include <stdexcept>

#include "profiles/profile_text.hpp"
#include "profiles/quoted.hpp"
#include "profiles/toml_table.hpp"

namespace tilewright {
namespace {

constexpr std::array<std::string_view, 9> kArguments = {"m", "n", "k", "alpha", "beta",
                                                        "a", "b", "c", "bias"};

template <class Value>
Value word(TomlTable& table, const char* key, std::optional<Value> (*parse)(std::string_view)) {
  const std::string text = table.text(key);
  const std::optional<Value> value = parse(text);
  if (!value) table.fail(key, fmt::format("is {}, not one of its words", in_quotes(text)));
  return *value;
}

template <std::size_t Count>
std::array<int, Count> integers(TomlTable& table, const char* key, int least) {
  const auto read =
      table.integers(key, Count, Count, least, std::numeric_limits<std::int16_t>::max());
  std::array<int, Count> values{};
  std::transform(read.begin(), read.end(), values.begin(),
                 [](std::int64_t value) { return static_cast<int>(value); });
  return values;
}

void check_arguments(const KernelRecord& record, const TomlTable& table) {
  std::istringstream words(record.arguments);
  for (std::string text; words >> text;) {
    if (std::find(kArguments.begin(), kArguments.end(), text) == kArguments.end()) {
      table.fail("arguments", fmt::format("has {}, not one of: {}", in_quotes(text),
                                          fmt::join(kArguments, ", ")));
    }
  }
  if (!record.is_foreign()) table.fail("arguments", "must not be empty");
}

// What a work-group covers must end with the matrices.
void fit_multiples(KernelRecord& record) {
  const bool nm = record.id_order == IdOrder::kNM;
  const auto items = [&](int dimension) {
    return std::max(1, record.work_group[static_cast<std::size_t>(dimension)]);
  };
  record.multiples.m = std::lcm(record.multiples.m, record.tile.m * items(nm ? 1 : 0));
  record.multiples.n = std::lcm(record.multiples.n, record.tile.n * items(nm ? 0 : 1));
}

ForeignKernel read_kernel(TomlTable& table) {
  ForeignKernel kernel;
  KernelRecord& record = kernel.record;
  record.name = table.text("name");
  kernel.source = table.text("from");
  kernel.analogue = table.text("analogue");
  kernel.remark = table.text("remark");
  record.role = word(table, "role", parse_role);
  record.entry = table.text("entry");
  record.arguments = table.text("arguments");
  check_arguments(record, table);
  record.id_order = word(table, "id_order", parse_id_order);
  record.work_group = integers<2>(table, "work_group", 0);
  const auto [tile_m, tile_n, tile_k] = integers<3>(table, "tile", 1);
  record.tile = {tile_m, tile_n, tile_k};
  record.layout_a = word(table, "layout_a", parse_layout);
  if (record.role == Role::kGemm) record.layout_b = word(table, "layout_b", parse_layout);
  record.layout_c = word(table, "layout_c", parse_layout);
  const auto [multiple_m, multiple_n, multiple_k] = integers<3>(table, "multiples", 1);
  record.multiples = {multiple_m, multiple_n, multiple_k};
  fit_multiples(record);
  record.epilogue = word(table, "epilogue", parse_epilogue);
  record.bias = word(table, "bias", parse_dimension);
  record.activation = word(table, "activation", parse_activation);
  record.source = table.text("source");
  if (const auto reason = forbidden_source(record.source)) table.fail("source", *reason);
  record.point = fmt::format("foreign: {}", kernel.source);
  table.refuse_unknown();
  return kernel;
}

}  // namespace

std::vector<ForeignKernel> parse_foreign_kernels(std::string_view text, const std::string& file) {
  const TomlText toml = read_toml(text);
  if (toml.error) throw ProfileError(file, toml.error_line, "", *toml.error);
  TomlTable root(toml, "", file);
  std::vector<ForeignKernel> kernels;
  for (TomlTable& table : root.tables("kernel")) kernels.push_back(read_kernel(table));
  root.refuse_unknown();
  return kernels;
}

const std::vector<ForeignKernel>& foreign_kernels() {
  static const std::vector<ForeignKernel> kernels =
      parse_foreign_kernels(seeds_text(), "profiles/data/seeds.toml");
  return kernels;
}

WithWorkGroup split_work_group(std::string_view name) {
  const std::size_t at = name.find('@');
  if (at == std::string_view::npos) return {name, std::nullopt};
  std::array<int, 2> sizes{};
  const char* const end = name.data() + name.size();
  constexpr int kMost = 1 << 15;  // more than any device has, and products of two stay numbers
  const auto [cross, first] = std::from_chars(name.data() + at + 1, end, sizes[0]);
  const bool crossed = first == std::errc() && cross != end && *cross == 'x';
  const auto [last, second] = std::from_chars(crossed ? cross + 1 : end, end, sizes[1]);
  if (!crossed || second != std::errc() || last != end || sizes[0] < 1 || sizes[1] < 1 ||
      sizes[0] > kMost || sizes[1] > kMost) {
    throw std::invalid_argument(
        fmt::format("{}: a work-group such as 4x16 must follow the @", in_quotes(name)));
  }
  return {name.substr(0, at), sizes};
}

std::optional<KernelRecord> find_foreign(std::string_view name) {
  const std::string_view plain = name.substr(0, name.find('@'));
  for (const ForeignKernel& kernel : foreign_kernels()) {
    if (kernel.record.name != plain) continue;
    KernelRecord record = kernel.record;
    if (const auto work_group = split_work_group(name).work_group) {
      record.name = name;
      record.work_group = *work_group;
      fit_multiples(record);
    }
    return record;
  }
  return std::nullopt;
}

}  // namespace tilewright
