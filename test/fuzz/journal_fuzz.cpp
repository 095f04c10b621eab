// Tests that the reader of journals handles any text, and that writing what was read and reading
// it again gives the same text.
#include <cstdint>
#include <string>
#include <string_view>

#include "property.hpp"
#include "tuner/journal/journal_lines.hpp"

namespace tilewright {
namespace {

// The lines of all records; of finals only those of the last ones are kept.
std::string written(const JournalContents& contents) {
  std::string text = header_line(contents.header);
  for (const Session& session : contents.sessions) text += format_line(session, 0.0);
  if (contents.rates) text += format_line(*contents.rates, 1.0);
  for (const Outcome& outcome : contents.outcomes) text += format_line(Outcomes{outcome}, 2.0);
  text += format_line(contents.packs, 2.0);
  if (!contents.finals.kernels.empty()) text += format_line(contents.finals, 3.0);
  text += format_line(contents.finals.outcomes, 4.0);
  return text;
}

void parse(std::string_view text) {
  JournalContents contents;
  std::size_t whole = 0;
  try {
    contents = parse_journal(text, "input", &whole);
  } catch (const JournalError&) {
    return;
  }
  expect(begins_as_journal(text), "what is read as a journal begins as one");
  expect(whole <= text.size(), "no more is whole than there is");
  std::size_t again = 0;
  const JournalContents healed = parse_journal(text.substr(0, whole), "healed", &again);
  expect(again == whole, "what is left of a torn journal is whole");
  expect(healed.outcomes == contents.outcomes, "a torn journal keeps its outcomes");
  const std::string lines = written(contents);
  expect(written(parse_journal(lines, "written")) == lines, "what was read is written the same");
}

}  // namespace
}  // namespace tilewright

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  tilewright::parse({reinterpret_cast<const char*>(data), size});
  return 0;
}
