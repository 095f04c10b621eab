#include "tuner/tables/seed_table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tuner/terminal/usage_error.hpp"

namespace tilewright {

const std::vector<SeedTable>& seed_tables() {
  static const std::vector<SeedTable> tables = [] {
    std::vector<SeedTable> read;
    nlohmann::json whole = nlohmann::json::parse(seed_tables_text());
    for (nlohmann::json& data : whole.at("tables")) {
      read.push_back({data.at("name"),
                      data.at("document"),
                      data.at("place"),
                      data.at("device"),
                      data.at("caption"),
                      data.at("kind"),
                      {}});
      read.back().data = std::move(data);
    }
    return read;
  }();
  return tables;
}

const SeedTable& choose_table(const std::string& name) {
  const auto& tables = seed_tables();
  const auto found = std::find_if(tables.begin(), tables.end(),
                                  [&](const SeedTable& table) { return table.name == name; });
  if (found != tables.end()) return *found;
  std::vector<std::string> names;
  for (const SeedTable& table : tables) names.push_back(table.name);
  throw UsageError(fmt::format("--table: '{}' is none of list, {}", name, fmt::join(names, ", ")));
}

std::string list_of_tables() {
  std::string text;
  for (const SeedTable& table : seed_tables()) {
    text +=
        fmt::format("{:<18} {}, {}: {}\n", table.name, table.document, table.place, table.caption);
  }
  return text;
}

}  // namespace tilewright
