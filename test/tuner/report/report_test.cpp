// What a report says of made-up profiles, journals and answers, and what it says is missing.
#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "catch.hpp"
#include "made_up_final.hpp"
#include "profiles/profile_text.hpp"
#include "profiles/retyped.hpp"
#include "temporary_folder.hpp"
#include "tuner/report/report_document.hpp"
#include "tuner/report/report_page.hpp"

namespace tilewright {
namespace {

using Json = nlohmann::ordered_json;

// A tuning whose search tried four neighbours of the winner.
JournalContents tuning() {
  JournalContents contents = final_of({{kTile, 800, 5000}, {kScalar, 900, 9000}});
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
  contents.sessions.push_back(
      {"tilewright tune", "boot", "2026-01-01T00:00:00Z", "driver 2", "performance"});
  contents.spent_on_s = {{kOnRates, 10.0}, {"finals", 30.0}};
  contents.spent_s = 40.0;
  return contents;
}

ReportProfile tuned(const std::string& name) {
  const JournalContents contents = tuning();
  return {name, profile_of(contents, 0, "tilewright tune"), contents};
}

Json section_of(const ReportInputs& inputs, const std::string& id) {
  const Json document = report_document(inputs);
  for (const Json& section : document.at("sections")) {
    if (section.at("id") == id) return section;
  }
  return {};
}

// All cells of a section's tables.
std::string cells_of(const Json& section) {
  return section.at("tables").dump();
}

TEST_CASE("a report says which device, driver and conditions") {
  const std::string cells = cells_of(section_of({{tuned("a.toml")}, {}}, "device"));
  for (const char* part : {"board", "maker", "driver 1; driver 2", "performance", "10 GB/s",
                           "40 s in 1 session", "tilewright tune"}) {
    INFO(part << " in " << cells);
    CHECK(cells.find(part) != cells.npos);
  }
}

TEST_CASE("a report names the type of its peak") {
  ReportProfile report = tuned("a.toml");
  const auto cells = [&] { return cells_of(section_of({{report}, {}}, "device")); };
  CHECK(cells().find(" GFLOPS of floats") != std::string::npos);
  report.profile = retyped(report.profile, Precision::kDouble);
  report.profile.rates.double_peak_gflops = 45.0;
  CHECK(cells().find("\"45 GFLOPS of doubles\"") != std::string::npos);
  report.profile.rates.double_peak_gflops = 0.0;
  CHECK(cells().find("\"peak\",\"not measured\"") != std::string::npos);
}

TEST_CASE("a report draws the best result of each product beside its bounds") {
  ReportProfile report = tuned("a.toml");
  const Json section = section_of({{report}, {}}, "speed");
  REQUIRE(section.at("plots").size() == 1);  // NN
  const Json& data = section.at("plots")[0].at("data");
  REQUIRE(data.at("figures").size() == 2);
  CHECK(data.at("figures")[0].at("shape") == "64");
  CHECK(data.at("figures")[0].at("gflops").get<double>() ==
        Approx(2.0 * 64 * 64 * 64 / 800).epsilon(0.01));
  const auto of = [&](const char* bound) {
    return std::count_if(data.at("bounds").begin(), data.at("bounds").end(),
                         [&](const Json& row) { return row.at("bound") == bound; });
  };
  CHECK(of("roofline of a square") > 2);
  // 2 n^3 flops on 12 n^2 bytes at 10 GB/s.
  CHECK(data.at("bounds")[0].at("gflops").get<double>() == Approx(64.0 / 6.0 * 10.0));
  report.profile.rates = {};
  CHECK(section_of({{report}, {}}, "speed").at("plots")[0].at("data").at("bounds").empty());
}

TEST_CASE("a report follows the search: progress, time, portfolio") {
  const ReportInputs inputs{{tuned("a.toml")}, {}};
  const Json best = section_of(inputs, "progress").at("plots")[0].at("data").at("best");
  REQUIRE(best.size() == 2);  // the third candidate was no better
  // The geometric mean of 800 / 900 and 5000 / 9000.
  CHECK(best[0].at("percent").get<double>() == Approx(70.27).epsilon(0.001));
  CHECK(best[1].at("percent").get<double>() == Approx(100.0));
  CHECK(best[1].at("minutes").get<double>() == Approx(20.0 / 60.0));
  const Json spent = section_of(inputs, "time").at("plots")[0].at("data").at("spent");
  CHECK(spent[0].at("what") == "finals");
  CHECK(section_of(inputs, "portfolio").at("plots")[0].at("data").at("curve").size() >= 1);
}

TEST_CASE(
    "sensitivity is of what differs from the winner in one parameter, or has another value at least") {
  const Json section = section_of({{tuned("a.toml")}, {}}, "sensitivity");
  const Json rows = section.at("plots")[0].at("data").at("neighbours");
  const auto what = [&](const char* parameter, const char* value) {
    for (const Json& row : rows) {
      if (row.at("parameter") == parameter && row.at("value") == value) {
        return fmt::format("{} {:.1f}", row.at("what").get<std::string>(),
                           row.at("percent").get<double>());
      }
    }
    return std::string("not there");
  };
  CHECK(what("tile_n", "8") == "nothing else differs 50.0");
  CHECK(what("tile_n", "4") == "winner 100.0");
  CHECK(what("tile_m", "1") == "best, others differ, too 55.6");  // the scalar kernel
  CHECK(what("tile_m", "8") == "not there");
  // Labels of points that lie together would overlap.
  int labels = 0;
  for (const Json& row : rows) {
    if (row.at("parameter") != "tile_n") continue;
    CHECK((row.at("label") == row.at("value") || row.at("label") == ""));
    labels += row.at("label") == "" ? 0 : 1;
    if (row.at("what") == "winner") CHECK(row.at("label") == "4");
  }
  CHECK(labels >= 2);
  CHECK(section.at("tables")[0].at("rows")[0] ==
        Json::array({"vector_width", "1", "wrong", "C[0] is <b>not</b> right"}));
}

TEST_CASE("a report has what failed by class, and the winners' source") {
  const ReportInputs inputs{{tuned("a.toml")}, {}};
  const std::string failures = cells_of(section_of(inputs, "failures"));
  CHECK(failures.find(R"(["wrong","1")") != failures.npos);
  const Json sources = section_of(inputs, "sources").at("texts");
  REQUIRE(sources.size() == 1);
  CHECK(sources[0].at("title").get<std::string>().find("(NN 64, NN 512)") != std::string::npos);
  CHECK(sources[0].at("text").get<std::string>().find("__kernel") != std::string::npos);
}

TEST_CASE("what the inputs do not hold is said, and nothing is drawn of it") {
  ReportProfile bare = tuned("a.toml");
  bare.journal.reset();
  bare.no_journal = "no journal lies beside it";
  for (const char* id :
       {"portfolio", "progress", "time", "sensitivity", "failures", "rivals", "nets"}) {
    INFO(id);
    const Json section = section_of({{bare}, {}}, id);
    CHECK(section.at("plots").empty());
    CHECK_FALSE(section.at("missing").empty());
  }
  const Profile generic = parse_profile(generic_profile_text(), "generic.toml");
  const Json speed = section_of({{{"generic.toml", generic, {}, "none"}}, {}}, "speed");
  CHECK(speed.at("plots").empty());
  CHECK(speed.at("missing").size() == 1);
}

TEST_CASE("a kernel with bias or activation is not the fastest of a plain product") {
  ReportProfile report = tuned("a.toml");
  KernelRecord fused = *find_kernel(report.profile, report.profile.results.front().kernel);
  fused.name = "fused_kernel";
  fused.bias = Dimension::kN;
  fused.activation = Activation::kRelu;
  report.profile.kernels.push_back(fused);
  ShapeResult result = report.profile.results.front();
  result.kernel = fused.name;
  result.gflops *= 10.0;
  report.profile.results.push_back(result);
  const ReportInputs inputs{{report}, {}};
  for (const char* id : {"verdict", "speed", "sources"}) {
    INFO(id);
    CHECK(section_of(inputs, id) == section_of({{tuned("a.toml")}, {}}, id));
  }
}

TEST_CASE("a report's sentences are no Markdown") {
  for (const Json& section : report_document({{tuned("a.toml")}, {}}).at("sections")) {
    CHECK(section.at("title").dump().find('`') == std::string::npos);
    CHECK(section.at("text").dump().find('`') == std::string::npos);
    CHECK(section.at("missing").dump().find('`') == std::string::npos);
  }
}

TEST_CASE("a report begins with how fast, against what, and on how many products slower") {
  const auto product = [](double own, double other) {
    return Json{{"op", "NN"},
                {"m", 64},
                {"n", 64},
                {"k", 64},
                {"gflops", {{"median", own}, {"low", own}, {"high", own}}},
                {"rivals",
                 {{"builtin", {{"median", other}, {"low", other}, {"high", other}}},
                  {"exec:bin/cublas_rival", nullptr}}}};
  };
  Json lost = product(1.0, 1.0);
  lost["gflops"] = nullptr;
  const Json answer{{"device", "board"}, {"results", {product(8.0, 1.0), product(1.0, 2.0), lost}}};
  const Json with = report_document({{tuned("a.toml")}, {{"p.json", answer}}}).at("sections")[0];
  CHECK(with.at("id") == "verdict");
  const auto text = with.at("text").get<std::string>();
  CHECK(text.find("p.json: tilewright is 2.00 x as fast as its built-in kernels (geometric mean of "
                  "2 products, end to end) and slower on 1 of them.") == 0);
  CHECK(text.find("a.toml was tuned on 2 products; its fastest kernel reaches ") != text.npos);
  CHECK(text.find("cublas") == text.npos);
  const Json without = report_document({{tuned("a.toml")}, {}}).at("sections")[0];
  CHECK(without.at("text").get<std::string>().find("is not measured here") != std::string::npos);
}

TEST_CASE("several profiles stand side by side") {
  ReportProfile slow = tuned("b.toml");
  for (ShapeResult& result : slow.profile.results) result.gflops /= 2.0;
  const ReportInputs inputs{{tuned("a.toml"), slow}, {}};
  CHECK(section_of(inputs, "device").at("tables")[0].at("head") ==
        Json::array({"", "a.toml", "b.toml"}));
  const Json section = section_of(inputs, "comparison");
  REQUIRE(section.at("plots").size() == 1);
  CHECK(section.at("plots")[0].at("data").at("ratios")[0].at("ratio").get<double>() == Approx(0.5));
  CHECK(section_of({{tuned("a.toml")}, {}}, "comparison").is_null());
}

TEST_CASE("a report's title names each device once, also one whose name begins another's") {
  ReportProfile long_name = tuned("a.toml");
  long_name.profile.device.name = "NVIDIA A100";
  ReportProfile short_name = tuned("b.toml");
  short_name.profile.device.name = "NVIDIA A10";
  CHECK(report_document({{long_name, short_name, long_name}, {}}).at("title") ==
        "tilewright: NVIDIA A100, NVIDIA A10");
}

TEST_CASE("rivals and nets come from answers of bench") {
  const Json summary{{"median", 2.0}, {"low", 1.0}, {"high", 3.0}};
  const Json products{{"device", "board"},
                      {"results",
                       {{{"op", "NN"},
                         {"m", 64},
                         {"n", 64},
                         {"k", 64},
                         {"gflops", summary},
                         {"rivals", {{"exec:bin/cublas_rival", summary}}},
                         {"roofline_gflops", 9.0}}}}};
  const Json net{
      {"device", "board"},
      {"model", "preset:digits"},
      {"results", {{{"batch", 1}, {"forward_us", summary}, {"rivals", Json::object()}}}}};
  const ReportInputs inputs{{tuned("a.toml")}, {{"p.json", products}, {"n.json", net}}};
  const Json rivals = section_of(inputs, "rivals");
  CHECK(rivals.at("plots")[0].at("data").at("figures")[1].at("who") == "cublas");
  CHECK(cells_of(rivals).find("2 (1.00)") != std::string::npos);
  CHECK(section_of(inputs, "nets").at("plots")[0].at("data").at("forwards").size() == 1);
  for (const Json& bad :
       {Json(1), Json::object(), Json{{"device", "x"}, {"results", {{{"op", 1}}}}}}) {
    CHECK_THROWS_WITH(
        report_document({{tuned("a.toml")}, {{"bad.json", bad}}}),
        Catch::Matchers::ContainsSubstring("bad.json: is no answer of `tilewright bench --json`"));
  }
}

TEST_CASE("texts of strangers end neither the page's script nor its title") {
  ReportProfile hostile = tuned("a.toml");
  hostile.profile.device.name = "</script><script>alert(1)</script><!--\xff";
  const Json document = report_document({{hostile}, {}});
  const std::string page = report_page(document);
  CHECK(page.find("alert(1)</script>") == page.npos);
  CHECK(page.find("<!--") == page.npos);
  CHECK(page.find("<title>tilewright: &lt;/script&gt;&lt;script&gt;alert(1)") != page.npos);
  // The document is in it, and is read as it was written.
  const std::string open = "id=\"document\">";
  const auto begin = page.find(open) + open.size();
  const Json read = Json::parse(page.substr(begin, page.find("</script>", begin) - begin));
  CHECK(read.at("sections").size() == document.at("sections").size());
  CHECK(read.at("title") == document.at("title"));
}

TEST_CASE("a page needs no network and may use none") {
  const std::string page = report_page(report_document({{tuned("a.toml")}, {}}));
  CHECK(page.find("default-src 'none'") != page.npos);
  const std::string head = page.substr(0, page.find("id=\"document\""));
  for (const char* loads : {" src=", "@import", "url("}) {
    CHECK(head.find(loads) == head.npos);
  }
  CHECK(page.find("{{") == page.npos);
  CHECK(page.find("vegaEmbed") != page.npos);
}

TEST_CASE("a journal beside a profile is read, unless it is of another device") {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.toml");
  const JournalContents contents = tuning();
  std::ofstream(path) << write_profile(profile_of(contents, 0, "tilewright tune"));
  CHECK(read_report_inputs({path}, {}).profiles[0].no_journal == "no journal lies beside it");
  { Journal::create(path + ".journal.jsonl", contents.header); }
  ReportInputs inputs = read_report_inputs({path, path}, {});
  CHECK(inputs.profiles[0].journal);
  CHECK(inputs.profiles[1].name == "a.toml (2)");
  JournalHeader other = contents.header;
  other.device.identity.name = "another board";
  { Journal::replace(path + ".journal.jsonl", other); }
  inputs = read_report_inputs({path}, {});
  CHECK_FALSE(inputs.profiles[0].journal);
  CHECK(inputs.profiles[0].no_journal == "the journal beside it is of another device");
  CHECK_THROWS_WITH(
      read_report_inputs({path}, {path}),
      Catch::Matchers::ContainsSubstring(path + ": is no JSON: syntax error in line 1, "));
}

}  // namespace
}  // namespace tilewright
