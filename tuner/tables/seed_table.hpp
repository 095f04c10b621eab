// Which tables and plots have the works that tilewright grew from?
//
// Their figures stand in seed_tables.json, with document, place and device, and with what is
// measured or computed here to stand beside them; how is said by the kind.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright {

struct SeedTable {
  std::string name;
  std::string document;
  std::string place;    // table or figure, and section
  std::string device;   // theirs; "none": it is computed
  std::string caption;  // what it shows: a phrase
  // kernels, footprint, misses, layers, nets, products, device, order; notes: nothing stands beside
  // it, for the reason that the table gives.
  std::string kind;
  nlohmann::json data;  // all of the above and what its kind needs
};

// In the order of the file.
const std::vector<SeedTable>& seed_tables();
std::string_view seed_tables_text();
// Throws UsageError that lists what there is.
const SeedTable& choose_table(const std::string& name);

// What `--table list` prints: a line each.
std::string list_of_tables();

}  // namespace tilewright
