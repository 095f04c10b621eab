// Is a journal that was changed since it was written ever believed?
#include "tuner/records/journal_sum.hpp"

#include <algorithm>
#include <random>

#include "catch.hpp"
#include "journal_examples.hpp"
#include "tuner/records/journal_lines.hpp"

namespace tilewright {
namespace {

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;

const GemmShape kSummedShape{64, 64, 64};

// The message without its file, or "".
std::string error_of(const std::string& text) {
  try {
    parse_journal(text, "j");
  } catch (const JournalError& error) {
    return error.what();
  }
  return "";
}

// A journal with a line of each kind.
std::string whole_journal() {
  const Lineup lineup{{parse_kernel("gemm")}, {{Op::kNN, 0}}, {0}};
  DeviceRates rates;
  rates.launch_ns = 5000.0;
  return header_line(example_header({kSummedShape})) +
         line_of({Session{"tune", "boot", "", ""}, 0.25}) + line_of({rates, 0.5}) +
         line_of({Starting{"gemm", WorkerActivityKind::kBuild}}) +
         line_of({example_outcome("gemm", "NN", {{kSummedShape, {123.4, 110.5}}}, 1.5)}) +
         line_of({Starting{"gemm tile_m=2", WorkerActivityKind::kLaunch}}) +
         line_of({Idle{"gemm tile_m=2"}}) +
         line_of({example_pack("pack", "pack tile_m=4", 0.25), 3.0}) + line_of({lineup, 4.0}) +
         line_of({RoundReply{{0, 1, kSummedShape, {{0, 100.0}}}, {}}, 5.0}) +
         line_of({Complete{}, 6.25});
}

std::size_t lines_before(const std::string& text, std::size_t at) {
  return static_cast<std::size_t>(
      std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
}

// What the text is with another character at one place: the error names its line. A line feed
// belongs to the line that it ends.
void check_noticed(const std::string& text, std::size_t at, char character) {
  if (text[at] == character) return;
  std::string changed = text;
  changed[at] = character;
  INFO("at " << at << " of " << text.size() << ": "
             << changed.substr(at - std::min(at, std::size_t{20}), 40));
  CHECK_THAT(error_of(changed),
             StartsWith("j:" + std::to_string(lines_before(text, at) + 1) + ":"));
}

TEST_CASE("a line ends with the sum of the text before it") {
  const std::string line = with_sum("{\"a\":1}");
  CHECK(line.substr(0, 14) == "{\"a\":1,\"sum\":\"");
  CHECK(line.size() == 14 + 16 + 2);
  CHECK(check_sum(line) == SumCheck::kRight);
  CHECK(check_sum("{\"a\":1}") == SumCheck::kNone);
  CHECK(check_sum("") == SumCheck::kNone);
  CHECK(check_sum(line.substr(0, line.size() - 1)) == SumCheck::kNone);  // torn
  std::string changed = line;
  changed[5] = '2';
  CHECK(check_sum(changed) == SumCheck::kWrong);
}

TEST_CASE("200 random single characters changed in a journal are all noticed") {
  const std::string text = whole_journal();
  REQUIRE(error_of(text) == "");
  std::mt19937 random(26);
  for (int i = 0; i < 200; ++i) {
    const std::size_t at = random() % text.size();
    check_noticed(text, at, static_cast<char>(' ' + random() % 95));
  }
}

TEST_CASE("digits that are others, anywhere, are noticed") {
  const std::string text = whole_journal();
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] >= '0' && text[at] <= '9') check_noticed(text, at, text[at] == '9' ? '8' : '9');
  }
}

TEST_CASE("characters of a sum, its key and the ends of lines are noticed, in the last line, too") {
  const std::string text = whole_journal();
  for (std::size_t end = text.find('\n'); end != std::string::npos;
       end = text.find('\n', end + 1)) {
    for (std::size_t at = end - 26; at <= end; ++at) check_noticed(text, at, 'z');
  }
}

TEST_CASE("a line without a sum is only believed before the first that has one") {
  const std::string header = header_line(example_header({kSummedShape}));
  const std::string complete = line_of({Complete{}, 2.0});
  CHECK(error_of(without_sums(header) + without_sums(complete)) == "");
  // A journal of an older version that this one went on with.
  CHECK(error_of(without_sums(header) + without_sums(complete) + complete) == "");
  CHECK_THAT(error_of(header + without_sums(complete)),
             StartsWith("j:2:") && ContainsSubstring("sum"));
  CHECK_THAT(error_of(without_sums(header) + complete + without_sums(complete)),
             StartsWith("j:3:") && ContainsSubstring("sum"));
}

TEST_CASE("zeros in a last line are what a power cut leaves, whatever comes after them") {
  const std::string header = header_line(example_header({kSummedShape}));
  std::string line = line_of({Complete{}, 2.0});
  line.replace(0, 10, std::string(10, '\0'));
  CHECK(error_of(header + line) == "");
  CHECK_THAT(error_of(header + line + line_of({Complete{}, 2.0})), StartsWith("j:2:"));
}

}  // namespace
}  // namespace tilewright
