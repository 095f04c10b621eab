#include "tuner/replay/t4_export.hpp"

#include <nlohmann/json.hpp>
#include <numeric>

#include "catch.hpp"

namespace tilewright {
namespace {

using Catch::Detail::Approx;

TEST_CASE("an exported journal has each candidate, what it took and how fast it is") {
  const JournalContents contents = read_journal(TILEWRIGHT_TEST_DATA "/pocl.journal.jsonl");
  const nlohmann::json exported = nlohmann::json::parse(to_t4(contents));
  CHECK(exported["metadata"]["timeunit"] == "milliseconds");
  const nlohmann::json& results = exported["results"];
  REQUIRE(results.size() == contents.outcomes.size());
  for (std::size_t i = 0; i < results.size(); ++i) {
    const nlohmann::json& times = results[i]["times"];
    const auto launched = times["runtimes"].get<std::vector<double>>();
    const double all_ms =
        std::accumulate(launched.begin(), launched.end(), times["framework"].get<double>());
    REQUIRE(all_ms == Approx(1000.0 * contents.outcomes[i].took_s));
  }
  const nlohmann::json& first = results[0];
  CHECK(first["configuration"]["codelet"] == "gemm");
  CHECK(first["configuration"]["tile_m"] == 6);
  CHECK(first["configuration"]["layout_a"] == "R");
  CHECK(first["invalidity"] == "correct");
  CHECK(first["measurements"][0]["name"] == "time");
  CHECK(first["measurements"][1]["name"] == "time of 192x192x192");
}

TEST_CASE("an exported journal says in T4's words why a candidate has no time") {
  JournalContents contents = read_journal(TILEWRIGHT_TEST_DATA "/pocl.journal.jsonl");
  contents.outcomes.resize(8);
  for (std::size_t i = 0; i < 8; ++i) {
    contents.outcomes[i].result = kOutcomeClasses[i];
    if (i > 0) contents.outcomes[i].shapes.clear();
  }
  const nlohmann::json exported = nlohmann::json::parse(to_t4(contents));
  std::vector<std::string> words;
  for (const auto& result : exported["results"]) words.push_back(result["invalidity"]);
  CHECK(words == std::vector<std::string>{"correct", "timeout", "constraints", "compile", "compile",
                                          "runtime", "timeout", "correctness"});
  CHECK(exported["results"][1]["measurements"].size() == 1);  // the space alone
}

}  // namespace
}  // namespace tilewright
