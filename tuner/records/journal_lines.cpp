#include "tuner/records/journal_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "tuner/records/journal_checks.hpp"
#include "tuner/records/journal_starts.hpp"
#include "tuner/records/journal_sum.hpp"
#include "tuner/records/json_fields.hpp"

namespace tilewright {
template <class Visit>
void visit_fields(Fields<JournalHeader>, Visit& visit) {
  visit.required("tool_version", &JournalHeader::tool_version);
  visit.required("device", &JournalHeader::device);
  visit.required("ops", &JournalHeader::ops);
  visit.required("shapes", &JournalHeader::shapes);
  visit.required("space_digest", &JournalHeader::space_digest);
  visit.optional("restrictions", &JournalHeader::restrictions);
  visit.required("seed", &JournalHeader::seed);
  visit.optional("shard", &JournalHeader::shard);
  visit.optional("shards", &JournalHeader::shards);
  visit.optional("packed", &JournalHeader::packed);
  visit.optional("b_prepacked", &JournalHeader::b_prepacked);
  visit.required("options", &JournalHeader::options);
  visit.required("date", &JournalHeader::date);
}

template <class Visit>
void visit_fields(Fields<Session>, Visit& visit) {
  visit.required("command_line", &Session::command_line);
  visit.required("boot_id", &Session::boot_id);
  visit.required("date", &Session::date);
  visit.optional("driver", &Session::driver);
  visit.optional("governor", &Session::governor);
}

template <class Visit>
void visit_fields(Fields<PackOutcome>, Visit& visit) {
  visit.required("demand", &PackOutcome::demand);
  visit.required("reply", &PackOutcome::reply);
}

namespace {

using nlohmann::json;

// A candidate that is about to be built or launched.
struct Starting {
  std::string point;
  PhaseKind kind = PhaseKind::kStart;
};

template <class Visit>
void visit_fields(Fields<Starting>, Visit& visit) {
  visit.required("point", &Starting::point);
  visit.required("kind", &Starting::kind);
}

// What is beside the record in a line.
struct Beside {
  double at_s = 0.0;
  std::map<std::size_t, std::string> failures;  // of a round
};

template <class Visit>
void visit_fields(Fields<Beside>, Visit& visit) {
  visit.optional_s("at_s", &Beside::at_s);
  visit.optional("failures", &Beside::failures);
}

template <class Record>
json written(const Record& record) {
  json result;
  write_fields(result, record);
  return result;
}

template <class Record>
Record read(const json& from) {
  Record record;
  read_fields(from, record);
  return record;
}

std::string line_of(const char* key, json record, const Beside& beside = {}) {
  json line = written(beside);
  line[key] = std::move(record);
  return with_sum(to_line(line)) + "\n";
}

// Takes a journal's lines in turn.
class Reader {
 public:
  void header(const json& line);
  void line(const json& line);
  // Another session begins, or the journal ends: then there is no boot id.
  void end_of_session(const std::optional<std::string>& next_boot_id);
  JournalContents contents();

 private:
  void outcome(const json& record);
  void pack(const json& record);
  void lineup(const json& record, const Beside& beside);
  void round(const json& record, const Beside& beside);

