// How is each line of a journal written and read?
//
// docs/journal.md says what they mean. No files here: text in, text out.
#pragma once

#include <string>
#include <string_view>

#include "tuner/records/journal.hpp"

namespace tilewright {

inline constexpr int kJournalFormat = 1;

// Each is one line with its line feed.
std::string header_line(const JournalHeader&);
std::string line_of(const JournalLine&);
// The other way round, for any line but the header. Throws JsonError.
JournalLine read_line(std::string_view line);

// A text of lines as contents. `file` is only used in errors. `whole_bytes`, if given, is set to
// how much of the text is whole: all but a torn last line. `next_boot_id`: that of a session which
// follows those in the text; nullopt: none does. Throws JournalError.
JournalContents parse_journal(std::string_view text, const std::string& file,
                              std::size_t* whole_bytes = nullptr,
                              const std::optional<std::string>& next_boot_id = std::nullopt);

// Whether a text is nothing, or the begin of a journal, be it broken later.
bool begins_as_journal(std::string_view text);
// Whether a text is nothing, or a header line that was cut off.
bool is_torn_header(std::string_view text);

}  // namespace tilewright
