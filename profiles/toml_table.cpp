#include "profiles/toml_table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "profiles/base/printable.hpp"
#include "profiles/profile_text.hpp"

namespace tilewright {
namespace {

// In the order of TomlValue; the first one stands for a table.
constexpr const char* kKinds[] = {"a table",   "an integer", "a float",
                                  "a boolean", "a string",   "an array"};

std::string out_of_range(std::int64_t value, std::int64_t low, std::int64_t high) {
  return value < low ? fmt::format("must be at least {}", low)
                     : fmt::format("must be at most {}", high);
}

}  // namespace

const TomlPair* TomlTable::find(std::string_view key) {
  const TomlPair* first = text_->pairs.data() + section_->first;
  for (std::size_t i = 0; i < section_->num_keys; ++i) {
    const std::size_t at = (next_ + i) % section_->num_keys;
    if (first[at].key != key) continue;
    next_ = at + 1;
    return first + at;
  }
  return nullptr;
}

const TomlTable::Sections* TomlTable::find_tables(std::string_view key) const {
  if (section_->entry >= 0) return nullptr;  // entries of arrays hold no tables
  const auto found = section_->name.empty()
                         ? text_->by_name.find(key)
                         : text_->by_name.find(fmt::format("{}.{}", section_->name, key));
  return found == text_->by_name.end() ? nullptr : &found->second;
}

bool TomlTable::has(std::string_view key) {
  return find(key) != nullptr || find_tables(key) != nullptr;
}

void TomlTable::fail_type(std::string_view key, const char* wanted) {
  const TomlPair* pair = find(key);
  const Sections* tables = find_tables(key);
  if (pair == nullptr && tables == nullptr) fail(key, "is missing");
  const bool is_array = pair == nullptr && text_->sections[tables->front()].entry >= 0;
  const char* kind = pair != nullptr ? kKinds[pair->value.index()] : kKinds[0];
  fail(key, fmt::format("must be {}, not {}", wanted, is_array ? "an array of tables" : kind));
}

template <class T>
const T& TomlTable::take_as(std::string_view key, const char* wanted) {
  const TomlPair* pair = find(key);
  const T* value = pair != nullptr ? std::get_if<T>(&pair->value) : nullptr;
  if (value == nullptr) fail_type(key, wanted);
  known_.set(static_cast<std::size_t>(pair - text_->pairs.data()) - section_->first);
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
  if (value < low || value > high) fail(key, out_of_range(value, low, high));
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
    if (*value < low || *value > high) fail(key, out_of_range(*value, low, high));
    values.push_back(*value);
  }
  return values;
}

std::vector<TomlNumber> TomlTable::numbers(std::string_view key) {
  return take_as<std::vector<TomlNumber>>(key, "an array of numbers");
}

std::vector<std::string_view> TomlTable::unread_keys() const {
  std::vector<std::string_view> keys;
  for (std::size_t i = 0; i < section_->num_keys; ++i) {
    if (!known_[i]) keys.push_back(text_->pairs[section_->first + i].key);
  }
  return keys;
}

TomlTable TomlTable::table(std::string_view key) {
  const Sections* found = find_tables(key);
  if (found == nullptr || text_->sections[found->front()].entry >= 0) fail_type(key, kKinds[0]);
  known_tables_.push_back(found);
  return {*text_, text_->sections[found->front()], *file_};
}

std::vector<TomlTable> TomlTable::tables(std::string_view key) {
  std::vector<TomlTable> result;
  const Sections* found = find_tables(key);
  if (found == nullptr ? find(key) != nullptr : text_->sections[found->front()].entry < 0) {
    fail(key, "must be an array of tables");
  }
  if (found == nullptr) return result;
  known_tables_.push_back(found);
  result.reserve(found->size());
  for (const std::size_t index : *found) {
    result.push_back(TomlTable(*text_, text_->sections[index], *file_));
  }
  return result;
}

// Keys of nested tables are left to the TomlTables of those.
void TomlTable::refuse_unknown() const {
  const auto refuse = [&](int line, std::string_view key) {
    throw ProfileError(*file_, line, key_path(key), "is an unknown key");
  };
  for (std::size_t i = 0; i < section_->num_keys; ++i) {
    const TomlPair& pair = text_->pairs[section_->first + i];
    if (!known_[i]) refuse(pair.line, pair.key);
  }
  if (section_->entry >= 0) return;
  const std::string opening = section_->name.empty() ? "" : std::string(section_->name) + '.';
  for (const auto& [name, sections] : text_->by_name) {
    if (!name.starts_with(opening) || name.size() == opening.size()) continue;
    const std::string_view key = name.substr(opening.size());
    if (key.find('.') != std::string_view::npos) continue;  // in a table of this one
    if (std::find(known_tables_.begin(), known_tables_.end(), &sections) != known_tables_.end()) {
      continue;
    }
    refuse(text_->sections[sections.front()].line, key);
  }
}

void TomlTable::fail(std::string_view key, const std::string& message) const {
  int line = section_->line;
  if (const Sections* tables = find_tables(key)) line = text_->sections[tables->front()].line;
  const TomlPair* first = text_->pairs.data() + section_->first;
  const auto pair = std::find_if(first, first + section_->num_keys,
                                 [&](const TomlPair& each) { return each.key == key; });
  if (pair != first + section_->num_keys) line = pair->line;
  throw ProfileError(*file_, line, key_path(key), message);
}

std::string TomlTable::key_path(std::string_view key) const {
  const std::string path = section_->path();
  return path.empty() ? key_text(key) : fmt::format("{}.{}", path, key_text(key));
}

}  // namespace tilewright
