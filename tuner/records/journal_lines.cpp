#include "tuner/records/journal_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "tuner/records/journal_checks.hpp"
#include "tuner/records/journal_sum.hpp"
#include "tuner/records/json_fields.hpp"

namespace tilewright {
template <class Visit>
void visit_fields(Fields<JournalHeader>, Visit& visit) {
  visit.required("tool_version", &JournalHeader::tool_version);
  visit.required("device", &JournalHeader::device);
  visit.required("ops", &JournalHeader::ops);
  visit.required("shapes", &JournalHeader::shapes);
  visit.optional("designed", &JournalHeader::designed);
  visit.required("space_digest", &JournalHeader::space_digest);
  visit.optional("restrictions", &JournalHeader::restrictions);
  visit.required("seed", &JournalHeader::seed);
  visit.optional("shard", &JournalHeader::shard);
  visit.optional("shards", &JournalHeader::shards);
  visit.optional("precision", &JournalHeader::precision);
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

template <class Visit>
void visit_fields(Fields<Starting>, Visit& visit) {
  visit.required("point", &Starting::what);
  visit.required("kind", &Starting::kind);
}

namespace {

using nlohmann::json;

// What is beside the record in a line.
struct Beside {
  double at_s = 0.0;
  std::map<std::size_t, std::string> failures;  // of a round
  bool partial = false;                         // of rates
};

template <class Visit>
void visit_fields(Fields<Beside>, Visit& visit) {
  visit.optional_s("at_s", &Beside::at_s);
  visit.optional("failures", &Beside::failures);
  visit.optional("partial", &Beside::partial);
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

// What stands in a line under the record's key: that of its place in JournalLine::What.
constexpr const char* kKeys[] = {"session", "rates",  "starting", "idle",    "outcome",
                                 "pack",    "lineup", "round",    "complete"};
static_assert(std::size(kKeys) == std::variant_size_v<JournalLine::What>);

json under_key(const Session& session) {
  return written(session);
}
json under_key(const Starting& starting) {
  return written(starting);
}
json under_key(const Idle& idle) {
  return idle.what;
}
json under_key(const PackOutcome& pack) {
  return written(pack);
}
json under_key(const RoundReply& reply) {
  return reply.round;
}
json under_key(const Complete& complete) {
  return complete.reached;
}
template <class Record>
json under_key(const Record& record) {
  return record;
}

JournalLine::What what_of(const json& line, const Beside& beside) {
  const auto record_of = [&](const char* key) -> const json* {
    const auto found = line.find(key);
    return found == line.end() ? nullptr : &*found;
  };
  if (const json* session = record_of("session")) return read<Session>(*session);
  if (const json* rates = record_of("rates")) return rates->get<DeviceRates>();
  if (const json* starting = record_of("starting")) return read<Starting>(*starting);
  if (const json* idle = record_of("idle")) return Idle{idle->get<std::string>()};
  if (const json* outcome = record_of("outcome")) return outcome->get<Outcome>();
  if (const json* pack = record_of("pack")) return read<PackOutcome>(*pack);
  if (const json* lineup = record_of("lineup")) return lineup->get<Lineup>();
  if (const json* round = record_of("round")) {
    return RoundReply{round->get<Round>(), beside.failures};
  }
  if (const json* complete = record_of("complete")) return Complete{complete->get<bool>()};
  throw JsonError("holds nothing that a journal holds");
}

JournalLine line_from(const json& text) {
  const auto beside = read<Beside>(text);
  return {what_of(text, beside), beside.at_s, beside.partial};
}

// Finals of the first format: other finalists, in another order. They are not read, and a tuning
// that goes on begins its finals anew.
bool is_of_old_finals(const json& line) {
  const auto lineup = line.find("lineup");
  return line.contains("sweep") || (lineup != line.end() && lineup->contains("racers"));
}

// Takes a journal's lines in turn.
class Reader {
 public:
  void header(const json& line);
  void line(const json& text);
  JournalContents contents;

 private:
  bool is_first_format_ = false;
  std::set<std::pair<std::string, KernelId>> known_;  // phase and kernel of every outcome
};

void Reader::header(const json& line) {
  if (!line.is_object() || !line.contains("format")) {
    throw JsonError("is not the header of a journal");
  }
  is_first_format_ = line["format"] == kFirstFormat;
  if (!is_first_format_ && line["format"] != kJournalFormat) {
    throw JsonError(fmt::format("the journal has format {}, this program reads up to {} only",
                                shown(line["format"]), kJournalFormat));
  }
  if (!line.contains("header")) throw JsonError("the key 'header' is missing");
  contents.header = read<JournalHeader>(line["header"]);
  if (is_first_format_) contents.header.b_prepacked = line["header"].value("keeps_b", false);
  const auto& [shard, shards] = std::pair(contents.header.shard, contents.header.shards);
  if (shard < 1 || shards < shard) {
    throw JsonError(fmt::format("header: shard is {} of {}", shard, shards));
  }
  if (contents.header.designed > contents.header.shapes.size()) {
    throw JsonError(fmt::format("header: {} of {} shapes are of a design", contents.header.designed,
                                contents.header.shapes.size()));
  }
}

void Reader::line(const json& text) {
  if (is_first_format_ && is_of_old_finals(text)) return;
  JournalLine line = line_from(text);
  if (auto* complete = std::get_if<Complete>(&line.what); complete != nullptr && is_first_format_) {
    complete->reached = complete->reached && contents.lineup.has_value();
  }
  const auto* outcome = std::get_if<Outcome>(&line.what);
  if (outcome != nullptr && !known_.emplace(outcome->phase, outcome->kernel).second) {
    throw JsonError(fmt::format("a second outcome of '{}' in phase {}", outcome->kernel.text(),
                                outcome->phase));
  }
  check(line, contents);
  apply(std::move(line), contents);
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

std::string line_of(const JournalLine& line) {
  Beside beside{line.at_s, {}, line.partial};
  if (const auto* reply = std::get_if<RoundReply>(&line.what)) beside.failures = reply->failures;
  json object = written(beside);
  object[kKeys[line.what.index()]] =
      std::visit([](const auto& record) { return under_key(record); }, line.what);
  return with_sum(to_line(object)) + "\n";
}

JournalLine read_line(std::string_view line) {
  return line_from(parse_line(line));
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
  if (next_boot_id) end_session(*next_boot_id, reader.contents);
  if (whole_bytes != nullptr) *whole_bytes = whole;
  return std::move(reader.contents);
}

}  // namespace tilewright
