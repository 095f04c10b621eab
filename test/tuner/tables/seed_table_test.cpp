#include "tuner/tables/seed_table.hpp"

#include <set>

#include "catch.hpp"
#include "codelets/space/foreign_kernels.hpp"
#include "codelets/space/named_points.hpp"
#include "tuner/bench/point_choice.hpp"
#include "tuner/tables/table_bench.hpp"
#include "tuner/terminal/usage_error.hpp"

namespace tilewright {
namespace {

Grid without_device(const std::string& name) {
  TableBench bench(TableRequest{});
  const TableReport report = bench.run(choose_table(name));
  CHECK_FALSE(report.conditions);
  return report.grids.at(0);
}

TEST_CASE("every table has a name of its own, says where it stands, and can be read") {
  std::set<std::string> names;
  const std::set<std::string> documents = {"Mali-T600 paper", "low-power thesis", "RaijinCL paper"};
  for (const SeedTable& table : seed_tables()) {
    INFO(table.name);
    CHECK(names.insert(table.name).second);
    CHECK(documents.contains(table.document));
    const bool has_place = table.place.find("section") != std::string::npos ||
                           table.place.find("chapter") != std::string::npos;
    CHECK(has_place);
    CHECK_FALSE(table.caption.empty());
    CHECK(list_of_tables().find(table.name + " ") != std::string::npos);
  }
  CHECK(names.size() == 29);
  CHECK_THROWS_AS(choose_table("thesis-99"), UsageError);
}

TEST_CASE("tables of kernels name kernels that there are, and have a figure for each size") {
  for (const SeedTable& table : seed_tables()) {
    if (table.kind != "kernels") continue;
    INFO(table.name);
    const std::size_t sizes = table.data.value("sizes", std::vector<int>{}).size();
    for (const auto& column : table.data.at("columns")) {
      if (column.contains("theirs")) CHECK(column["theirs"].size() == sizes);
      if (column.contains("spread")) CHECK(column["spread"].size() == sizes);
      REQUIRE(column.at("here").size() == 2);
      const std::string original = column["here"][0];
      CHECK((original.empty() || find_foreign(original)));
      CHECK(choose_points(column["here"][1].get<std::string>(), "--table").at(0).point);
    }
    for (const auto& claim : table.data.value("claims", nlohmann::json::array())) {
      CHECK(find_named_point(claim.at("of").get<std::string>()) != nullptr);
      CHECK(find_named_point(claim.at("over").get<std::string>()) != nullptr);
    }
  }
}

TEST_CASE("what is computed here is what their tables say") {
  const Grid lines = without_device("mali-t600-1.2");
  REQUIRE(lines.rows.size() == 8);
  for (const auto& row : lines.rows) {
    INFO(row[0]);
    CHECK(row[1] == row[2]);
    CHECK(row[5] == row[6]);
  }
  for (const auto& row : without_device("thesis-8.1").rows) {
    INFO(row[0]);
    CHECK(row[1] == row[2]);
    CHECK(row[3] == row[4]);
  }
  const Grid net = without_device("thesis-10.1");
  CHECK(net.rows.at(0) == std::vector<std::string>{"1", "784 -> 2500, ReLU", "784 -> 2500, relu"});
  CHECK(net.rows.at(2) == std::vector<std::string>{"3", "2000 -> 10", "2000 -> 10"});
  CHECK(without_device("raijin-VI").rows.size() == 5);
}

TEST_CASE("a report is text in columns, and JSON") {
  const SeedTable& table = choose_table("thesis-8.1");
  TableBench bench(TableRequest{});
  const TableReport report = bench.run(table);
  const std::string text = to_text(table, report);
  CHECK(text.find("thesis-8.1: low-power thesis, Table 8.1, section 8.4: ") == 0);
  CHECK(text.find("\nMorton 4-2           20         20              2            2\n") !=
        std::string::npos);
  const auto json = nlohmann::json::parse(to_json(table, report));
  CHECK(json["table"] == "thesis-8.1");
  CHECK(json["grids"][0]["rows"][1][0] == "Morton 4-2");
}

}  // namespace
}  // namespace tilewright
