// Tests that malicious lines of a journal are rejected with a short JournalError, without other
// effects.
#include <string>

#include "catch.hpp"
#include "journal_examples.hpp"
#include "tuner/journal/journal_lines.hpp"

namespace tilewright {
namespace {

std::string nested(std::size_t depth) {
  return std::string(depth, '[') + std::string(depth, ']');
}

void check_refused(const std::string& text) {
  try {
    parse_journal(text, "j");
    FAIL("accepted");
  } catch (const JournalError& error) {
    const std::string message = error.what();
    INFO(message.substr(0, 200));
    CHECK(message.find("j:") == 0);
    CHECK(message.size() < 1000);
  }
}

TEST_CASE("deep nesting and long values are rejected everywhere", "[long]") {
  constexpr std::size_t kDeep = 1'000'000;
  const std::string header = header_line(example_header({{64, 64, 64}}));
  const std::string outcome = "{\"outcomes\":[{\"task\":\"NN\",\"point\":\"gemm\",\"result\":";
  for (const std::string& value : {nested(kDeep), "\"" + std::string(kDeep, 'x') + "\""}) {
    check_refused("{\"format\":" + value + "}\n");
    check_refused("{\"format\":1,\"header\":" + value + "}\n");
    check_refused(header + "{\"session\":" + value + "}\n");
    check_refused(header + "{\"at_s\":" + value + ",\"complete\":true}\n");
    check_refused(header + outcome + value + "}]}\n");
    check_refused(header + "{\"finalists\":{\"kernels\":" + value + "}}\n" + header);
    check_refused(header + "{\"rates\":{\"copy_gbytes_per_s\":" + value + "}}\n");
  }
}

}  // namespace
}  // namespace tilewright
