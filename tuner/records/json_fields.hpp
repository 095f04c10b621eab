// How does one list of a record's members write it as JSON and read it back?
//
// A record's list is a function template: it names each member once, with its key.
//
//   template <class Visit>
//   void visit_fields(Fields<PackReply>, Visit& visit) {
//     visit.required("point", &PackReply::kernel);
//     visit.optional_ns("ns_per_element", &PackReply::ns_per_element);
//   }
//
// required: always written, and missed where it is not there. optional: left out while it has its
// default value. The forms with _ns and _s round times (tuning_json.hpp).
#pragma once

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <limits>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "tuner/records/json_error.hpp"
#include "tuner/records/tuning_json.hpp"

namespace tilewright {

template <class Record>
struct Fields {};

// Values as they are; whole numbers must be whole and in range, which nlohmann does not ask for.
template <class Value>
nlohmann::json encoded(const Value& value) {
  if constexpr (requires { value.has_value(); }) {
    return value ? encoded(*value) : nlohmann::json();
  } else {
    return value;
  }
}

template <class Value>
void decode(const nlohmann::json& json, Value& value) {
  if constexpr (std::is_same_v<Value, bool> || !std::is_arithmetic_v<Value>) {
    json.get_to(value);
  } else if constexpr (std::is_floating_point_v<Value>) {
    if (!json.is_number()) throw JsonError(fmt::format("must be a number, not {}", shown(json)));
    value = json.get<Value>();
  } else {
    const bool fits = json.is_number_unsigned()  ? std::in_range<Value>(json.get<std::uint64_t>())
                      : json.is_number_integer() ? std::in_range<Value>(json.get<std::int64_t>())
                                                 : false;
    if (!fits) {
      throw JsonError(fmt::format("must be a whole number in range, not {}", shown(json)));
    }
    value = json.get<Value>();
  }
}

template <class Value>
void decode(const nlohmann::json& json, std::optional<Value>& value) {
  decode(json, value.emplace());
}

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

// Pairs of a number and a value.
template <class Value>
void decode(const nlohmann::json& json, std::map<std::size_t, Value>& values) {
  if (!json.is_array()) throw JsonError("must be a list of pairs");
  values.clear();
  for (const nlohmann::json& item : json) {
    if (!item.is_array() || item.size() != 2) throw JsonError("must be a list of pairs");
    std::size_t key = 0;
    decode(item[0], key);
    decode(item[1], values[key]);
  }
}

// Times in ns.
inline nlohmann::json encoded_ns(double ns) {
  return ns == std::numeric_limits<double>::infinity() ? nlohmann::json()
                                                       : nlohmann::json(rounded_ns(ns));
}
inline nlohmann::json encoded_ns(const std::vector<double>& times_ns) {
  nlohmann::json json = nlohmann::json::array();
  for (const double ns : times_ns) json.push_back(encoded_ns(ns));
  return json;
}
template <class Times>
nlohmann::json encoded_ns(const std::map<std::size_t, Times>& times_ns) {
  nlohmann::json json = nlohmann::json::array();
  for (const auto& [index, ns] : times_ns)
    json.push_back(nlohmann::json::array({index, encoded_ns(ns)}));
  return json;
}
inline void decode_ns(const nlohmann::json& json, double& ns) {
  if (json.is_null()) {
    ns = std::numeric_limits<double>::infinity();
  } else {
    decode(json, ns);
  }
}
inline void decode_ns(const nlohmann::json& json, std::vector<double>& times_ns) {
  if (!json.is_array()) throw JsonError("must be a list of times");
  times_ns.assign(json.size(), 0.0);
  for (std::size_t i = 0; i < json.size(); ++i) decode_ns(json[i], times_ns[i]);
}
template <class Times>
void decode_ns(const nlohmann::json& json, std::map<std::size_t, Times>& times_ns) {
  std::map<std::size_t, nlohmann::json> values;
  decode(json, values);
  times_ns.clear();
  for (const auto& [index, value] : values) decode_ns(value, times_ns[index]);
}

template <class Record>
class FieldWriter {
 public:
  FieldWriter(nlohmann::json& json, const Record& record) : json_(json), record_(record) {
    json_ = nlohmann::json::object();
  }
  template <class Value>
  void required(const char* key, Value Record::*member) {
    json_[key] = encoded(record_.*member);
  }
  template <class Value>
  void optional(const char* key, Value Record::*member) {
    if (!(record_.*member == defaults_.*member)) required(key, member);
  }
  template <class Value>
  void optional_ns(const char* key, Value Record::*member) {
    if (!(record_.*member == defaults_.*member)) json_[key] = encoded_ns(record_.*member);
  }
  void optional_s(const char* key, double Record::*member) {
    const double seconds = rounded_s(record_.*member);
    if (seconds != defaults_.*member) json_[key] = seconds;
  }

 private:
  nlohmann::json& json_;
  const Record& record_;
  const Record defaults_{};
};

template <class Record>
class FieldReader {
 public:
  FieldReader(const nlohmann::json& json, Record& record) : json_(json), record_(record) {
    if (!json_.is_object()) throw JsonError(fmt::format("must be an object, not {}", shown(json_)));
    record_ = Record{};
  }
  template <class Value>
  void required(const char* key, Value& value) {
    if (!json_.contains(key)) throw JsonError(fmt::format("the key '{}' is missing", key));
    read(key, [&](const nlohmann::json& json) { decode(json, value); });
  }
  template <class Value>
  void required(const char* key, Value Record::*member) {
    required(key, record_.*member);
  }
  template <class Value>
  void optional(const char* key, Value Record::*member) {
    read(key, [&](const nlohmann::json& value) { decode(value, record_.*member); });
  }
  template <class Value>
  void optional_ns(const char* key, Value Record::*member) {
    read(key, [&](const nlohmann::json& value) { decode_ns(value, record_.*member); });
  }
  void optional_s(const char* key, double Record::*member) { optional(key, member); }

 private:
  template <class Take>
  void read(const char* key, const Take& take) {
    const auto found = json_.find(key);
    if (found == json_.end()) return;
    try {
      take(*found);
    } catch (const JsonError& error) {
      throw JsonError(fmt::format("{}: {}", key, error.what()));
    } catch (const nlohmann::json::exception& error) {
      throw JsonError(fmt::format("{}: {}", key, json_error_text(error)));
    }
  }

  const nlohmann::json& json_;
  Record& record_;
};

template <class Record>
void write_fields(nlohmann::json& json, const Record& record) {
  FieldWriter<Record> writer(json, record);
  visit_fields(Fields<Record>{}, writer);
}
template <class Record>
void read_fields(const nlohmann::json& json, Record& record) {
  FieldReader<Record> reader(json, record);
  visit_fields(Fields<Record>{}, reader);
}

// The conversions of a record whose members are listed above.
#define TILEWRIGHT_JSON(Record)                               \
  void to_json(nlohmann::json& json, const Record& value) {   \
    write_fields(json, value);                                \
  }                                                           \
  void from_json(const nlohmann::json& json, Record& value) { \
    read_fields(json, value);                                 \
  }

}  // namespace tilewright
