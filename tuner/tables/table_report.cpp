#include "tuner/tables/table_report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "profiles/printable.hpp"
#include "tuner/records/tuning_json.hpp"

namespace tilewright {
namespace {

// The first column to the left, the others to the right.
std::string to_text(const Grid& grid) {
  std::vector<std::size_t> widths(grid.header.size(), 0);
  const auto widen = [&](const std::vector<std::string>& row) {
    for (std::size_t i = 0; i < row.size(); ++i) widths.at(i) = std::max(widths[i], row[i].size());
  };
  widen(grid.header);
  for (const auto& row : grid.rows) widen(row);
  std::string text;
  const auto add = [&](const std::vector<std::string>& row) {
    std::string line = fmt::format("{:<{}}", row.at(0), widths[0]);
    for (std::size_t i = 1; i < row.size(); ++i) line += fmt::format("  {:>{}}", row[i], widths[i]);
    text += printable(line) + "\n";
  };
  add(grid.header);
  for (const auto& row : grid.rows) add(row);
  return text;
}

}  // namespace

std::string to_text(const SeedTable& table, const TableReport& report) {
  std::string text =
      fmt::format("{}: {}, {}: {}\n", table.name, table.document, table.place, table.caption);
  if (table.device != "none") text += fmt::format("theirs: {}\n", table.device);
  if (report.conditions) {
    text += fmt::format("here: {} ({})\n", printable(report.conditions->device),
                        printable(report.conditions->platform));
  }
  for (const Grid& grid : report.grids) text += "\n" + to_text(grid);
  if (!report.notes.empty()) text += "\n";
  for (const std::string& note : report.notes) text += fmt::format("- {}\n", printable(note));
  return text;
}

std::string to_json(const SeedTable& table, const TableReport& report) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  if (report.conditions) json = *report.conditions;
  json["table"] = table.name;
  json["document"] = table.document;
  json["place"] = table.place;
  json["their_device"] = table.device;
  json["caption"] = table.caption;
  json["grids"] = nlohmann::ordered_json::array();
  for (const Grid& grid : report.grids) {
    json["grids"].push_back({{"header", grid.header}, {"rows", grid.rows}});
  }
  json["notes"] = report.notes;
  return pretty(json);
}

Grid their_grid(const SeedTable& table) {
  return {table.data.at("header"), table.data.at("rows")};
}

}  // namespace tilewright
