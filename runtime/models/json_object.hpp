// How are the keys of a JSON object read so that each fault is named?
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "model_place.hpp"

namespace tilewright {

// The JSON value that a file holds. Fails at `place` if there is none.
nlohmann::json parsed_json(const std::string& path, const ModelPlace& place);

// An object with named keys, somewhere in a definition. The JSON value must outlive it.
class JsonObject {
 public:
  // Fails if the value is no object.
  JsonObject(const nlohmann::json& value, ModelPlace place);

  const ModelPlace& place() const { return place_; }
  bool has(const char* key) const { return value_.contains(key); }

  // Fails if there are keys beside these: a key that is misspelt must not be passed over.
  void expect_no_keys_but(const std::vector<std::string_view>& keys) const;

  // The value of a key; each fails if there is none of that kind.
  const nlohmann::json& at(const char* key) const;
  std::string text(const char* key) const;
  std::int64_t count(const char* key) const;  // 0 or more
  float number(const char* key) const;

 private:
  const nlohmann::json& value_;
  ModelPlace place_;
};

}  // namespace tilewright
