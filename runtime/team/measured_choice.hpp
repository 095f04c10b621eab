// Chooses the fastest of several ways to compute a product, from predicted and measured times.
// Makes no measurements.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tilewright {

// The ways to compute the products of one shape: all members together, or one member alone.
//
// Each way that is predicted to take at most 1.5 times as long as the best one, multiplied by the
// number of members, is tried: of N equal members that cost each other nothing, each one alone
// takes N times as long as all together, and only a measurement shows what they cost each other.
// The first run does not count, because it may compile kernels. If the second one takes more
// than 1.5 times as long as the best way, that is all; otherwise there is a third. Then the fastest
// is used. Later times of the way that is used are averaged, so another one replaces it if it
// becomes slower.
//
// What was measured may have been due to other programs, so one call tries a way that is not used
// again after 64 calls, multiplied by the number of other ways and by its time relative to that of
// the best one; the next time after twice as many calls, and so on. So all retries together take
// less than 1/64 of the calls and of the time. A way that takes more than ten times as long as the
// best one is not tried again. The new time replaces the known one.
class MeasuredChoice {
 public:
  // `expected`: predicted seconds of each way; at least one.
  explicit MeasuredChoice(std::vector<double> expected);

  // The way that the next call should use.
  std::size_t next() const;
  // Replaces the prediction of a way that has no measured time.
  void expect(std::size_t way, double seconds);
  void record(std::size_t way, double seconds);
  // Forgets the times of a way that has changed, so that it is tried again.
  void restart(std::size_t way);

 private:
  struct Way {
    double expected = 0.0;
    double measured = 0.0;  // seconds; 0: none
    int runs = 0;
    int retries = 0;
    std::int64_t last_call = 0;  // number of its last call
  };
  static double known_seconds(const Way& way) {
    return way.measured > 0.0 ? way.measured : way.expected;
  }
  bool is_tried(std::size_t way) const;
  bool is_due_again(std::size_t way) const;
  std::size_t fastest() const;

  std::vector<Way> ways_;
  std::int64_t num_calls_ = 0;  // that were recorded
};

}  // namespace tilewright
