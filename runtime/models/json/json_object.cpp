#include "json/json_object.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

#include "named_file.hpp"
#include "profiles/base/printable.hpp"
#include "profiles/base/text_file.hpp"

namespace tilewright {

nlohmann::json parsed_json(const std::string& path, const ModelPlace& place) {
  const FileContent content = read_file(path);
  if (!content.failure.empty()) place.fail(content.failure);
  return parsed_json_text(content.bytes, place);
}

nlohmann::json parsed_json_text(std::string_view text, const ModelPlace& place) {
  try {
    return nlohmann::json::parse(text);
  } catch (const nlohmann::json::parse_error& error) {
    // The parser's own message is not used: it may quote an arbitrarily long part of the file.
    place.fail(json_syntax_error(text, error.byte));
  } catch (const nlohmann::json::out_of_range&) {
    place.fail("is not valid JSON for this program: a number is out of range");
  }
}

JsonObject::JsonObject(const nlohmann::json& value, ModelPlace place)
    : value_(value), place_(std::move(place)) {
  if (!value_.is_object()) place_.fail("is not a JSON object");
}

void JsonObject::expect_no_keys_but(const std::vector<std::string_view>& keys) const {
  for (const auto& item : value_.items()) {
    if (std::find(keys.begin(), keys.end(), item.key()) == keys.end()) {
      place_.fail(fmt::format("has the unknown key {}; the known keys are {}",
                              tilewright::in_quotes(item.key()), fmt::join(keys, ", ")));
    }
  }
}

const nlohmann::json& JsonObject::at(const char* key) const {
  const auto found = value_.find(key);
  if (found == value_.end()) place_.fail(fmt::format("has no key '{}'", key));
  return *found;
}

std::string JsonObject::text(const char* key) const {
  const nlohmann::json& value = at(key);
  if (!value.is_string()) place_.fail(fmt::format("key '{}' must be a string", key));
  return value.get<std::string>();
}

std::int64_t JsonObject::count(const char* key) const {
  const nlohmann::json& value = at(key);
  const bool fits = value.is_number_unsigned() &&
                    value.get<std::uint64_t>() <=
                        static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (!fits) place_.fail(fmt::format("key '{}' must be a whole number, at least 0", key));
  return value.get<std::int64_t>();
}

float JsonObject::number(const char* key) const {
  const nlohmann::json& value = at(key);
  if (!value.is_number()) place_.fail(fmt::format("key '{}' must be a number", key));
  return value.get<float>();
}

}  // namespace tilewright
