#include "tuner/cli/shape_options.hpp"

#include <unistd.h>

#include <cstdio>
#include <fstream>

#include "catch.hpp"
#include "profiles/base/usage_error.hpp"

namespace tilewright {
namespace {

using Shapes = std::vector<GemmShape>;

std::string shapes_error(const std::string& argument) {
  try {
    parse_shapes(argument);
    return "accepted";
  } catch (const UsageError& error) {
    return error.what();
  }
}

TEST_CASE("presets of shapes") {
  CHECK(parse_shapes("paper") == Shapes{{96, 96, 96},
                                        {192, 192, 192},
                                        {384, 384, 384},
                                        {768, 768, 768},
                                        {1440, 1440, 1440},
                                        {2880, 2880, 2880}});
  CHECK(parse_shapes("quick").size() == 3);
  const Shapes thesis = parse_shapes("thesis");
  REQUIRE(thesis.size() == 8);
  CHECK(thesis.front() == GemmShape{100, 2500, 784});
  CHECK(thesis.back() == GemmShape{100, 128, 256});
}

TEST_CASE("lists of shapes") {
  CHECK(parse_shapes("1x2x3") == Shapes{{1, 2, 3}});
  CHECK(parse_shapes("100x2500x784,4x5x6,100x2500x784") == Shapes{{100, 2500, 784}, {4, 5, 6}});
}

TEST_CASE("invalid lists of shapes are rejected with the wrong part") {
  CHECK_THAT(shapes_error("1x2"), Catch::Matchers::ContainsSubstring("--shapes: '1x2'"));
  CHECK(shapes_error("1x2x3,4").find("--shapes: '4'") == 0);
  CHECK(shapes_error("1x2x3,").find("--shapes: ''") == 0);
  CHECK(shapes_error("0x2x3").find("--shapes: '0x2x3'") == 0);
  CHECK(shapes_error("1x2x3x4").find("--shapes: '1x2x3x4'") == 0);
  CHECK(shapes_error("1xx3").find("--shapes: '1xx3'") == 0);
  CHECK(shapes_error("99999999999999999999x1x1").find("--shapes: '9999") == 0);
  CHECK(shapes_error("").find("--shapes: '' is not a preset") == 0);
  CHECK(shapes_error("papers").find("--shapes: 'papers' is not a preset (paper, quick, thesis)") ==
        0);
}

TEST_CASE("files contain one shape per line, and errors name file and line") {
  const std::string path = "/tmp/tilewright-shapes-" + std::to_string(::getpid());
  const auto write = [&](const char* text) { std::ofstream(path) << text; };
  write("# layers\n100x2500x784\n\n  4x5x6 \r\n100x2500x784\n");
  CHECK(parse_shapes(path) == Shapes{{100, 2500, 784}, {4, 5, 6}});
  write("1x1x1\n# two\n3x4\n");
  CHECK(shapes_error(path).find(path + ":3: '3x4' is not a shape") == 0);
  write(
      "\xef\xbb\xbf"
      "1x1x1\r2x2x2\r3x4\r");
  CHECK(shapes_error(path).find(path + ":3: '3x4' is not a shape") == 0);
  write(
      "\xef\xbb\xbf"
      "1x1x1\r2x2x2\r");
  CHECK(parse_shapes(path) == Shapes{{1, 1, 1}, {2, 2, 2}});
  write("# nothing\n");
  CHECK(shapes_error(path) == path + ": the file has no shapes");
  std::remove(path.c_str());
}

TEST_CASE("transpose combinations") {
  CHECK(parse_ops("nn,NT,Tn", false) == std::vector<Op>{Op::kNN, Op::kNT, Op::kTN});
  CHECK(parse_ops("nn,nn", false) == std::vector<Op>{Op::kNN});
  CHECK(parse_ops("tt", true) == std::vector<Op>{Op::kTT});
  CHECK_THROWS_AS(parse_ops("tt", false), UsageError);
  CHECK_THROWS_AS(parse_ops("", true), UsageError);
  CHECK_THROWS_AS(parse_ops("nn,", true), UsageError);
  CHECK_THROWS_AS(parse_ops("nc", true), UsageError);
}

TEST_CASE("lists of extents") {
  using Numbers = std::vector<std::int64_t>;
  CHECK(parse_extents("--batch", "100") == Numbers{100});
  CHECK(parse_extents("--batch", "1,1000,1,7") == Numbers{1, 1000, 7});
  for (const char* bad : {"", "0", "1,", "-1", "x", "1.5", "1 2", "2000000001"}) {
    INFO(bad);
    CHECK_THROWS_AS(parse_extents("--batch", bad), UsageError);
  }
  CHECK_THROWS_WITH(
      parse_extents("--batch", "3,x"),
      Catch::Matchers::StartsWith("--batch: 'x' is not a whole number from 1 to 2000"));
}

TEST_CASE("durations") {
  CHECK(parse_duration("--budget", "90") == 90);
  CHECK(parse_duration("--budget", "90s") == 90);
  CHECK(parse_duration("--budget", "2m") == 120);
  CHECK(parse_duration("--budget", "1h30m") == 5400);
  CHECK(parse_duration("--budget", "0.5m") == 30);
  CHECK(parse_duration("--budget", "1h30m20s500ms") == 5420.5);
  CHECK(parse_duration("--budget", "40") == 40);  // a plain number is in seconds
  CHECK(parse_duration("--budget", "0.25") == 0.25);
  for (const char* bad : {"",      "m",    "2x",   "-1",   "0",    "0s",     "nan",  "inf",
                          "1e9",   "2 m",  "1h1h", "1m1h", "1h30", "1h 30m", "1hm",  "30m30",
                          "1ms1s", "1s1s", "+1",   "1e3",  "0x10", "1.2.3s", "infs", "10000001"}) {
    INFO(bad);
    CHECK_THROWS_AS(parse_duration("--budget", bad), UsageError);
  }
  CHECK_THROWS_WITH(parse_duration("--max-dispatch", "x"),
                    Catch::Matchers::StartsWith("--max-dispatch: 'x' is not a duration"));
}

}  // namespace
}  // namespace tilewright
