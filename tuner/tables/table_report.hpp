// How is a table of theirs shown, with what stands beside it here?
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tuner/bench/bench_conditions.hpp"
#include "tuner/tables/seed_table.hpp"

namespace tilewright {

// Cells as text. Rows are as wide as the header.
struct Grid {
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;
};

struct TableReport {
  std::vector<Grid> grids;
  std::vector<std::string> notes;             // a sentence each
  std::optional<BenchConditions> conditions;  // of what was measured here
  std::size_t crashes = 0;
};

// What people read, and the JSON object that `bench --table ... --json` prints.
std::string to_text(const SeedTable& table, const TableReport& report);
std::string to_json(const SeedTable& table, const TableReport& report);

// Header and rows as the table's data has them: theirs, with nothing beside it.
Grid their_grid(const SeedTable& table);

}  // namespace tilewright
