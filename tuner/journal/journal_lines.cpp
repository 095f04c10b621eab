#include "tuner/journal/journal_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <iterator>
#include <set>
#include <utility>

#include "codelets/point/parameter_point.hpp"
#include "tuner/journal/records/json_fields.hpp"
#include "tuner/journal/records/shapes.hpp"
#include "tuner/journal/records/tuning_json.hpp"

namespace tilewright {
namespace {

// Checks of what lines hold. Each throws JsonError.

constexpr int kMaxRounds = 1'000'000;  // far more than any final has

void check_is_there(const KernelId& kernel, const char* what) {
  if (kernel.empty()) throw JsonError(fmt::format("{} has no point", what));
}

void check_times(const std::vector<double>& times_ns, const char* what) {
  for (const double ns : times_ns) {
    if (!(ns > 0.0 && std::isfinite(ns))) {
      throw JsonError(fmt::format("{} has the invalid time {} ns", what, ns));
    }
  }
}

void check(const ShapeSamples& samples) {
  check_times(samples.ns, "a sample");
  check_times(samples.reference_ns, "a sample of the reference");
  check_times(samples.rejected_ns, "a rejected sample");
  if (samples.ns.empty()) {
    throw JsonError(fmt::format("shape {} has no samples (ns)", to_text(samples.shape)));
  }
  if (!samples.reference_ns.empty() && samples.reference_ns.size() != samples.ns.size()) {
    throw JsonError(fmt::format("{} times of the reference for {} samples",
                                samples.reference_ns.size(), samples.ns.size()));
  }
}

bool is_auxiliary(const ParameterPoint& point) {
  const Codelet codelet = point_codelet(point);
  return codelet != Codelet::kGemm && codelet != Codelet::kGemv;
}

void check_product_kernel(const KernelId& kernel, const char* what) {
  check_is_there(kernel, what);
  if (!is_auxiliary(kernel.point())) return;
  throw JsonError(fmt::format("{} is '{}', which is not a product kernel", what, kernel.text()));
}

// Checks a time that is 0 if it is not known.
void check_time_or_zero(double ns, const char* what) {
  if (ns != 0.0) check_times({ns}, what);
}

// Checks the name of what is starting or idle.
void check_at_work(const std::string& what) {
  if (what == kMicroBenchmarks) return;
  try {
    check_is_there(parse_kernel(what), "a started kernel");
  } catch (const ParameterError& error) {
    throw JsonError(fmt::format("'{}' is not a point: {}", what, error.what()));
  }
}

void check(const Outcome& outcome) {
  check_is_there(outcome.kernel, "the candidate");
  for (const ShapeSamples& samples : outcome.shapes) check(samples);
  if (outcome.task == kPacking && !is_auxiliary(outcome.kernel.point())) {
    throw JsonError(fmt::format("'{}' is not a point of pack, reduce, activation or softmax",
                                outcome.kernel.text()));
  }
  if (outcome.task == kFinals) check_product_kernel(outcome.kernel, "a finalist");
  const auto is_count = [](int number) { return number >= 0 && number < kMaxRounds; };
  if (!is_count(outcome.round) || !is_count(outcome.process)) {
    throw JsonError(
        fmt::format("round {} of process {} is invalid", outcome.round, outcome.process));
  }
}

void check_time(double at_s) {
  if (!(at_s >= 0.0 && std::isfinite(at_s))) {
    throw JsonError(
        fmt::format("at_s is {}, which is not a time since the start of the tuning", at_s));
  }
}

void check(const TrialStarted& started) {
  check_at_work(started.what);
}

void check(const TrialIdle& idle) {
  check_at_work(idle.what);
}

// `before`: what the lines before hold.
void check(const Outcomes& outcomes, const JournalContents& before) {
  for (const Outcome& outcome : outcomes) {
    check(outcome);
    if (outcome.task != kFinals) continue;
    if (before.finals.kernels.empty())
      throw JsonError("outcomes of finals before the finals have begun");
    if (std::ranges::count(before.finals.kernels, outcome.kernel) > 0) continue;
    throw JsonError(fmt::format("'{}' is not a finalist", outcome.kernel.text()));
  }
}

void check(const Finalists& finalists) {
  for (const KernelId& kernel : finalists.kernels) check_product_kernel(kernel, "a finalist");
  for (const KernelId& kernel : finalists.baselines) check_product_kernel(kernel, "a baseline");
}

void check(const ValidatedProduct& product) {
  if (product.plans.empty() == product.failure.empty()) {
    throw JsonError("a validated product needs either plans or a failure");
  }
  if (!product.plans.empty()) check_times({product.call_ns}, "the call of a validated product");
  for (const Outcome& plan : product.plans) {
    check_product_kernel(plan.kernel, "the plan of a validated product");
    check(plan);
    if (plan.shapes.size() != 1) {
      throw JsonError("the plan of a validated product needs samples of one shape");
    }
    check_time_or_zero(plan.predicted_ns, "predicted_ns");
  }
  check_time_or_zero(product.built_in_ns, "built_in_ns");
  check_time_or_zero(product.max_times_call, "max_times_call");
  check_time_or_zero(product.launch_ns, "launch_ns");
  check_time_or_zero(product.other_ns, "other_ns");
}

void check(const TimeSpent& spent) {
  if (std::ranges::find(kActivities, spent.activity) != std::end(kActivities)) return;
  throw JsonError(fmt::format("'{}' is no activity", spent.activity.substr(0, 80)));
}

}  // namespace

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

void to_json(nlohmann::json& value, const TrialIdle& idle) {
  value = idle.what;
}
void from_json(const nlohmann::json& value, TrialIdle& idle) {
  value.get_to(idle.what);
}
void to_json(nlohmann::json& value, const TimeSpent& spent) {
  value = spent.activity;
}
void from_json(const nlohmann::json& value, TimeSpent& spent) {
  value.get_to(spent.activity);
}
void to_json(nlohmann::json& value, const TuningFinished& complete) {
  value = complete.reached;
}
void from_json(const nlohmann::json& value, TuningFinished& complete) {
  value.get_to(complete.reached);
}

namespace {

// The key of each record in its line, in the order of JournalRecord.
constexpr const char* kKeys[] = {"session",   "rates",     "starting", "idle",    "outcomes",
                                 "finalists", "validated", "spent",    "complete"};
static_assert(std::size(kKeys) == std::variant_size_v<JournalRecord>);

// Reads the record of the first key that the line has.
template <std::size_t kIndex = 0>
JournalRecord read_record(const nlohmann::json& line) {
  if constexpr (kIndex == std::size(kKeys)) {
    throw JsonError("has none of the keys of a journal line");
  } else {
    if (!line.contains(kKeys[kIndex])) return read_record<kIndex + 1>(line);
    std::variant_alternative_t<kIndex, JournalRecord> record;
    FieldReader{line}(kKeys[kIndex], record);
    return record;
  }
}

// Reads the lines of a journal in order.
class Reader {
 public:
  void header(const nlohmann::json& line);
  void line(const nlohmann::json& line);
  JournalContents contents;

