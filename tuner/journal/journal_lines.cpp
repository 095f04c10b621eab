#include "tuner/journal/journal_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <set>
#include <type_traits>
#include <utility>

#include "tuner/journal/journal_checks.hpp"
#include "tuner/journal/records/json_fields.hpp"

namespace tilewright {

// clang-format off
TILEWRIGHT_JSON(JournalHeader,
  ("tool_version", r.tool_version)("device", r.device)("ops", r.ops)("shapes", r.shapes)
  ("space_digest", r.space_digest)("seed", r.seed)("options", r.measure)("date", r.date)
  .optional("designed", r.designed).optional("only", r.only)
  .optional("shard", r.shard, d.shard).optional("shards", r.shards, d.shards)
  .optional("precision", r.precision).optional("packed", r.packed, d.packed)
  .optional("b_prepacked", r.b_prepacked))

TILEWRIGHT_JSON(Session,
  ("command_line", r.command_line)("boot_id", r.boot_id)("date", r.date)
  .optional("driver", r.driver).optional("governor", r.governor))

TILEWRIGHT_JSON(TrialStarted, ("point", r.what)("kind", r.kind))
// clang-format on

using nlohmann::json;

void to_json(json& value, const TrialIdle& idle) {
  value = idle.what;
}
void from_json(const json& value, TrialIdle& idle) {
  value.get_to(idle.what);
}
void to_json(json& value, const TimeSpent& spent) {
  value = spent.activity;
}
void from_json(const json& value, TimeSpent& spent) {
  value.get_to(spent.activity);
}
void to_json(json& value, const TuningFinished& complete) {
  value = complete.reached;
}
void from_json(const json& value, TuningFinished& complete) {
  value.get_to(complete.reached);
}

namespace {

// The key of each record in its line.
template <class Record>
constexpr const char* kKey = nullptr;
template <>
constexpr const char* kKey<Session> = "session";
template <>
constexpr const char* kKey<MeasuredRates> = "rates";
template <>
constexpr const char* kKey<TrialStarted> = "starting";
template <>
constexpr const char* kKey<TrialIdle> = "idle";
template <>
constexpr const char* kKey<Outcomes> = "outcomes";
template <>
constexpr const char* kKey<Finalists> = "finals";
template <>
constexpr const char* kKey<ValidatedProduct> = "validated";
template <>
constexpr const char* kKey<TimeSpent> = "spent";
template <>
constexpr const char* kKey<TuningFinished> = "complete";

// Reads the lines of a journal in order.
class Reader {
 public:
  void header(const json& line);
  void line(const json& line);
  JournalContents contents;

 private:
  template <class Record>
  bool add(const json& line);
  void check_new(const Outcomes& outcomes);

  std::set<std::pair<std::string, KernelId>> known_;  // task and kernel of every outcome so far
};

void Reader::header(const json& line) {
  if (!line.is_object() || !line.contains("format")) {
    throw JsonError("is not a journal header");
  }
  if (line["format"] != kJournalFormat) {
    throw JsonError(fmt::format(
        "the journal has format {}, but this program reads only journal format {}; install another "
        "release of tilewright, or start a new journal (tune --fresh)",
        to_short_json(line["format"]), kJournalFormat));
  }
  FieldReader{line}("header", contents.header);
  const auto& [shard, shards] = std::pair(contents.header.shard, contents.header.shards);
  if (shard < 1 || shards < shard) {
    throw JsonError(fmt::format("header: shard {} of {} is invalid", shard, shards));
  }
  if (contents.header.designed > contents.header.shapes.size()) {
    throw JsonError(fmt::format("header: designed is {}, but there are {} shapes",
                                contents.header.designed, contents.header.shapes.size()));
  }
}

// Adds the line if it has this key.
template <class Record>
bool Reader::add(const json& line) {
  if (!line.contains(kKey<Record>)) return false;
  double at_s = 0.0;
  Record record;
  FieldReader{line}(kKey<Record>, record).optional("at_s", at_s);
  check_time(at_s);
  if constexpr (std::is_same_v<Record, Outcomes>) {
    check(record, contents);
    check_new(record);
  } else if constexpr (requires { check(record); }) {
    check(record);
  }
  apply(std::move(record), at_s, contents);
  return true;
}

// A search tries no candidate twice.
void Reader::check_new(const Outcomes& outcomes) {
  for (const Outcome& outcome : outcomes) {
    if (outcome.task == kPacking || outcome.task == kFinals) continue;
    if (known_.emplace(outcome.task, outcome.kernel).second) continue;
    throw JsonError(
        fmt::format("'{}' has a second outcome in task {}", outcome.kernel.text(), outcome.task));
  }
}

void Reader::line(const json& line) {
  const bool known = add<Session>(line) || add<MeasuredRates>(line) || add<TrialStarted>(line) ||
                     add<TrialIdle>(line) || add<Outcomes>(line) || add<Finalists>(line) ||
                     add<ValidatedProduct>(line) || add<TimeSpent>(line) ||
                     add<TuningFinished>(line);
  if (!known) throw JsonError("has none of the keys of a journal line");
}

// Splits a text into lines that end in a line feed. Text after the last line feed is incomplete and
// ignored.
std::vector<std::string_view> split_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  for (std::size_t end = 0; (end = text.find('\n')) != std::string_view::npos;) {
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  return lines;
}

constexpr std::string_view kHeaderBegin = "{\"format\":";

}  // namespace

std::string header_line(const JournalHeader& header) {
  return to_line({{"format", kJournalFormat}, {"header", header}}) + "\n";
}

template <class Record>
std::string format_line(const Record& record, double at_s) {
  json line{{kKey<Record>, record}};
  if (at_s != 0.0) line["at_s"] = at_s;
  return to_line(std::move(line)) + "\n";
}
template std::string format_line(const Session&, double);
template std::string format_line(const MeasuredRates&, double);
template std::string format_line(const TrialStarted&, double);
template std::string format_line(const TrialIdle&, double);
template std::string format_line(const Outcomes&, double);
template std::string format_line(const Finalists&, double);
template std::string format_line(const ValidatedProduct&, double);
template std::string format_line(const TimeSpent&, double);
template std::string format_line(const TuningFinished&, double);

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
  const std::vector<std::string_view> lines = split_lines(text);
  if (lines.empty()) {
    throw JournalError(fmt::format(
        "{}:1: {}", file,
        is_torn_header(text)
            ? "the journal ends within its first line; remove it, or start a new one (tune --fresh)"
            : "is not a journal"));
  }
  Reader reader;
  std::size_t whole = 0;
  std::size_t number = 1;
  try {
    for (const std::string_view line : lines) {
      const bool may_be_torn = number > 1 && number == lines.size();
      if (may_be_torn && !json::accept(line)) break;
      number == 1 ? reader.header(parse_line(line)) : reader.line(parse_line(line));
      whole += line.size() + 1;
      ++number;
    }
  } catch (const std::exception& error) {
    throw JournalError(fmt::format("{}:{}: {}", file, number, error.what()));
  }
  if (next_boot_id) end_session(*next_boot_id, reader.contents);
  if (whole_bytes != nullptr) *whole_bytes = whole;
  return std::move(reader.contents);
}

}  // namespace tilewright
