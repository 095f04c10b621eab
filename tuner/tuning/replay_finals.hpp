// What would a tuning have chosen, had its search found these candidates?
//
// Pure. Statistics and selection are those of a tuning; its line-up are the first 24 finalists, as
// if there were no time for more (starting points whatever their place). What a sweep measures is
// drawn from what the journal holds: times of finalists from their recorded samples, which are
// corrected by the machine's pace, and the machine's pace, before and after each sweep, from the
// recorded times of the drift reference. So the same final is held again, on a machine that moves
// as it did.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tuner/records/journal.hpp"

namespace tilewright {

// The samples of a journal, to be drawn from.
class RecordedSamples {
 public:
  explicit RecordedSamples(const JournalContents& journal);

  // A time of a finalist on a shape in ns, without the machine's pace: of the recorded finals, else
  // of the search; of an auxiliary that never raced, at the rate of its trial, else of a copy.
  // nullopt: it never ran there.
  std::optional<double> draw(const Finalist& finalist, const GemmShape& shape,
                             std::mt19937_64& random) const;
  // The machine's pace at two moments in a row: times of the reference over its known time.
  std::pair<double, double> draw_paces(const GemmShape& shape, std::mt19937_64& random) const;

 private:
  struct OfShape {
    GemmShape shape;
    std::map<std::string, std::vector<double>> products;  // by point
    std::map<Finalist, std::vector<double>> auxiliaries;  // by work_of()
    std::vector<std::pair<double, double>> paces;
  };
  OfShape& on(const GemmShape& shape);
  const OfShape* find(const GemmShape& shape) const;
  void add_search(const JournalContents& journal);
  void add_finals(const JournalContents& journal);

  std::vector<OfShape> shapes_;
  std::map<std::string, double> auxiliary_rates_;  // ns per element, by point
  double usual_rate_ = 1.0;                        // likewise, of those that were never tried
};

// A search that has ended: what it found of a journal's candidates.
struct ReplayedSearch {
  std::vector<Op> ops;            // that it was for
  std::vector<GemmShape> shapes;  // of the finals
  std::vector<const Outcome*> found;
};

struct ReplayedChoice {
  struct Problem {
    Op op;
    GemmShape shape;
    std::string kernel;  // point of the kernel that serves it; "": none does
  };
  std::vector<Problem> problems;
  int kernels = 0;  // in the profile
};

// Holds the finals and chooses. `seed`: of what is drawn.
ReplayedChoice replay_finals(const JournalContents& journal, const RecordedSamples& samples,
                             const ReplayedSearch& search, std::uint64_t seed);

}  // namespace tilewright