 private:
  void check_new(const Outcomes& outcomes);

  std::set<std::pair<std::string, KernelId>> known_;  // task and kernel of every outcome so far
};

void Reader::header(const nlohmann::json& line) {
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

// A search tries no candidate twice.
void Reader::check_new(const Outcomes& outcomes) {
  for (const Outcome& outcome : outcomes) {
    if (outcome.task == kPacking || outcome.task == kFinals) continue;
    if (known_.emplace(outcome.task, outcome.kernel).second) continue;
    throw JsonError(
        fmt::format("'{}' has a second outcome in task {}", outcome.kernel.text(), outcome.task));
  }
}

void Reader::line(const nlohmann::json& line) {
  JournalRecord record = read_record(line);
  double at_s = 0.0;
  FieldReader{line}.optional("at_s", at_s);
  check_time(at_s);
  std::visit(
      [&](const auto& each) {
        if constexpr (requires { check(each, contents); }) check(each, contents);
        if constexpr (requires { check(each); }) check(each);
      },
      record);
  if (const auto* outcomes = std::get_if<Outcomes>(&record)) check_new(*outcomes);
  apply(std::move(record), at_s, contents);
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

std::string format_line(const JournalRecord& record, double at_s) {
  nlohmann::json line;
  std::visit([&](const auto& each) { line[kKeys[record.index()]] = each; }, record);
  if (at_s != 0.0) line["at_s"] = at_s;
  return to_line(std::move(line)) + "\n";
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
      if (may_be_torn && !nlohmann::json::accept(line)) break;
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