  JournalContents contents_;
  std::set<std::pair<std::string, std::string>> known_;  // phase and point of every outcome
  std::set<std::string> tried_;                          // points of every outcome
  JournalStarts starts_;
  bool has_old_finals_ = false;  // of the first format
};

void Reader::header(const json& line) {
  if (!line.is_object() || !line.contains("format")) {
    throw JsonError("is not the header of a journal");
  }
  has_old_finals_ = line["format"] == kFirstFormat;
  if (!has_old_finals_ && line["format"] != kJournalFormat) {
    throw JsonError(fmt::format("the journal has format {}, this program reads up to {} only",
                                shown(line["format"]), kJournalFormat));
  }
  if (!line.contains("header")) throw JsonError("the key 'header' is missing");
  contents_.header = read<JournalHeader>(line["header"]);
  if (has_old_finals_) contents_.header.b_prepacked = line["header"].value("keeps_b", false);
  const auto& [shard, shards] = std::pair(contents_.header.shard, contents_.header.shards);
  if (shard < 1 || shards < shard) {
    throw JsonError(fmt::format("header: shard is {} of {}", shard, shards));
  }
}

void Reader::line(const json& line) {
  const auto beside = read<Beside>(line);
  check_at(beside.at_s);
  const auto record_of = [&](const char* key) -> const json* {
    const auto found = line.find(key);
    return found == line.end() ? nullptr : &*found;
  };
  if (const json* record = record_of("session")) {
    auto session = read<Session>(*record);
    if (!contents_.sessions.empty()) end_of_session(session.boot_id);
    contents_.sessions.push_back(std::move(session));
  } else if (const json* rates = record_of("rates")) {
    contents_.rates = rates->get<DeviceRates>();
  } else if (const json* starting = record_of("starting")) {
    const auto [point, kind] = read<Starting>(*starting);
    check_at_work(point);
    starts_.start(point, kind, tried_.count(point) > 0);
  } else if (const json* idle = record_of("idle")) {
    const auto point = idle->get<std::string>();
    check_at_work(point);
    starts_.idle(point);
  } else if (const json* result = record_of("outcome")) {
    outcome(*result);
  } else if (has_old_finals_ && (record_of("lineup") || record_of("sweep"))) {
    return;  // of other finalists, in other words
  } else if (const json* pack = record_of("pack")) {
    this->pack(*pack);
  } else if (const json* lineup = record_of("lineup")) {
    this->lineup(*lineup, beside);
  } else if (const json* samples = record_of("round")) {
    round(*samples, beside);
  } else if (const json* complete = record_of("complete")) {
    contents_.complete = complete->get<bool>() && !has_old_finals_;
  } else {
    throw JsonError("holds nothing that a journal holds");
  }
  contents_.spent_s = std::max(contents_.spent_s, beside.at_s);
  const bool says_nothing_new = record_of("session") || record_of("complete");
  contents_.complete = says_nothing_new && contents_.complete;
}

void Reader::outcome(const json& record) {
  auto outcome = record.get<Outcome>();
  if (!known_.emplace(outcome.phase, outcome.point).second) {
    throw JsonError(
        fmt::format("a second outcome of '{}' in phase {}", outcome.point, outcome.phase));
  }
  check(outcome);
  tried_.insert(outcome.point);
  starts_.outcome(outcome.point);
  contents_.outcomes_since_s.push_back(contents_.spent_s);
  contents_.spent_s = std::max(contents_.spent_s, outcome.at_s);
  contents_.outcomes.push_back(std::move(outcome));
}

void Reader::pack(const json& record) {
  contents_.packs.push_back(read<PackOutcome>(record));
  check(contents_.packs.back());
  starts_.came_back();
}

void Reader::lineup(const json& record, const Beside& beside) {
  contents_.lineup = record.get<Lineup>();
  check(*contents_.lineup);
  contents_.lineup_at_s = beside.at_s;
  contents_.outcomes_before_lineup = contents_.outcomes.size();
  contents_.rounds.clear();
  contents_.finalist_failures.clear();
}

void Reader::round(const json& record, const Beside& beside) {
  if (!contents_.lineup) throw JsonError("a round without a line-up before it");
  contents_.rounds.push_back(record.get<Round>());
  check(contents_.rounds.back(), beside.failures, *contents_.lineup);
  contents_.finalist_failures.insert(beside.failures.begin(), beside.failures.end());
  starts_.came_back();
}

void Reader::end_of_session(const std::optional<std::string>& next_boot_id) {
  const std::string before = contents_.sessions.empty() ? "" : contents_.sessions.back().boot_id;
  starts_.end_of_session(next_boot_id && !next_boot_id->empty() && !before.empty() &&
                         *next_boot_id != before);
}

JournalContents Reader::contents() {
  contents_.unfinished = starts_.unfinished();
  contents_.unfinished_finals = starts_.unfinished_finals();
  return std::move(contents_);
}

// Text of a file as lines that end in a line feed; `text` is what is left and has none.
std::vector<std::string_view> split_lines(std::string_view& text) {
  std::vector<std::string_view> lines;
  for (std::size_t end = 0; (end = text.find('\n')) != std::string_view::npos;) {
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  return lines;
}

constexpr std::string_view kHeaderBegin = "{\"format\":";

// Takes the sums of a journal's lines in turn.
class SumReader {
 public:
  void line(std::string_view line) {
    switch (check_sum(line)) {
      case SumCheck::kRight:
        has_sums_ = true;
        return;
      case SumCheck::kWrong:
        break;
      case SumCheck::kNone:
        if (!has_sums_) return;  // an older version's
    }
    throw JsonError(
        "the line is not as it was written: its sum is wrong or missing; use a copy of the journal "
        "that is whole, or begin it anew (tune --fresh)");
  }

 private:
  bool has_sums_ = false;
};

// The last line, with its line feed. A file system may leave zeros in what a power cut interrupted.
bool is_torn(std::string_view line) {
  if (json::accept(line)) return false;
  return check_sum(line) == SumCheck::kNone || line.find('\0') != std::string_view::npos;
}

// What follows the last line feed. A line that is whole but for another character in the place of
// its line feed was not torn.
void check_rest(std::string_view rest) {
  if (!rest.empty() && check_sum(rest.substr(0, rest.size() - 1)) != SumCheck::kNone) {
    throw JsonError("the line does not end in a line feed: it is not as it was written");
  }
}

}  // namespace

std::string header_line(const JournalHeader& header) {
  return with_sum(to_line(json{{"format", kJournalFormat}, {"header", written(header)}})) + "\n";
}
std::string session_line(const Session& session, double at_s) {
  return line_of("session", written(session), {at_s, {}});
}
std::string rates_line(const DeviceRates& rates, double at_s) {
  return line_of("rates", rates, {at_s, {}});
}
std::string starting_line(const std::string& point, PhaseKind kind) {
  return line_of("starting", written(Starting{point, kind}));
}
std::string idle_line(const std::string& point) {
  return line_of("idle", point);
}
std::string outcome_line(const Outcome& outcome) {
  return line_of("outcome", outcome);
}
std::string pack_line(const PackOutcome& pack, double at_s) {
  return line_of("pack", written(pack), {at_s, {}});
}
std::string lineup_line(const Lineup& lineup, double at_s) {
  return line_of("lineup", lineup, {at_s, {}});
}
std::string round_line(const Round& round, const std::map<std::size_t, std::string>& failures,
                       double at_s) {
  return line_of("round", round, {at_s, failures});
}
std::string complete_line(double at_s) {
  return line_of("complete", true, {at_s, {}});
}

bool begins_as_journal(std::string_view text) {
  const std::size_t known = std::min(text.size(), kHeaderBegin.size());
  return text.substr(0, known) == kHeaderBegin.substr(0, known);
}

bool is_torn_header(std::string_view text) {
  return text.find('\n') == std::string_view::npos && begins_as_journal(text);
}

JournalContents parse_journal(std::string_view text, const std::string& file,
                              std::size_t* whole_bytes,
                              const std::optional<std::string>& next_boot_id) {
  std::string_view rest = text;
  const std::vector<std::string_view> lines = split_lines(rest);
  if (lines.empty()) {
    throw JournalError(fmt::format("{}:1: {}", file,
                                   is_torn_header(text)
                                       ? "the journal was cut off before anything was kept in it; "
                                         "remove it, or begin it anew"
                                       : "this is no journal"));
  }
  Reader reader;
  SumReader sums;
  std::size_t whole = 0;
  std::size_t number = 1;
  try {
    for (const std::string_view line : lines) {
      const bool may_be_torn = number > 1 && number == lines.size();
      if (may_be_torn && is_torn(line)) break;
      sums.line(line);
      number == 1 ? reader.header(parse_line(line)) : reader.line(parse_line(line));
      whole += line.size() + 1;
      ++number;
    }
    check_rest(rest);
  } catch (const std::exception& error) {
    throw JournalError(fmt::format("{}:{}: {}", file, number, error.what()));
  }
  reader.end_of_session(next_boot_id);
  if (whole_bytes != nullptr) *whole_bytes = whole;
  return reader.contents();
}

}  // namespace tilewright
