// What does a person see while a tuning runs?
#pragma once

#include <chrono>
#include <string>

#include "tuner/tuning.hpp"

namespace tilewright {

// Writes to standard error: one live line on a terminal, else only a line for each winner and for
// failures.
class TuneProgress : public TuneObserver {
 public:
  TuneProgress();

  void candidate(const State& state) override;
  void finals(Op op, std::size_t finalists) override;
  void winner(Op op, const GemmShape& shape, const ShapeResult& result) override;
  void note(const std::string& text) override { line(text); }
  void failures(Op op, const std::map<Stage, std::pair<int, std::string>>& failures) override;

 private:
  void live(const std::string& text);
  void line(const std::string& text);

  bool terminal_;
  std::size_t shown_ = 0;  // characters of the live line
  std::chrono::steady_clock::time_point last_;
};

}  // namespace tilewright
