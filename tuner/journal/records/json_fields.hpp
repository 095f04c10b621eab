// Converts records to JSON and back by one list of their members.
//
//   TILEWRIGHT_JSON(ShapeSamples, ("shape", r.shape).optional("ns", r.ns))
//
// defines to_json() and from_json(); `r` is the record, `d` a new one. A member without `optional`
// is always written and must be there. An optional one is left out while it is 0, false or empty,
// or has the default value that is given: .optional("verify", r.verify, d.verify). (nlohmann's own
// macros neither check the range of whole numbers nor name the key that is wrong, and cannot read
// infinity back.)
#pragma once

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <array>
#include <concepts>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "tuner/journal/records/json_error.hpp"
#include "tuner/journal/records/tuning_json.hpp"

namespace tilewright {

// Reads a value. Throws JsonError or nlohmann's exception if the JSON value has another type or,
// for an integer, is out of the range of `Value`.
template <class Value>
void decode(const nlohmann::json& json, Value& value) {
  if constexpr (std::integral<Value> && !std::same_as<Value, bool>) {
    const bool fits = json.is_number_unsigned()  ? std::in_range<Value>(json.get<std::uint64_t>())
                      : json.is_number_integer() ? std::in_range<Value>(json.get<std::int64_t>())
                                                 : false;
    if (!fits)
      throw JsonError(fmt::format("must be a whole number from {} to {}, not {}",
                                  std::numeric_limits<Value>::min(),
                                  std::numeric_limits<Value>::max(), to_short_json(json)));
  }
  json.get_to(value);
}

// JSON has no infinity, so it is written as null.
inline void decode(const nlohmann::json& json, double& value) {
  if (!json.is_number() && !json.is_null()) {
    throw JsonError(fmt::format("must be a number, not {}", to_short_json(json)));
  }
  value = json.is_null() ? std::numeric_limits<double>::infinity() : json.get<double>();
}

// Reads a list of fixed length.
template <class Value, std::size_t kSize>
void decode(const nlohmann::json& json, std::array<Value, kSize>& values) {
  if (!json.is_array() || json.size() != kSize) {
    throw JsonError(fmt::format("must be a list of {}", kSize));
  }
  for (std::size_t i = 0; i < kSize; ++i) decode(json[i], values[i]);
}

// Reads a list of any length.
template <class Value>
void decode(const nlohmann::json& json, std::vector<Value>& values) {
  if (!json.is_array()) throw JsonError("must be a list");
  values.clear();
  for (const nlohmann::json& item : json) {
    Value value{};
    decode(item, value);
    values.push_back(std::move(value));
  }
}

// Writes the members of a record.
class FieldWriter {
 public:
  explicit FieldWriter(nlohmann::json& json) : json_(json) { json_ = nlohmann::json::object(); }

  template <class Value>
  FieldWriter& operator()(const char* key, const Value& value) {
    json_[key] = value;
    return *this;
  }
  template <class Value>
  FieldWriter& optional(const char* key, const Value& value, const Value& left_out = {}) {
    return value == left_out ? *this : (*this)(key, value);
  }

 private:
  nlohmann::json& json_;
};

// Reads the members of a record. Throws JsonError that names the key.
class FieldReader {
 public:
  explicit FieldReader(const nlohmann::json& json) : json_(json) {
    if (!json_.is_object())
      throw JsonError(fmt::format("must be an object, not {}", to_short_json(json_)));
  }

  template <class Value>
  FieldReader& operator()(const char* key, Value& value) {
    if (!json_.contains(key)) throw JsonError(fmt::format("the key '{}' is missing", key));
    return optional(key, value);
  }
  // Leaves the value unchanged if the key is missing.
  template <class Value>
  FieldReader& optional(const char* key, Value& value, const Value& = {}) {
    const auto found = json_.find(key);
    if (found == json_.end()) return *this;
    try {
      decode(*found, value);
    } catch (const JsonError& error) {
      throw JsonError(fmt::format("{}: {}", key, error.what()));
    } catch (const nlohmann::json::exception& error) {
      throw JsonError(fmt::format("{}: {}", key, json_error_text(error)));
    }
    return *this;
  }

 private:
  const nlohmann::json& json_;
};

#define TILEWRIGHT_JSON(Record, ...)                      \
  void to_json(nlohmann::json& json, const Record& r) {   \
    [[maybe_unused]] const Record d{};                    \
    FieldWriter{json} __VA_ARGS__;                        \
  }                                                       \
  void from_json(const nlohmann::json& json, Record& r) { \
    const Record d{};                                     \
    r = d;                                                \
    FieldReader{json} __VA_ARGS__;                        \
  }

}  // namespace tilewright
