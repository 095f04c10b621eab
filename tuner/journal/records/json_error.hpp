// Words errors of the JSON library for people.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace tilewright {

// Describes an error without the library's error numbers. `text` is the text that was parsed.
std::string json_error_text(const nlohmann::json::exception& error, std::string_view text = "");

}  // namespace tilewright
