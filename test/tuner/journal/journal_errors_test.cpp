// Tests which lines of a journal are errors, and that the messages name the line.
#include <limits>

#include "catch.hpp"
#include "journal/journal_message.hpp"
#include "journal_examples.hpp"
#include "tuner/journal/journal.hpp"
#include "tuner/journal/journal_lines.hpp"

namespace tilewright {
namespace {

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;

TEST_CASE(
    "garbage in the last line counts as incomplete, and elsewhere it is an error with its line") {
  const std::string header = header_line(example_header({kSmall}));
  const std::string good = format_line(TuningFinished{}, 7.0);
  std::size_t whole = 0;
  CHECK_FALSE(parse_journal(header + "{\"outcomes\":{\n", "j", &whole).complete);
  CHECK(whole == header.size());
  CHECK_FALSE(parse_journal(header + std::string(40, '\0'), "j", &whole).complete);
  CHECK(whole == header.size());
  CHECK_THAT(thrown_message([&] { parse_journal(header + "{\"outc\n" + good, "j"); }),
             StartsWith("j:2: "));
  CHECK_THAT(thrown_message([&] { parse_journal(header + good + "{}\n", "j"); }),
             StartsWith("j:3: "));
  CHECK_THAT(
      thrown_message([&] { parse_journal(header + "{\"outcomes\":[{\"point\":1}]}\n", "j"); }),
      StartsWith("j:2: ") && ContainsSubstring("point"));
  CHECK_THAT(thrown_message([&] { parse_journal("no journal\n", "j"); }), StartsWith("j:1: "));
  CHECK_THAT(thrown_message([&] { parse_journal("{}\n", "j"); }), StartsWith("j:1: "));
  std::string newer = header;
  newer.replace(newer.find("\"format\":1"), 10, "\"format\":3");
  CHECK(thrown_message([&] { parse_journal(newer, "j"); }) ==
        "j:1: the journal has format 3, but this program reads only journal format 1; install "
        "another release of tilewright, or start a new journal (tune --fresh)");
}

TEST_CASE("a second outcome of a candidate and a round without finalists are errors") {
  const std::string header = header_line(example_header({kSmall}));
  const std::string outcome = format_line(Outcomes{example_outcome("gemm", "NN", {}, 1.0)}, 1.0);
  CHECK_THAT(thrown_message([&] { parse_journal(header + outcome + outcome, "j"); }),
             StartsWith("j:3: ") && ContainsSubstring("second outcome"));
  const std::string round = format_line(Outcomes{example_round("gemm", kSmall, 0, 0, 9.0)}, 2.0);
  CHECK_THAT(thrown_message([&] { parse_journal(header + round, "j"); }),
             StartsWith("j:2: ") && ContainsSubstring("finals"));
  const std::string others = format_line(Finalists{{parse_kernel("gemm tile_m=2")}, {}}, 1.0);
  CHECK_THAT(thrown_message([&] { parse_journal(header + others + round, "j"); }),
             StartsWith("j:3: ") && ContainsSubstring("'gemm'"));
}

TEST_CASE("invalid values are errors with their line") {
  const std::string header = header_line(example_header({kSmall}));
  const auto error = [&](const std::string& line) {
    return thrown_message(
        [&] { parse_journal(header + line + format_line(TuningFinished{}, 9.0), "j"); });
  };
  for (const char* point :
       {"grmm", "", "gemm tile_m=x", "gemm tile_m=4 tile_m=4", "health check"}) {
    INFO(point);
    CHECK_THAT(error(format_line(TrialStarted{point, WorkerActivityKind::kBuild})),
               StartsWith("j:2: ") && ContainsSubstring("point"));
    CHECK_THAT(error(format_line(TrialIdle{point})),
               StartsWith("j:2: ") && ContainsSubstring("point"));
  }
  CHECK(error(format_line(TrialStarted{kMicroBenchmarks, WorkerActivityKind::kLaunch}) +
              format_line(TrialIdle{kMicroBenchmarks})) == "");
  for (const double ns : {0.0, -1.0}) {
    CHECK_THAT(error(format_line(
                   Outcomes{example_outcome("gemm", "NN", {{kSmall, {1.0, ns}}}, 1.0)}, 1.0)),
               StartsWith("j:2: ") && ContainsSubstring("invalid time"));
  }
  CHECK_THAT(error(format_line(Outcomes{example_outcome("gemm", "NN", {}, 0.0)}, -1.0)),
             ContainsSubstring("at_s is -1"));
  CHECK_THAT(error(format_line(TuningFinished{}, -0.5)),
             StartsWith("j:2: ") && ContainsSubstring("at_s is -0.5"));
  CHECK(error(format_line(TimeSpent{kOnNetworks}, 1.0)) == "");
  CHECK_THAT(error(format_line(TimeSpent{"coffee"}, 1.0)),
             StartsWith("j:2: ") && ContainsSubstring("'coffee'"));
  const std::string pack = "pack tile_m=4";
  CHECK_THAT(error(format_line(Outcomes{example_outcome("", "NN", {}, 1.0)}, 1.0)),
             ContainsSubstring("point"));
  std::string wrong = format_line(Outcomes{example_outcome("gemm", "NN", {}, 1.0)}, 1.0);
  wrong.replace(wrong.find("gemm"), 4, "grmm");
  CHECK_THAT(thrown_message([&] { parse_journal(header + wrong + wrong, "j"); }),
             StartsWith("j:2: ") && ContainsSubstring("point: ") && ContainsSubstring("grmm"));
  CHECK_THAT(error(format_line(Outcomes{example_outcome("gemm", "NN", {{kSmall, {}}}, 1.0)}, 1.0)),
             StartsWith("j:2: ") && ContainsSubstring("samples"));
  CHECK(error(format_line(Outcomes{example_pack(pack, 1.0)}, 1.0)) == "");
  CHECK_THAT(error(format_line(Outcomes{example_outcome("gemm", kPacking, {}, 1.0)}, 1.0)),
             StartsWith("j:2: ") && ContainsSubstring("pack"));
  CHECK(error(format_line(Finalists{{parse_kernel("gemm")}, {parse_kernel("gemm")}}, 1.0)) == "");
  CHECK_THAT(error(format_line(Finalists{{parse_kernel(pack)}, {}}, 1.0)),
             ContainsSubstring("product kernel"));
  CHECK_THAT(error(format_line(Finalists{{}, {parse_kernel(pack)}}, 1.0)),
             ContainsSubstring("product kernel"));
  CHECK_THAT(error(format_line(Finalists{{parse_kernel("gemm")}, {}}, 1.0) +
                   format_line(Outcomes{example_round("gemm", kSmall, 0, -1, 9.0)}, 2.0)),
             StartsWith("j:3: ") && ContainsSubstring("round -1"));
  ValidatedProduct product;
  product.shape = kSmall;
  product.plans = {example_plan("gemm", kSmall, 10.0)};
  product.call_ns = 12.0;
  CHECK(error(format_line(product, 1.0)) == "");
  for (double ValidatedProduct::*const time :
       {&ValidatedProduct::built_in_ns, &ValidatedProduct::launch_ns, &ValidatedProduct::other_ns,
        &ValidatedProduct::max_times_call}) {
    for (const double ns : {-1.0, std::numeric_limits<double>::infinity()}) {
      ValidatedProduct wrong_time = product;
      wrong_time.*time = ns;
      CHECK_THAT(error(format_line(wrong_time, 1.0)),
                 StartsWith("j:2: ") && ContainsSubstring("invalid time"));
    }
  }
  product.plans[0].predicted_ns = -1.0;
  CHECK_THAT(error(format_line(product, 1.0)), ContainsSubstring("predicted_ns"));
  product.plans = {example_plan(pack, kSmall, 10.0)};
  CHECK_THAT(error(format_line(product, 1.0)), ContainsSubstring("product kernel"));
}

TEST_CASE("zeros in the last line are the result of a power cut, whatever follows them") {
  const std::string header = header_line(example_header({kSmall}));
  std::string line = format_line(TuningFinished{}, 2.0);
  line.replace(0, 10, std::string(10, '\0'));
  CHECK_FALSE(parse_journal(header + line, "j").complete);
  CHECK_THAT(thrown_message(
                 [&] { parse_journal(header + line + format_line(TuningFinished{}, 2.0), "j"); }),
             StartsWith("j:2: "));
}

TEST_CASE("the shard of a header must be within its number of shards") {
  JournalHeader header = example_header({kSmall});
  for (const auto& [shard, shards] :
       std::vector<std::pair<int, int>>{{0, 1}, {2, 1}, {1, 0}, {-1, -1}}) {
    header.shard = shard;
    header.shards = shards;
    CHECK_THAT(thrown_message([&] { parse_journal(header_line(header), "j"); }),
               StartsWith("j:1: ") && ContainsSubstring("shard"));
  }
}

}  // namespace
}  // namespace tilewright
