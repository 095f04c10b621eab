// Tests which journals can be continued or merged.
#include "catch.hpp"
#include "journal_examples.hpp"
#include "tuner/journal/journal.hpp"

namespace tilewright {
namespace {

using Catch::Matchers::ContainsSubstring;

const GemmShape kComparedShape{64, 64, 64};

TEST_CASE("a journal is continued only if its header agrees") {
  const JournalHeader journal = example_header({kComparedShape});
  CHECK_FALSE(difference(journal, journal));
  const auto message = [&](const auto& change) {
    JournalHeader wanted = journal;
    change(wanted);
    return difference(journal, wanted).value_or("");
  };
  CHECK(message([](JournalHeader& h) { h.device.identity.name = "B"; }) ==
        R"(the device is "B", the journal's "board")");
  CHECK_THAT(message([](JournalHeader& h) { h.device.identity.limits.local_memory_bytes = 1; }),
             ContainsSubstring("limits"));
  CHECK(message([](JournalHeader& h) { h.device.identity.compute_units = 2; }) ==
        "the number of the device's compute units is 2, the journal's 4");
  CHECK_THAT(message([](JournalHeader& h) { h.device.limits.register_floats = 1; }),
             ContainsSubstring("limits"));
  CHECK(message([](JournalHeader& h) {
          h.shapes = {{1, 2, 3}};
        }) == R"(the shapes are ["1x2x3"], the journal's ["64x64x64"])");
  CHECK_THAT(message([](JournalHeader& h) { h.ops = {Op::kTN}; }), ContainsSubstring("ops"));
  CHECK_THAT(message([](JournalHeader& h) { h.space_digest = "other"; }),
             ContainsSubstring("space"));
  CHECK_THAT(message([](JournalHeader& h) {
               h.only = {{"tile_m", {"4"}}};
             }),
             ContainsSubstring("--only"));
  CHECK(message([](JournalHeader& h) { h.seed = 9; }) == "the seed is 9, the journal's 1");
  CHECK(message([](JournalHeader& h) {  // another seed draws other shapes
          h.seed = 9;
          h.shapes = {{1, 2, 3}};
          h.space_digest = "other";
        }) == "the seed is 9, the journal's 1");
  CHECK_THAT(message([](JournalHeader& h) { h.shard = 2; }), ContainsSubstring("shard"));
  CHECK_THAT(message([](JournalHeader& h) { h.shards = 2; }), ContainsSubstring("shards"));
  CHECK_THAT(message([](JournalHeader& h) { h.tool_version = "9"; }), ContainsSubstring("version"));
  CHECK_THAT(message([](JournalHeader& h) { h.measure.max_dispatch_ns = 1; }),
             ContainsSubstring("dispatch"));
  CHECK(message([](JournalHeader& h) {
          h.device.identity.driver = "newer";
          h.device.identity.platform = "newer";
          h.date = "later";
          h.measure.sysfs = "/elsewhere";
        }) == "");
}

TEST_CASE("a journal is continued after an update of the software version in the device's name") {
  JournalHeader journal = example_header({kComparedShape});
  journal.device.identity.name = "pthread-skylake-avx512-AMD EPYC";
  JournalHeader wanted = journal;
  wanted.device.identity.name = "cpu-znver4-AMD EPYC";
  CHECK_FALSE(difference(journal, wanted));
  CHECK_FALSE(merge_difference(journal, wanted));
  wanted.device.identity.name = "cpu-znver3-AMD EPYC";
  CHECK(difference(journal, wanted) ==
        R"text(the device is "AMD EPYC (256 bits)", the journal's "AMD EPYC (512 bits)")text");
}

TEST_CASE("a journal is not continued on another processor of the same name") {
  JournalHeader journal = example_header({kComparedShape});
  JournalHeader wanted = journal;
  wanted.device.identity.processor = "implementer 0x41 part 0xd03";
  CHECK_FALSE(difference(journal, wanted));  // the journal does not name one
  journal.device.identity.processor = "implementer 0x41 part 0xd09";
  CHECK_THAT(difference(journal, wanted).value_or(""), ContainsSubstring("part 0xd03"));
  CHECK(merge_difference(journal, wanted));
}

TEST_CASE("journals with different seeds, shards and shapes can be merged, others cannot") {
  const JournalHeader a = example_header({kComparedShape});
  JournalHeader b = a;
  b.seed = 7;
  b.measure.seed = 7;
  b.shard = 2;
  b.shards = 4;
  b.shapes = {{5, 6, 7}};
  b.designed = 1;
  b.space_digest = "of other narrow tiles";
  CHECK_FALSE(merge_difference(a, b));
  b.device.identity.compute_units = 2;
  CHECK_THAT(merge_difference(a, b).value_or(""), ContainsSubstring("compute units is 4"));
  b = a;
  b.space_digest = "other";
  CHECK_THAT(merge_difference(a, b).value_or(""), ContainsSubstring("search space"));
  b = a;
  b.device.identity.name = "other board";
  CHECK(merge_difference(a, b) == R"(the device is "board", the other's "other board")");
}

}  // namespace
}  // namespace tilewright
