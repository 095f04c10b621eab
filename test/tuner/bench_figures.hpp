// Finds figures in answers of `bench --json`.
#pragma once

#include <nlohmann/json.hpp>

#include <string>

namespace tilewright {

// The first figure of that kind, or of that kind and name, in a result; null if there is none.
inline nlohmann::json figure_in(const nlohmann::json& result, const std::string& kind,
                                const std::string& name = "") {
  for (const nlohmann::json& figure : result.at("figures")) {
    if (figure.at("kind") == kind && (name.empty() || figure.at("name") == name)) return figure;
  }
  return nullptr;
}

}  // namespace tilewright
