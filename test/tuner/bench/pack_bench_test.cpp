// What do figures of packing say, and how are they printed?
#include "tuner/bench/pack_bench.hpp"

#include <nlohmann/json.hpp>

#include "catch.hpp"

namespace tilewright {
namespace {

PackBenchReport sample_pack_report() {
  PackBenchReport report;
  report.conditions.device = "Mali-T628";
  report.rates.copy_gbytes_per_s = 5.0;
  report.sizes = {{1000, {8.0, 7.5, 8.5, 9}, {{"pack_R_C", {6.0, 5.5, 6.5, 9}}}},
                  {4032, {}, {{"pack_R_C", {4.0, 3.5, 4.5, 9}}}}};
  report.missing = {"pack_C_R: it hung"};
  return report;
}

TEST_CASE("an element that is packed is read once and written once") {
  CHECK(pack_gbytes_per_s(2.0) == 4.0);
  CHECK(pack_gbytes_per_s(0.0) == 0.0);
}

TEST_CASE("the table of packing has shares of the copy beside it and of the copy of the profile") {
  const std::string table = to_table(sample_pack_report());
  CHECK(table.starts_with("1000x1000: 4 MB read and 4 MB written; a copy of as much: 8 (7.5-8.5)"));
  CHECK(table.find("               6 (5.5-6.5)      75     120  pack_R_C\n") != std::string::npos);
  CHECK(table.find("               4 (3.5-4.5)       -      80  pack_R_C\n") != std::string::npos);
  CHECK(table.ends_with("\n- pack_C_R: it hung\n"));
}

TEST_CASE("the JSON of packing says the same") {
  const auto json = nlohmann::json::parse(to_json(sample_pack_report()));
  CHECK(json["device"] == "Mali-T628");
  CHECK(json["rates"]["copy_gbytes_per_s"] == 5.0);
  REQUIRE(json["packs"].size() == 2);
  CHECK(json["packs"][0]["rows"] == 1000);
  CHECK(json["packs"][0]["copy_gbytes_per_s"]["median"] == 8.0);
  CHECK(json["packs"][0]["kernels"][0]["gbytes_per_s"]["high"] == 6.5);
  CHECK(json["packs"][0]["kernels"][0]["share_of_copy"] == 0.75);
  CHECK_FALSE(json["packs"][1]["kernels"][0].contains("share_of_copy"));
  CHECK(json["missing"] == nlohmann::json{"pack_C_R: it hung"});
}

}  // namespace
}  // namespace tilewright
