// What does a person see while a tuning runs, and at its end?
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <utility>

#include "tuner/doctor/finding.hpp"
#include "tuner/records/journal.hpp"
#include "tuner/terminal/live_lines.hpp"
#include "tuner/tuning/tuning.hpp"

namespace tilewright {

// Writes to standard error: on a terminal a line and a table of the best so far, which change in
// place; else a line a minute.
class TuneProgress : public TuneObserver {
 public:
  TuneProgress();
  // What the doctor found (this_machine.hpp): told first, as far as it concerns the device.
  void findings(Findings found) { findings_ = std::move(found); }
  using Now = std::function<std::chrono::steady_clock::time_point()>;
  // Writes elsewhere.
  TuneProgress(std::function<void(const std::string&)> write, bool terminal,
               Now now = std::chrono::steady_clock::now)
      : write_(write),
        live_(std::move(write)),
        terminal_(terminal),
        now_(std::move(now)),
        last_(now_()) {}

  void begin(const DeviceInfo& device, const std::string& journal, std::size_t resumed) override;
  void rates(const DeviceRates& rates, Precision precision, bool partial) override;
  void candidate(const State& state) override;
  void finals(const FinalsProgress& progress, double left_s) override;
  void working(double left_s) override;
  void note(const std::string& text) override { line(text); }
  // Winners, the portfolio's curve, what was not tuned, what the search's time went into, and
  // failures().
  void summary(const JournalContents& contents, const Profile& profile, const SearchTime& search);
  // What failed, with an example of each class.
  void failures(const JournalContents& contents);

 private:
  bool is_due(const std::string& phase);
  void show(const std::string& text, bool due);
  void line(const std::string& text);

  std::function<void(const std::string&)> write_;
  LiveLines live_;
  bool terminal_;
  Now now_;
  Findings findings_;
  std::string phase_;               // of the last line
  std::string done_;                // for a line a minute: what the last stage that counts did
  std::string found_;               // the best, and failures, so far
  std::vector<std::string> table_;  // on a terminal: the best by op and shape
  std::chrono::steady_clock::time_point finals_begin_;
  double finals_begin_share_ = 0.0;  // of their time that was over before
  std::chrono::steady_clock::time_point last_;
};

}  // namespace tilewright
