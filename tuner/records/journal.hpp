// What has a tuning found so far, whatever happened since?
//
// An append-only file of JSON lines (docs/journal.md). Every line is written whole and synced to
// disk before the tuning goes on: kill -9 and a power cut lose at most the candidate in flight. A
// last line that is torn is cut off when the journal is opened again.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "tuner/records/finals_record.hpp"
#include "tuner/records/journal_starts.hpp"
#include "tuner/records/outcome.hpp"
#include "tuner/records/worker_protocol.hpp"

namespace tilewright {

// What a journal belongs to: the first line. Two journals may be continued or merged only where
// these agree.
struct JournalHeader {
  std::string tool_version;
  DeviceInfo device;
  std::vector<Op> ops;
  Precision precision = Precision::kSingle;
  std::vector<GemmShape> shapes;
  // So many of them, the last, are of a design and stand for all shapes; the others were asked for.
  std::size_t designed = 0;
  std::string space_digest;               // of all searched spaces
  std::vector<std::string> restrictions;  // --only, as text: "tile_m=4,8"
  std::uint64_t seed = 1;
  int shard = 1;  // 1 .. shards
  int shards = 1;
  bool packed = true;        // kernels that want their operands packed are searched, too
  bool b_prepacked = false;  // op(B) is packed once, as weights are: that does not count
  MeasureOptions options;
  std::string date;  // UTC, ISO 8601
  bool operator==(const JournalHeader&) const = default;
};

// The first thing in which a journal cannot be continued as `wanted`, as a sentence with both
// values ("the device's name is "A", the journal's is "B""), or nullopt. Soft identity, hints of
// the device and date may differ; the tool version may not, since a new one makes other kernels.
std::optional<std::string> difference(const JournalHeader& journal, const JournalHeader& wanted);
// The same for joining journals ("..., the other's is ..."): seeds, shards and shapes may
// differ.
std::optional<std::string> merge_difference(const JournalHeader& a, const JournalHeader& b);

// The best pack kernel, or reduce kernel, for a demand.
struct PackOutcome {
  ParameterPoint demand;  // of an auxiliary kernel's codelet, with its demanded parameters
  PackReply reply;
  bool operator==(const PackOutcome&) const = default;
};

// A run of the program on the journal.
struct Session {
  std::string command_line;
  std::string boot_id;  // of the kernel: differs after a reboot
  std::string date;
  std::string driver;         // of the device, soft identity
  std::string governor = {};  // of the device's clock; "" where it cannot be read
  bool operator==(const Session&) const = default;
};

// A candidate, or what else is at work, is about to be built or launched.
struct Starting {
  std::string what;
  WorkerActivityKind kind = WorkerActivityKind::kStart;
};

// It is not at work any more, though it has no outcome: a reboot is not its doing.
struct Idle {
  std::string what;
};

// The tuning has reached its end.
struct Complete {
  bool reached = true;
};

// Every line but the header.
struct JournalLine {
  using What = std::variant<Session, DeviceRates, Starting, Idle, Outcome, PackOutcome, Lineup,
                            RoundReply, Complete>;
  What what;
  double at_s = 0.0;     // 0: not said, as of starting and idle; an outcome says its own
  bool partial = false;  // of rates: there was no time for all
};

// All that a journal holds.
struct JournalContents {
  JournalHeader header;
  std::set<KernelId> kernels;  // that lines name, each once: the others share what it knows
  std::vector<Session> sessions;
  std::optional<DeviceRates> rates;
  bool partial_rates = false;  // some are still to be measured
  std::vector<Outcome> outcomes;
  // Of each outcome: `at_s` of the line before it. What lies between was spent on it. Empty in a
  // merged journal.
  std::vector<double> outcomes_since_s;
  JournalStarts starts;  // who was at work when a session ended
  std::vector<PackOutcome> packs;
  std::optional<Lineup> lineup;                          // the last one
  double lineup_at_s = 0.0;                              // when the finals began
  std::size_t outcomes_before_lineup = 0;                // later ones had no chance to get into it
  std::vector<Round> rounds;                             // of that line-up
  std::map<std::size_t, std::string> finalist_failures;  // of that line-up
  double spent_s = 0.0;                                  // the greatest `at_s` of any line
  std::map<std::string, double> spent_on_s;  // by what it went into, as a sentence names it
  bool complete = false;  // the tuning reached its end, and did not go on after it
  bool operator==(const JournalContents&) const = default;
};

// Keys of spent_on_s.
inline constexpr const char* kOnRates = "micro-benchmarks";
inline constexpr const char* kOnBuiltIn = "the built-in kernels";
inline constexpr const char* kOnCandidates = "candidates";

// What a line makes of what stood before it. The only place that says so: whoever reads a journal
// and whoever writes one know the same.
void apply(JournalLine line, JournalContents& contents);
// A session begins: a boot id that is another, both known, is a death of what was in flight.
void end_session(const std::string& next_boot_id, JournalContents& contents);

// A journal that cannot be read or written; what() names file and, where there is one, line.
class JournalError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Reads a whole journal. A torn last line is left out: one without a line feed, or that is no JSON.
// Throws JournalError for anything else that is wrong.
JournalContents read_journal(const std::string& path);
// False where there is no file, or one that was cut off within its header: Journal::create() may
// then be used, and read_journal() and Journal::open() would fail.
bool holds_journal(const std::string& path);
// Does the file begin as journals do? What else it is, only read_journal() says.
bool looks_like_journal(const std::string& path);

// Of the running system: differs after a reboot; "" where it cannot be told.
std::string boot_id();

class Journal {
 public:
  // A new journal: fails if the file exists, unless nothing but a torn header is in it. Throws
  // JournalError.
  static Journal create(const std::string& path, const JournalHeader& header);
  // A new journal in the place of whatever journal is there, which no other process may be writing.
  // Throws JournalError, also where the file is no journal.
  static Journal replace(const std::string& path, const JournalHeader& header);
  // An existing one, to be continued: heals a torn last line. A second process that wants the same
  // journal is refused (a lock on the file). A reboot since its last session counts as a death of
  // what was in flight.
  static Journal open(const std::string& path, JournalContents& contents);
  Journal(Journal&& other) noexcept;
  Journal& operator=(Journal&& other) noexcept;
  ~Journal();

  // Appends the line and syncs it. Answers it as a reader will find it: times are rounded, and
  // bytes that are not UTF-8 replaced.
  JournalLine append(const JournalLine& line);

  const std::string& path() const { return path_; }

 private:
  explicit Journal(std::string path) : path_(std::move(path)) {}
  void open_locked(int flags);
  std::string read_all() const;
  void begin(const JournalHeader& header);
  void write(const std::string& line);

  std::string path_;
  int descriptor_ = -1;
};

}  // namespace tilewright
