// Converts the lines of a journal to text and back.
//
// docs/journal.md defines them. This module does not access files.
#pragma once

#include <string>
#include <string_view>

#include "tuner/journal/journal.hpp"

namespace tilewright {

// Version of the journal format.
inline constexpr int kJournalFormat = 1;

// Return one line with its line feed. `at_s` is the time of the record.
std::string header_line(const JournalHeader&);
std::string format_line(const JournalRecord& record, double at_s = 0.0);

// Parses the text of a journal. `file` is used only in error messages. If `whole_bytes` is given,
// it is set to the length of the text without an incomplete last line. `next_boot_id` is the boot
// id of a session that follows the sessions in the text; nullopt: there is none. Throws
// JournalError.
JournalContents parse_journal(std::string_view text, const std::string& file,
                              std::size_t* whole_bytes = nullptr,
                              const std::optional<std::string>& next_boot_id = std::nullopt);

// Returns true if the text is empty or starts like a journal, even if it is damaged later.
bool begins_as_journal(std::string_view text);
// Returns true if the text is empty or a header line that was cut off.
bool is_torn_header(std::string_view text);

}  // namespace tilewright
