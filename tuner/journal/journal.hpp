// Records everything that a tuning has found so far, so that it survives crashes.
//
// A journal is an append-only file of JSON lines (docs/journal.md). Every line is written as a
// whole and synced to disk before the tuning continues, so kill -9 or a power cut loses at most the
// candidate that was being tested. If the last line is incomplete, it is removed when the journal
// is opened again.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "tuner/journal/journal_starts.hpp"
#include "tuner/journal/records/finals_record.hpp"
#include "tuner/journal/records/outcome.hpp"
#include "tuner/journal/records/recorded_options.hpp"
#include "tuner/journal/records/worker_protocol.hpp"

namespace tilewright {

// First line of a journal: what the journal belongs to. Two journals can be continued or merged
// only if their headers agree.
struct JournalHeader : RecordedOptions {
  std::string tool_version;
  DeviceInfo device;
  std::string space_digest;  // digest over all searched spaces
  std::string date;          // UTC, ISO 8601
  bool operator==(const JournalHeader&) const = default;
};

// Returns the first reason why a journal cannot be continued as `wanted`: a sentence with both
// values ("the device's name is "A", the journal's is "B""); nullopt if it can be continued. The
// driver, other hints about the device, and the date may differ. The version of the tool may not,
// because another version emits other kernels.
std::optional<std::string> difference(const JournalHeader& journal, const JournalHeader& wanted);
// Returns the first reason why two journals cannot be merged ("..., the other's is ..."). Seeds,
// shards and shapes may differ.
std::optional<std::string> merge_difference(const JournalHeader& a, const JournalHeader& b);

// One run of the program that writes to the journal.
struct Session {
  std::string command_line;
  std::string boot_id;  // of the operating system; changes with every reboot
  std::string date;
  std::string driver;         // version of the driver
  std::string governor = {};  // governor of the device's clock; "" if it cannot be read
  bool operator==(const Session&) const = default;
};

// A kernel, or the micro-benchmarks, is about to be built or launched.
struct TrialStarted {
  std::string what;
  WorkerActivityKind kind = WorkerActivityKind::kStart;
};

// A kernel is no longer being built or launched, although it has no outcome. A reboot after this
// line is not its fault.
struct TrialIdle {
  std::string what;
};

// The time since the line before was spent on an activity, one of kActivities, without a result.
struct TimeSpent {
  std::string activity;
};

// The tuning has finished.
struct TuningFinished {
  bool reached = true;
};

// What a line after the header holds.
using JournalRecord = std::variant<Session, MeasuredRates, TrialStarted, TrialIdle, Outcomes,
                                   Finalists, ValidatedProduct, TimeSpent, TuningFinished>;

// How long a tuning has run, without the breaks between its sessions.
struct TimeAccount {
  double all_s = 0.0;                           // largest `at_s` of any line
  std::map<std::string, double> by_activity_s;  // the keys are used in sentences
  bool operator==(const TimeAccount&) const = default;

  // Returns the seconds spent on an activity.
  double on(const std::string& activity) const {
    const auto found = by_activity_s.find(activity);
    return found == by_activity_s.end() ? 0.0 : found->second;
  }
};

// The contents of a journal.
struct JournalContents {
  JournalHeader header;
  // All kernels that occur in lines. The KernelIds in the lines are copies of these, so that equal
  // kernels share their text and launch facts.
  std::set<KernelId> kernels;
  std::vector<Session> sessions;
  std::optional<MeasuredRates> rates;
  JournalStarts starts;           // kernels that were being built or launched when a session ended
  std::vector<Outcome> outcomes;  // of all tasks except kPacking and kFinals
  std::vector<Outcome> packs;     // kPacking
  Finalists finals;               // the latest ones; without kernels if there are none
  // A line after which other kernels may be chosen drops those with is_held_out().
  std::vector<ValidatedProduct> products;
  TimeAccount spent;
  bool complete = false;  // true if the tuning finished and was not continued
  bool operator==(const JournalContents&) const = default;
};

// Return the products with counts(), and those with is_held_out().
std::vector<ValidatedProduct> validated_products(const JournalContents& contents);
std::vector<ValidatedProduct> held_out_products(const JournalContents& contents);

// Returns why kernels of the finals may not be used: they failed in the finals, or later.
using FinalFailures = std::map<KernelId, std::string>;
FinalFailures failed_finalists(const JournalContents& contents);

// Keys of TimeAccount::by_activity_s.
inline constexpr const char* kOnRates = "micro-benchmarks";
inline constexpr const char* kOnBuiltIn = "the built-in kernels";
inline constexpr const char* kOnCandidates = "candidates";
inline constexpr const char* kOnPacks = "pack kernels";
inline constexpr const char* kOnFinals = "finals";
inline constexpr const char* kOnValidation = "validation";
inline constexpr const char* kOnNetworks = "networks";
inline constexpr const char* kActivities[] = {kOnRates,  kOnBuiltIn,    kOnCandidates, kOnPacks,
                                              kOnFinals, kOnValidation, kOnNetworks};

// Adds a line with its time to the contents. Both readers and writers of a journal use it.
void apply(JournalRecord record, double at_s, JournalContents& contents);
// Ends the last session because another one begins. If both boot ids are known and differ, every
// kernel that was being built or launched may have caused the reboot, and this is counted.
void end_session(const std::string& next_boot_id, JournalContents& contents);

// A journal cannot be read or written. what() names the file and, if there is one, the line.
class JournalError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Reads a whole journal. An incomplete last line is ignored: one without a line feed, or one that
// is not JSON. Throws JournalError for every other error.
JournalContents read_journal(const std::string& path);
// Returns false if there is no file, or if the file was cut off within its header. Then
// Journal::create() may be used, whereas read_journal() and Journal::open() would fail.
bool holds_journal(const std::string& path);
// Returns true if the file starts like a journal. Only read_journal() checks the rest.
bool looks_like_journal(const std::string& path);

// Returns the boot id of the running system, which changes with every reboot; "" if it is not
// known.
std::string boot_id();

// An open journal. It holds an exclusive lock on the file. Not thread-safe.
class Journal {
 public:
  // Creates a journal. Throws JournalError if the file exists, unless it contains nothing but an
  // incomplete header.
  static Journal create(const std::string& path, const JournalHeader& header);
  // Replaces the journal in a file, or creates one. Throws JournalError if another process is
  // writing to the file, or if the file is not a journal.
  static Journal replace(const std::string& path, const JournalHeader& header);
  // Opens a journal to continue it, and removes an incomplete last line. Throws JournalError if
  // another process has opened it (there is a lock on the file). Calls end_session() with the
  // boot id of the running system.
  static Journal open(const std::string& path, JournalContents& contents);
  Journal(Journal&& other) noexcept;
  Journal& operator=(Journal&& other) noexcept;
  ~Journal();

  // Appends a line with its line feed (format_line()) and syncs it to disk. Throws JournalError.
  void append(const std::string& line);

  const std::string& path() const { return path_; }

 private:
  explicit Journal(std::string path) : path_(std::move(path)) {}
  void open_locked(int flags);
  std::string read_all() const;
  void begin(const JournalHeader& header);

  std::string path_;
  int descriptor_ = -1;
};

}  // namespace tilewright
