// Tests the JSON data of a report for invented profiles, journals and answers of bench.
// page_test.js tests what the page shows of it.
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "catch.hpp"
#include "made_up_final.hpp"
#include "profiles/profile_text.hpp"
#include "profiles/retyped.hpp"
#include "temporary_folder.hpp"
#include "tuner/report/report_data.hpp"
#include "tuner/report/report_inputs.hpp"
#include "tuner/select/baseline.hpp"

namespace tilewright {
namespace {

using Catch::Matchers::ContainsSubstring;

using Json = nlohmann::ordered_json;

// A final in which the kernels that run without a profile take part, too. Otherwise the library
// would not use others.
JournalContents with_built_in(std::vector<MadeUpTimes> entries, double pack_ns = 0.0) {
  const JournalHeader header = example_header({kSmall, kLarge});
  const std::vector<KernelId> built_in = Baseline(header).kernels(header.ops, header.shapes);
  for (const KernelId& kernel : built_in) entries.push_back({kernel.text(), 9000, 90000});
  JournalContents contents = make_final(entries, pack_ns);
  for (const KernelId& kernel : built_in) {
    contents.outcomes.push_back(
        example_outcome(kernel.text(), kBuiltIn, {{kSmall, {9000.0}}, {kLarge, {90000.0}}}, 1.0));
  }
  return contents;
}

// A tuning whose search tried four neighbours of the winner.
JournalContents tuning() {
  JournalContents contents = with_built_in({{kTile, 800, 5000}, {kScalar, 900, 9000}});
  const std::vector<Outcome> built_in = contents.outcomes;
  contents.rates->multiply_adds = {{4, "mad", 100.0}};
  contents.rates->peak_gflops = 100.0;
  contents.rates->copy_gbytes_per_s = 10.0;
  contents.outcomes.clear();
  const auto tried = [&](const std::string& point, double small_ns, double large_ns, double at_s) {
    contents.outcomes.push_back(
        example_outcome(point, "NN", {{kSmall, {small_ns}}, {kLarge, {large_ns}}}, at_s));
    contents.outcomes.back().took_s = 1.0;
  };
  tried(kScalar, 900, 9000, 10.0);
  tried(kTile, 800, 5000, 20.0);
  tried(kWide, 900, 10000, 30.0);
  Outcome wrong = example_outcome("gemm tile_m=4 tile_n=4", "NN", {}, 40.0);
  wrong.result = OutcomeClass::kWrong;
  wrong.reason = "C[0] is <b>not</b> right";
  contents.outcomes.push_back(wrong);
  std::copy_if(built_in.begin(), built_in.end(), std::back_inserter(contents.outcomes),
               [](const Outcome& outcome) { return outcome.task == kBuiltIn; });
  contents.sessions.push_back(
      {"tilewright tune", "boot", "2026-01-01T00:00:00Z", "driver 2", "performance"});
  contents.spent.by_activity_s = {{kOnRates, 10.0}, {kOnCandidates, 12.0}, {"finals", 30.0}};
  contents.spent.all_s = 40.0;
  return contents;
}

ReportProfile tuned(const std::string& name) {
  const JournalContents contents = tuning();
  return {name, make_profile(contents, 0, "tilewright tune"), contents};
}

Json profile_data(const ReportProfile& report) {
  return report_data({{report}, {}}).at("profiles").at(0);
}

TEST_CASE("a report's data has device, conditions, rates and results of a profile") {
  const Json data = report_data({{tuned("a.toml")}, {}});
  CHECK(data.at("made_by").get<std::string>().rfind("tilewright ", 0) == 0);
  const Json& profile = data.at("profiles").at(0);
  CHECK(profile.at("name") == "a.toml");
  CHECK(profile.at("kind") == "tuned");
  CHECK(profile.at("device").at("name") == "board");
  CHECK(profile.at("device").at("driver") == "driver 1");
  CHECK(profile.at("provenance").at("command_line") == "tilewright tune");
  CHECK(profile.at("rates").at("copy_gbytes_per_s") == 10.0);
  CHECK(profile.at("elements") == "single precision");
  CHECK(profile.at("element_bytes") == 4);
  const Json& results = profile.at("results");
  REQUIRE(results.size() == 2);
  CHECK(results[0].at("op") == "NN");
  CHECK(results[0].at("k") == 64);
  CHECK(results[0].at("gflops").get<double>() == Approx(2.0 * 64 * 64 * 64 / 800).epsilon(0.01));
  CHECK(results[0].at("low_gflops") <= results[0].at("gflops"));
  CHECK(results[0].at("high_gflops") >= results[0].at("gflops"));
  // 2 n^3 flops and 12 n^2 bytes at 10 GB/s.
  CHECK(results[0].at("roofline_gflops").get<double>() == Approx(64.0 / 6.0 * 10.0));
  CHECK(results[1].at("m") == 512);
  const Json& kernel = profile.at("kernels").at(results[1].at("kernel").get<std::string>());
  CHECK(kernel.at("point") == kTile);
  CHECK_FALSE(kernel.contains("source"));
  const Json with_sources = report_data({{tuned("a.toml")}, {}, true});
  const Json& same =
      with_sources.at("profiles").at(0).at("kernels").at(kernel_name(parse_point(kTile)));
  CHECK(same.at("source").get<std::string>().find("__kernel") != std::string::npos);
}

TEST_CASE("a report's data has the peak of the type that was measured") {
  ReportProfile report = tuned("a.toml");
  report.profile = retyped(report.profile, Precision::kDouble);
  report.profile.rates.double_peak_gflops = 45.0;
  const Json profile = profile_data(report);
  CHECK(profile.at("rates").at("peak_gflops") == 45.0);
  CHECK(profile.at("elements") == "double precision");
  CHECK(profile.at("element_bytes") == 8);
}

TEST_CASE("a report's data has the contents of a journal: time, candidates, portfolio") {
  ReportProfile report = tuned("a.toml");
  report.journal->outcomes[3].build_log = "first";
  report.journal->outcomes.insert(report.journal->outcomes.begin() + 4,
                                  report.journal->outcomes[3]);
  Outcome failed = example_outcome(kScalar, kFinals, {}, 0.0);
  failed.result = OutcomeClass::kLaunch;
  failed.reason = "did not launch";
  report.journal->finals.outcomes.push_back(failed);
  const Json data = report_data({{report}, {}});
  const Json& journal = data.at("profiles").at(0).at("journal");
  CHECK(journal.at("ops") == Json::array({"NN"}));
  CHECK(journal.at("spent_s") == 40.0);
  // The same activities and seconds as in the summary of the tuning.
  CHECK(journal.at("spent_on")[0] == Json{{"what", kOnCandidates}, {"seconds", 12.0}});
  CHECK(journal.at("spent_on").size() == 3);
  CHECK(journal.at("sessions")[0] == Json{{"driver", "driver 2"}, {"governor", "performance"}});
  CHECK(journal.at("finalist_failures")[0] == Json::array({kScalar, "launch: did not launch"}));
  CHECK(journal.at("portfolio").at("curve").size() >= 1);
  CHECK(journal.at("portfolio").contains("built_in"));
  const Json& outcomes = journal.at("outcomes");
  REQUIRE(outcomes.size() > 5);
  CHECK(outcomes[1].at("kernel") == kTile);
  CHECK(outcomes[1].at("task") == "NN");
  CHECK(outcomes[1].at("is_from_search") == true);
  CHECK(outcomes[1].at("result") == "ok");
  CHECK(outcomes[1].at("at_s") == 20.0);
  CHECK(outcomes[1].at("ns").at("64x64x64") == 800.0);
  CHECK(outcomes[1].at("ns").at("512x512x512") == 5000.0);
  CHECK(outcomes[3].at("reason") == "C[0] is <b>not</b> right");
  CHECK(outcomes[3].at("ns").empty());
  // Only the first build log of a class is in the data.
  CHECK(outcomes[3].at("build_log") == "first");
  CHECK_FALSE(outcomes[4].contains("build_log"));
  // A candidate has a value for every parameter.
  const Json& gemm = data.at("codelets").at("gemm");
  const Json& fields = gemm.at("fields");
  REQUIRE(outcomes[1].at("codelet") == "gemm");
  REQUIRE(outcomes[1].at("values").size() == fields.size());
  const auto place = std::find(fields.begin(), fields.end(), "tile_m") - fields.begin();
  CHECK(outcomes[1].at("values")[static_cast<std::size_t>(place)] == "4");
  const Json& required = gemm.at("required");
  CHECK(std::find(required.begin(), required.end(), "bias") != required.end());
}

TEST_CASE("a report's data says why there is no journal") {
  ReportProfile bare = tuned("a.toml");
  bare.journal.reset();
  bare.no_journal = "there is no journal in its folder";
  const Json profile = profile_data(bare);
  CHECK(profile.at("journal").is_null());
  CHECK_THAT(profile.at("no_journal"), ContainsSubstring("no journal"));
  const Profile generic = parse_profile(generic_profile_text(), "generic.toml");
  const Json measured_nothing = profile_data({"generic.toml", generic, {}, "none"});
  CHECK(measured_nothing.at("kind") == "generic");
  CHECK(measured_nothing.at("results").empty());
}

TEST_CASE("a kernel with bias or activation is not a result for a plain product") {
  ReportProfile report = tuned("a.toml");
  KernelRecord fused = *find_kernel(report.profile, report.profile.results.front().kernel);
  fused.name = "fused_kernel";
  fused.bias = Dimension::kN;
  fused.activation = Activation::kRelu;
  report.profile.kernels.push_back(fused);
  ShapeResult result = report.profile.results.front();
  result.kernel = fused.name;
  for (double* ns : {&result.low_ns, &result.median_ns, &result.high_ns}) *ns /= 10.0;
  report.profile.results.push_back(result);
  CHECK(profile_data(report) == profile_data(tuned("a.toml")));
}

Json figure(const char* kind, const char* name) {
  const Json summary{{"median", 2.0}, {"low", 1.0}, {"high", 3.0}};
  return {{"kind", kind}, {"name", name}, {"us", summary}, {"rate", summary}};
}

Json products_answer() {
  return {{"kind", "products"},
          {"conditions", {{"device", "board"}}},
          {"competitors", Json::array()},
          {"missing", Json::array()},
          {"results",
           {{{"op", "NN"},
             {"m", 64},
             {"n", 64},
             {"k", 64},
             {"figures",
              {figure("tilewright", "tilewright"),
               {{"kind", "competitor"}, {"name", "lost"}, {"us", nullptr}}}}}}}};
}

TEST_CASE("a report's rate of a product is that of the plan that runs, packing included") {
  // Packing takes 50 ns on the small product and 3200 ns on the large one, and 10 ns to launch.
  const JournalContents contents = with_built_in({{kTile, 800, 5000}, {kPacked, 100, 4000}}, 50.0);
  const Json results =
      profile_data({"a.toml", make_profile(contents, 0, "tilewright tune"), {}, "none"})
          .at("results");
  REQUIRE(results.size() == 2);
  CHECK(results[0].at("gflops").get<double>() == Approx(2.0 * 64 * 64 * 64 / 160).epsilon(0.01));
  CHECK(results[0].at("plan").get<std::string>().rfind("pack_a+", 0) == 0);
  CHECK(results[1].at("gflops").get<double>() ==
        Approx(2.0 * 512 * 512 * 512 / 5000).epsilon(0.01));
  CHECK(results[1].at("plan") == kernel_name(parse_point(kTile)));
}

TEST_CASE("output of bench is embedded unchanged") {
  const Json answer = products_answer();
  const Json bench = report_data({{}, {{"a.json", answer}}}).at("benches").at(0);
  CHECK(bench == Json{{"name", "a.json"}, {"answer", answer}});
}

TEST_CASE("output of each kind of bench is accepted") {
  CHECK_NOTHROW(check_bench_answer(products_answer()));
  const auto accept = [](const char* kind, Json result) {
    Json answer = products_answer();
    answer["kind"] = kind;
    answer["conditions"]["model"] = "digits";
    result["figures"] = {figure("kernel", "x")};
    if (kind == std::string("network")) result["figures"][0].erase("rate");
    answer["results"] = {result};
    INFO(answer.dump());
    CHECK_NOTHROW(check_bench_answer(answer));
  };
  accept("points", {{"m", 1}, {"n", 2}, {"k", 3}});
  accept("network", {{"batch", 1}});
}

TEST_CASE("damaged output of bench is refused with the wrong key") {
  const auto error_with = [](const char* pointer, const Json& value) {
    Json answer = products_answer();
    const Json::json_pointer at(pointer);
    if (value == "erase") {
      answer.at(at.parent_pointer()).erase(at.back());
    } else {
      answer[at] = value;
    }
    try {
      check_bench_answer(answer);
    } catch (const ReportError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  CHECK_THAT(error_with("/kind", "erase"), ContainsSubstring("key 'kind'"));
  CHECK_THAT(error_with("/kind", "tables"), ContainsSubstring("'kind' must be"));
  CHECK_THAT(error_with("/kind", "network"), ContainsSubstring("'conditions.model'"));
  CHECK_THAT(error_with("/conditions/device", "erase"), ContainsSubstring("'conditions.device'"));
  CHECK_THAT(error_with("/results", 3), ContainsSubstring("'results' must be a list"));
  CHECK_THAT(error_with("/results/0", 3), ContainsSubstring("'results[0]' must be an object"));
  CHECK_THAT(error_with("/results/0/m", "64"),
             ContainsSubstring("'results[0].m' must be a number"));
  CHECK_THAT(error_with("/results/0/figures", "erase"), ContainsSubstring("'results[0].figures'"));
  CHECK_THAT(error_with("/results/0/figures/0/us/median", Json::array()),
             ContainsSubstring("'results[0].figures[0].us.median'"));
  CHECK_THAT(error_with("/results/0/figures/0/rate", "erase"),
             ContainsSubstring("'results[0].figures[0].rate'"));
  CHECK_THROWS_WITH(check_bench_answer(Json(1)), "must be an object, not number");
}

TEST_CASE("untrusted texts cannot end the script that contains the data") {
  ReportProfile hostile = tuned("a.toml");
  hostile.profile.device.name = "</script><script>alert(1)</script><!--\xff \u2028";
  const Json data = report_data({{hostile}, {}});
  const std::string page = report_page(data);
  CHECK(page.find("alert(1)</script>") == page.npos);
  CHECK(page.find("<!--") == page.npos);
  CHECK(page.find("\u2028") == page.npos);
  // The page contains the data, which is read back unchanged.
  const std::string open = "id=\"data\">";
  const auto begin = page.find(open) + open.size();
  const Json read = Json::parse(page.substr(begin, page.find("</script>", begin) - begin));
  CHECK(read.at("profiles").at(0).at("device").at("name") ==
        "</script><script>alert(1)</script><!--\ufffd \u2028");
  CHECK(read.at("profiles").at(0).at("results") == data.at("profiles").at(0).at("results"));
}

TEST_CASE("a page loads nothing from the network") {
  const std::string page = report_page(report_data({{tuned("a.toml")}, {}}));
  CHECK(page.find("default-src 'none'") != page.npos);
  for (const char* loads : {" src=", "@import", "url(", "rel=\"stylesheet\""}) {
    INFO(loads);
    CHECK(page.find(loads) == page.npos);
  }
  CHECK(page.find("{{data}}") == page.npos);
  for (const char* part : {"@media print", "function documentFrom(", "function showReport("}) {
    INFO(part);
    CHECK(page.find(part) != page.npos);
  }
}

TEST_CASE("the journal in the folder of a profile is read, unless it is for another device") {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.toml");
  const JournalContents contents = tuning();
  std::ofstream(path) << write_profile(make_profile(contents, 0, "tilewright tune"));
  CHECK_THAT(read_report_inputs({path}, {}).profiles[0].no_journal,
             ContainsSubstring("no journal"));
  { Journal::create(path + ".journal.jsonl", contents.header); }
  ReportInputs inputs = read_report_inputs({path, path}, {});
  CHECK(inputs.profiles[0].journal);
  CHECK(inputs.profiles[1].name == "a.toml (2)");
  JournalHeader other = contents.header;
  other.device.identity.name = "another board";
  { Journal::replace(path + ".journal.jsonl", other); }
  inputs = read_report_inputs({path}, {});
  CHECK_FALSE(inputs.profiles[0].journal);
  CHECK_THAT(inputs.profiles[0].no_journal, ContainsSubstring("another device"));
  CHECK_THROWS_WITH(read_report_inputs({path}, {path}),
                    ContainsSubstring(path + ": is not JSON: syntax error in line 1, "));
  const std::string answer = folder.file("bench.json");
  std::ofstream(answer) << "{\"kind\": \"points\"}";
  CHECK_THROWS_WITH(read_report_inputs({}, {answer}),
                    answer +
                        ": is not output of `tilewright bench --json`: the key "
                        "'conditions' is missing");
}

}  // namespace
}  // namespace tilewright
