#include "profiles/toml_table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "profiles/profile_text.hpp"
#include "profiles/quoted.hpp"

namespace tilewright {
namespace {

int line_of(const toml::source_region& source) {
  return std::max(1, static_cast<int>(source.begin.line));
}

const char* word_for(toml::node_type type) {
  switch (type) {
    case toml::node_type::table:
      return "a table";
    case toml::node_type::array:
      return "an array";
    case toml::node_type::string:
      return "a string";
    case toml::node_type::integer:
      return "an integer";
    case toml::node_type::floating_point:
      return "a float";
    case toml::node_type::boolean:
      return "a boolean";
    default:
      return "a date or time";
  }
}

std::string out_of_range(std::int64_t low, std::int64_t high) {
  return fmt::format("must lie between {} and {}", low, high);
}

}  // namespace

TomlTable::TomlTable(const toml::table& table, std::string path, const std::string& file)
    : table_(&table), path_(std::move(path)), file_(&file) {}

template <class T>
const auto& TomlTable::take_as(std::string_view key, const char* wanted) {
  const toml::node& node = take(key);
  const auto* value = node.as<T>();
  if (value == nullptr) {
    fail(key, fmt::format("must be {}, not {}", wanted, word_for(node.type())));
  }
  return *value;
}

std::string TomlTable::text(std::string_view key) {
  return take_as<std::string>(key, "a string").get();
}

bool TomlTable::boolean(std::string_view key) {
  return take_as<bool>(key, "a boolean").get();
}

double TomlTable::number(std::string_view key) {
  return take_as<double>(key, "a float").get();
}

std::int64_t TomlTable::integer(std::string_view key, std::int64_t low, std::int64_t high) {
  const std::int64_t value = take_as<std::int64_t>(key, "an integer").get();
  if (value < low || value > high) fail(key, out_of_range(low, high));
  return value;
}

std::vector<std::int64_t> TomlTable::integers(std::string_view key, std::size_t least,
                                              std::size_t most, std::int64_t low,
                                              std::int64_t high) {
  const toml::array& array = take_as<toml::array>(key, "an array of integers");
  if (array.size() < least || array.size() > most) {
    fail(key, least == most ? fmt::format("must have {} elements", least)
                            : fmt::format("must have {} or {} elements", least, most));
  }
  std::vector<std::int64_t> values;
  for (const toml::node& element : array) {
    const auto* value = element.as_integer();
    if (value == nullptr) fail(key, "must be an array of integers");
    if (value->get() < low || value->get() > high) fail(key, out_of_range(low, high));
    values.push_back(value->get());
  }
  return values;
}

TomlTable TomlTable::table(std::string_view key) {
  return {take_as<toml::table>(key, "a table"), path_of(key), *file_};
}

std::vector<TomlTable> TomlTable::tables(std::string_view key) {
  std::vector<TomlTable> result;
  if (!has(key)) return result;
  for (const toml::node& element : take_as<toml::array>(key, "an array of tables")) {
    const toml::table* table = element.as_table();
    if (table == nullptr) fail(key, "must be an array of tables");
    result.emplace_back(*table, fmt::format("{}[{}]", path_of(key), result.size()), *file_);
  }
  return result;
}

void TomlTable::refuse_unknown() const {
  for (const auto& [key, node] : *table_) {
    if (!known_.contains(key.str())) fail(key.str(), "is not a key that is known here");
  }
}

void TomlTable::fail(std::string_view key, const std::string& message) const {
  const toml::node* node = table_->get(key);
  const int line = line_of(node == nullptr ? table_->source() : node->source());
  throw ProfileError(*file_, line, path_of(key), message);
}

const toml::node& TomlTable::take(std::string_view key) {
  const toml::node* node = table_->get(key);
  if (node == nullptr) fail(key, "is missing");
  known_.emplace(key);
  return *node;
}

std::string TomlTable::path_of(std::string_view key) const {
  return path_.empty() ? key_text(key) : fmt::format("{}.{}", path_, key_text(key));
}

int line_of_key(const toml::table& root, std::string_view dotted) {
  while (!dotted.empty()) {
    if (const auto node = toml::at_path(root, dotted)) return line_of(node.node()->source());
    const std::size_t end = dotted.find_last_of(".[");
    dotted = dotted.substr(0, end == std::string_view::npos ? 0 : end);
  }
  return line_of(root.source());
}

}  // namespace tilewright
