// Reads JSON objects with errors that contain the file and the key.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "model_place.hpp"

namespace tilewright {

// Parse a file, or text. Fail at `place` if it is not valid JSON.
nlohmann::json parsed_json(const std::string& path, const ModelPlace& place);
nlohmann::json parsed_json_text(std::string_view text, const ModelPlace& place);

// A JSON object and its place in the file. The JSON value must outlive it.
class JsonObject {
 public:
  // Fails if the value is not an object.
  JsonObject(const nlohmann::json& value, ModelPlace place);

  const ModelPlace& place() const { return place_; }
  bool has(const char* key) const { return value_.contains(key); }

  // Fails if there are other keys, so that a misspelled key is not ignored.
  void expect_no_keys_but(const std::vector<std::string_view>& keys) const;

  // Each returns the value of a key, and fails if it is missing or has another type.
  const nlohmann::json& at(const char* key) const;
  std::string text(const char* key) const;
  std::int64_t count(const char* key) const;  // 0 or more
  float number(const char* key) const;

 private:
  const nlohmann::json& value_;
  ModelPlace place_;
};

}  // namespace tilewright
