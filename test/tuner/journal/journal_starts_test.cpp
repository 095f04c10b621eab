// Tests which kernels are known to have been running when the machine went down.
#include "tuner/journal/journal_starts.hpp"

#include <fstream>

#include "catch.hpp"
#include "journal_examples.hpp"
#include "temporary_folder.hpp"
#include "tuner/journal/journal.hpp"
#include "tuner/journal/journal_lines.hpp"

namespace tilewright {
namespace {

const GemmShape kStartedShape{64, 64, 64};

std::string started(const std::string& what) {
  return format_line(TrialStarted{what, WorkerActivityKind::kLaunch});
}

std::string booted(const std::string& boot_id) {
  return format_line(Session{"tilewright tune", boot_id, "", ""}, 0.0);
}

TEST_CASE("candidates without an outcome are unfinished, and reboots after them are counted") {
  const std::string header = header_line(example_header({kStartedShape}));
  const std::string outcome = format_line(Outcomes{example_outcome("gemm", "NN", {}, 1.0)}, 1.0);
  const auto unfinished = [&](const std::string& text, std::optional<std::string> next = {}) {
    return parse_journal(header + text, "j", nullptr, next).starts.unfinished();
  };
  using List = std::vector<Unfinished>;
  CHECK(unfinished(booted("1") + started("gemm") + outcome).empty());
  CHECK(unfinished(booted("1") + started("gemm")) == List{{"gemm", 0}});
  // The session that reads the journal is the next one.
  CHECK(unfinished(booted("1") + started("gemm"), "1") == List{{"gemm", 0}});
  CHECK(unfinished(booted("1") + started("gemm"), "2") == List{{"gemm", 1}});
  CHECK(unfinished(booted("1") + started("gemm"), "") == List{{"gemm", 0}});
  const std::string twice =
      booted("1") + started("gemm") + started("gemm") + booted("2") + started("gemm");
  CHECK(unfinished(twice + booted("3")) == List{{"gemm", 2}});
  CHECK(unfinished(twice + booted("2")) == List{{"gemm", 1}});  // killed without a reboot
  CHECK(unfinished(twice + booted("3") + outcome, "4").empty());
  CHECK(unfinished(booted("1") + started("gemv") + started("gemm") + booted("2") + started("gemm"),
                   "3") == List{{"gemv", 1}, {"gemm", 2}});
}

TEST_CASE("finalists that a reboot interrupted are known") {
  const std::string begin =
      header_line(example_header({kStartedShape})) + booted("1") + started("gemm") +
      format_line(Outcomes{example_outcome("gemm", "NN", {}, 1.0)}, 1.0) +
      format_line(Finalists{{parse_kernel("gemm")}, {}}, 2.0) + started("gemm");
  const JournalContents dead = parse_journal(begin, "j", nullptr, "2");
  CHECK(dead.starts.unfinished().empty());
  CHECK(dead.starts.unfinished_finals() == std::vector<Unfinished>{{"gemm", 1}});
  const std::string round =
      format_line(Outcomes{example_round("gemm", kStartedShape, 0, 0, 9.0)}, 2.0);
  CHECK(parse_journal(begin + round, "j", nullptr, "2").starts.unfinished_finals().empty());
}

TEST_CASE("only the last of several finalists or pack kernels can have caused a reboot") {
  const std::string packs = started("pack tile_m=2") + started("pack tile_m=4");
  const std::string begin =
      header_line(example_header({kStartedShape})) + booted("1") +
      format_line(Outcomes{example_outcome("gemm", "NN", {}, 1.0)}, 1.0) +
      format_line(Outcomes{example_outcome("gemm tile_m=2", "NN", {}, 1.0)}, 1.0) +
      format_line(Finalists{{parse_kernel("gemm"), parse_kernel("gemm tile_m=2")}, {}}, 2.0);
  const std::string finals = started("gemm") + started("pack tile_m=4") + started("gemm tile_m=2");
  const auto read = [&](const std::string& text, const std::string& next) {
    return parse_journal(begin + text, "j", nullptr, next);
  };
  using List = std::vector<Unfinished>;
  CHECK(read(finals, "2").starts.unfinished_finals() == List{{"gemm tile_m=2", 1}});
  CHECK(read(finals, "2").starts.unfinished().empty());
  CHECK(read(finals + started("gemm"), "2").starts.unfinished_finals() == List{{"gemm", 1}});
  CHECK(read(packs, "2").starts.unfinished() == List{{"pack tile_m=4", 1}});
  // Several candidates of a search may be in progress at the same time.
  CHECK(read(started("gemm tile_m=1") + started("gemm tile_m=8"), "2").starts.unfinished().size() ==
        2);
  // The end of a round clears those that took part in it, and no others.
  const std::string round =
      format_line(Outcomes{example_round("gemm", kStartedShape, 0, 0, 9.0)}, 2.0);
  CHECK(read(finals + booted("2") + finals + round, "3").starts.unfinished_finals().empty());
  CHECK(read(finals + booted("2") + started("gemm") + round, "3").starts.unfinished_finals() ==
        List{{"gemm tile_m=2", 1}});
}

TEST_CASE("a compiled candidate that waits is not blamed for a reboot") {
  const std::string begin = header_line(example_header({kStartedShape})) + booted("1");
  const std::string waits = started("gemm") + format_line(TrialIdle{"gemm"});
  CHECK(parse_journal(begin + waits, "j", nullptr, "2").starts.unfinished().empty());
  CHECK(parse_journal(begin + waits + started("gemm"), "j", nullptr, "2").starts.unfinished() ==
        std::vector<Unfinished>{{"gemm", 1}});
}

TEST_CASE("opening a journal counts the reboot before it", "[may_skip]") {
  const TemporaryFolder folder;
  const std::string path = folder.file("rebooted");
  std::ofstream(path) << header_line(example_header({kStartedShape})) << booted("long ago")
                      << started("gemm");
  CHECK(read_journal(path).starts.unfinished() == std::vector<Unfinished>{{"gemm", 0}});
  if (boot_id().empty()) SKIP_CASE("the system has no boot id");
  JournalContents contents;
  Journal::open(path, contents);
  CHECK(contents.starts.unfinished() == std::vector<Unfinished>{{"gemm", 1}});
}

}  // namespace
}  // namespace tilewright
