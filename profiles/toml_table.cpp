#include "profiles/toml_table.hpp"

#include <fmt/format.h>

#include "profiles/base/printable.hpp"
#include "profiles/profile_text.hpp"

namespace tilewright {
namespace {

// In the order of TomlValue.
constexpr const char* kKinds[] = {"a table",   "an integer", "a float",
                                  "a boolean", "a string",   "an array"};

std::string out_of_range(std::int64_t low, std::int64_t high) {
  return fmt::format("must lie between {} and {}", low, high);
}

}  // namespace

TomlTable::TomlTable(const TomlText& text, std::string path, const std::string& file)
    : text_(&text), path_(std::move(path)), file_(&file) {}

bool TomlTable::has(std::string_view key) const {
  const std::string path = path_of(key);
  return text_->find(path) != nullptr || text_->num_entries.contains(path);
}

template <class T>
const T& TomlTable::take_as(std::string_view key, const char* wanted) {
  const std::string path = path_of(key);
  const TomlStatement* statement = text_->find(path);
  if (statement == nullptr && text_->num_entries.contains(path)) {
    fail(key, fmt::format("must be {}, not an array of tables", wanted));
  }
  if (statement == nullptr) fail(key, "is missing");
  known_.emplace(key);
  const T* value = std::get_if<T>(&statement->value);
  if (value == nullptr) {
    fail(key, fmt::format("must be {}, not {}", wanted, kKinds[statement->value.index()]));
  }
  return *value;
}

std::string TomlTable::text(std::string_view key) {
  return take_as<std::string>(key, "a string");
}

bool TomlTable::boolean(std::string_view key) {
  return take_as<bool>(key, "a boolean");
}

double TomlTable::number(std::string_view key) {
  return take_as<double>(key, "a float");
}

std::int64_t TomlTable::integer(std::string_view key, std::int64_t low, std::int64_t high) {
  const auto value = take_as<std::int64_t>(key, "an integer");
  if (value < low || value > high) fail(key, out_of_range(low, high));
  return value;
}

std::vector<std::int64_t> TomlTable::integers(std::string_view key, std::size_t least,
                                              std::size_t most, std::int64_t low,
                                              std::int64_t high) {
  const auto& array = take_as<std::vector<TomlNumber>>(key, "an array of integers");
  if (array.size() < least || array.size() > most) {
    fail(key, least == most ? fmt::format("must have {} elements", least)
                            : fmt::format("must have {} or {} elements", least, most));
  }
  std::vector<std::int64_t> values;
  for (const TomlNumber& element : array) {
    const auto* value = std::get_if<std::int64_t>(&element);
    if (value == nullptr) fail(key, "must be an array of integers");
    if (*value < low || *value > high) fail(key, out_of_range(low, high));
    values.push_back(*value);
  }
  return values;
}

TomlTable TomlTable::table(std::string_view key) {
  take_as<std::monostate>(key, "a table");
  return {*text_, path_of(key), *file_};
}

std::vector<TomlTable> TomlTable::tables(std::string_view key) {
  std::vector<TomlTable> result;
  if (!has(key)) return result;
  const std::string path = path_of(key);
  const auto entries = text_->num_entries.find(path);
  if (entries == text_->num_entries.end()) fail(key, "must be an array of tables");
  known_.emplace(key);
  for (int i = 0; i < entries->second; ++i) {
    result.emplace_back(*text_, fmt::format("{}[{}]", path, i), *file_);
  }
  return result;
}

// Keys of nested tables are left to the TomlTables of those.
void TomlTable::refuse_unknown() const {
  const std::string begin = path_.empty() ? "" : path_ + ".";
  for (auto at = text_->index.lower_bound(begin);
       at != text_->index.end() && at->first.starts_with(begin); ++at) {
    const std::string_view below = std::string_view(at->first).substr(begin.size());
    const std::string_view key = below.substr(0, below.find_first_of(".["));
    if (known_.contains(key)) continue;
    throw ProfileError(*file_, text_->statements[at->second].line, at->first,
                       "is not a key that is known here");
  }
}

void TomlTable::fail(std::string_view key, const std::string& message) const {
  const std::string path = path_of(key);
  throw ProfileError(*file_, line_of_key(*text_, path), path, message);
}

std::string TomlTable::path_of(std::string_view key) const {
  return path_.empty() ? key_text(key) : fmt::format("{}.{}", path_, key_text(key));
}

}  // namespace tilewright
