// Tests the warnings of a busy machine with made-up files, so that no load is needed.
#include "tuner/doctor/machine_load.hpp"

#include <unistd.h>

#include <string>

#include "catch.hpp"
#include "made_up_board.hpp"

namespace tilewright {
namespace {

// Files of a machine with two cores, on which programs have used `ticks` of processor time.
ProcessorTime read_made_up(const std::string& ticks, double at_s, double own_s) {
  MadeUpBoard board;
  board
      .write("/proc/stat", "cpu  " + ticks + " 0 0 9000 500 0 0 0 0 0\ncpu0 1 0 0 1 1 0 0 0 0 0\n" +
                               "cpu1 1 0 0 1 1 0 0 0 0 0\nintr 5 0 0 0 0 0 0 0 0\nctxt 7\n")
      .write("/proc/loadavg", "6.25 3.10 1.00 9/321 4711\n");
  std::optional<ProcessorTime> time = processor_time(board.root());
  REQUIRE(time);
  time->at_s = at_s;
  time->own_s = own_s;
  return *time;
}

// The machine after ten seconds of which other programs used `others_s`, and this one 8 s.
std::string busy_after(double others_s) {
  const double ticks_per_s = static_cast<double>(sysconf(_SC_CLK_TCK));
  const ProcessorTime from = read_made_up("1000", 100.0, 1.0);
  const auto ticks = static_cast<int>(1000 + ticks_per_s * (8.0 + others_s));
  return busy_text(from, read_made_up(std::to_string(ticks), 110.0, 9.0));
}

TEST_CASE("a machine is busy if other programs use a fifth of its cores") {
  CHECK(busy_after(0.0).empty());
  CHECK(busy_after(3.0).empty());  // of 20
  const std::string busy = busy_after(12.0);
  CHECK(busy.find("1.2 of 2 cores") != std::string::npos);
  CHECK(busy.find("load 6.2") != std::string::npos);
}

TEST_CASE("the state of idle cores does not count as used") {
  const ProcessorTime time = read_made_up("1000", 0.0, 0.0);
  CHECK(time.cores == 2);
  CHECK(time.used_s == Approx(1000.0 / static_cast<double>(sysconf(_SC_CLK_TCK))));
}

TEST_CASE("a machine whose files cannot be read is not called busy") {
  const MadeUpBoard board;
  CHECK_FALSE(processor_time(board.root()));
  CHECK(busy_text(std::nullopt, processor_time("/")).empty());
}

TEST_CASE("the spread is that of the typical measurement") {
  CHECK(typical_spread({}) == 0.0);
  const Summary calm{100.0, 99.0, 101.0, 5};
  const Summary wide{100.0, 80.0, 120.0, 5};
  const Summary single{100.0, 100.0, 100.0, 1};  // says nothing
  CHECK(typical_spread({calm, wide, wide, single}) == Approx(0.4));
}

}  // namespace
}  // namespace tilewright
