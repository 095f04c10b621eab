// Chooses the fastest of several ways to compute a product, from predicted and measured times.
// Makes no measurements.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace tilewright {

// The way of one call.
struct Choice {
  std::size_t way = 0;
  std::int64_t call = 0;  // number of the call among those of its shape, from 1
  bool is_retry = false;  // a call of a way that is not used
};

// The ways to compute the products of one shape: all members together, or one member alone. So
// there is one way more than members.
//
// Trials: each way that is predicted to take at most 1.5 times as long as the best one, multiplied
// by the number of members, is tried. Of N equal members that cost each other nothing, each one
// alone takes N times as long as all together, and only a measurement shows what they cost each
// other. The first call of a way is a warm-up, whose time does not count, because it may compile
// kernels. If the second call takes more than 1.5 times as long as the best way, that is all;
// otherwise there is a third. Then the fastest way is used. Its later times are averaged, so
// another way replaces it if it becomes slower.
//
// Retries: other programs may have disturbed the trials. So a way that is not used gets two more
// calls (a retry) when 128 x (number of members) x (its time / best time) calls of this shape have
// passed since its last call. The first one is a warm-up; the time of the second one replaces the
// known time. The wait doubles after each retry. So retries are less than 1/64 of the calls, and
// take less than 1/64 of the time as long as the times of the ways do not change.
class MeasuredChoice {
 public:
  // `expected`: predicted seconds of each way; at least one.
  explicit MeasuredChoice(const std::vector<double>& expected);

  // The way whose turn it is, retries aside.
  std::size_t current() const;
  // The way that the next call must use. No two calls at the same time retry the same way.
  Choice next();
  // Replaces the prediction of a way that has no measured time.
  void expect(std::size_t way, double seconds);
  // Returns false if the time does not count because the call was a warm-up, or had begun before
  // the end of it. A call that had begun before the way changed, or before a retry, is no warm-up.
  bool record(const Choice& choice, double seconds);
  // Records a call in which a member failed. The first failure of a way in 16 calls is forgiven,
  // because its time is mostly that of the recovery, and so are failures of calls that had begun
  // before it. The time of another failure counts. In a retry, each failure counts and ends it.
  void record_failure(const Choice& choice, double seconds);
  // The way has changed: its next call is a warm-up.
  void warm_up(std::size_t way);
  // The way has changed: forgets its times, so that it is tried again.
  void restart(std::size_t way);

 private:
  struct Way {
    double expected = 0.0;
    double measured = 0.0;  // seconds; 0: none
    int num_counted = 0;    // calls whose time counts
    // Calls up to this one are ignored: they had begun before the way changed, or before its retry.
    std::int64_t ignored_until = 0;
    // Calls after this one count; nullopt: the next call is a warm-up.
    std::optional<std::int64_t> warm_since;
    bool is_half_retried = false;  // the warm-up of a retry is over
    int num_retries = 0;
    std::int64_t last_call = 0;
    std::int64_t forgiven_until = 0;  // failures of calls up to this one are forgiven
    std::int64_t may_fail_after = 0;  // the first failure of calls after this one is forgiven
  };
  static double known_seconds(const Way& way) {
    return way.measured > 0.0 ? way.measured : way.expected;
  }
  std::size_t num_members() const { return ways_.size() - 1; }
  std::size_t fastest() const;
  bool is_due(const Way& way) const;
  void count(const Choice& choice, double seconds);

  std::vector<Way> ways_;
  std::int64_t num_calls_ = 0;  // that have begun
};

}  // namespace tilewright
