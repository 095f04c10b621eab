// Adds the lines of a journal to its contents.
#include <algorithm>
#include <string>
#include <utility>

#include "tuner/journal/journal.hpp"

namespace tilewright {
namespace {

class Applier {
 public:
  Applier(JournalContents& contents, double at_s) : contents_(contents), at_s_(at_s) {}

  void operator()(Session session) {
    end_session(session.boot_id, contents_);
    contents_.sessions.push_back(std::move(session));
  }
  void operator()(DeviceRates rates) { contents_.rates = std::move(rates); }
  void operator()(const TrialStarted& starting) {
    contents_.starts.start(starting.what, starting.kind);
  }
  void operator()(const TrialIdle& idle) { contents_.starts.idle(idle.what); }
  void operator()(Outcome outcome) {
    share(outcome.kernel);
    share(outcome.reference);
    contents_.starts.outcome(outcome.kernel);
    contents_.outcomes_since_s.push_back(contents_.spent_s);
    contents_.spent_s = std::max(contents_.spent_s, outcome.at_s);
    contents_.outcomes.push_back(std::move(outcome));
    leave_finals(contents_.outcomes.back());
  }
  void operator()(PackOutcome pack) {
    share(pack.reply.kernel);
    contents_.packs.push_back(std::move(pack));
    contents_.starts.came_back();
  }
  void operator()(Lineup lineup) {
    for (KernelId& kernel : lineup.finalists) share(kernel);
    contents_.lineup = std::move(lineup);
    contents_.lineup_at_s = at_s_;
    contents_.outcomes_before_lineup = contents_.outcomes.size();
    contents_.rounds.clear();
    contents_.finalist_failures.clear();
  }
  void operator()(Round round) {
    contents_.finalist_failures.merge(std::exchange(round.failures, {}));
    contents_.rounds.push_back(std::move(round));
    contents_.starts.came_back();
  }
  void operator()(ValidatedProduct product) {
    for (ValidatedPlan& plan : product.plans) share(plan.kernel);
    auto& products = product.plans.empty() ? contents_.unmeasured
                     : product.held_out    ? contents_.held_out
                                           : contents_.validated;
    products.push_back(std::move(product));
    contents_.starts.came_back();
  }
  void operator()(const TimeSpent&) {}
  void operator()(const TuningFinished& complete) { contents_.complete = complete.reached; }

 private:
  // A kernel that fails after it was a finalist is not chosen. A built-in kernel that fails on a
  // random product stays, because the library has it in any case and should know its times.
  void leave_finals(const Outcome& failed) {
    if (!contents_.lineup || failed_later({failed}).empty()) return;
    const auto is_baseline = [&](const Outcome& other) {
      return other.task == kBuiltIn && other.kernel == failed.kernel;
    };
    const std::vector<Outcome>& outcomes = contents_.outcomes;
    if (failed.task == kValidating && std::any_of(outcomes.begin(), outcomes.end(), is_baseline)) {
      return;
    }
    const std::vector<KernelId>& finalists = contents_.lineup->finalists;
    const auto found = std::find(finalists.begin(), finalists.end(), failed.kernel);
    if (found == finalists.end()) return;
    contents_.finalist_failures.emplace(found - finalists.begin(),
                                        std::string(to_text(failed.result)) + ": " + failed.reason);
  }
  // Replaces the kernel by an equal one in the contents, if there is one.
  void share(KernelId& kernel) {
    if (!kernel.empty()) kernel = *contents_.kernels.insert(kernel).first;
  }

  JournalContents& contents_;
  double at_s_;
};

std::string activity_name(const Outcome& outcome) {
  if (outcome.task == kBuiltIn) return kOnBuiltIn;
  if (outcome.task == kPacking) return kOnPacks;
  if (outcome.task == kFused) return kOnNetworks;
  if (outcome.task == kValidating) return kOnValidation;
  return kOnCandidates;
}

// Returns the activity that took the time between the previous line and this one; "" if it has no
// name.
std::string activity_before(const JournalLine::What& what) {
  if (const auto* outcome = std::get_if<Outcome>(&what)) return activity_name(*outcome);
  if (std::holds_alternative<DeviceRates>(what)) return kOnRates;
  if (std::holds_alternative<PackOutcome>(what)) return kOnPacks;
  if (std::holds_alternative<ValidatedProduct>(what)) return kOnValidation;
  if (const auto* spent = std::get_if<TimeSpent>(&what)) return spent->activity;
  const bool is_final = std::holds_alternative<Lineup>(what) || std::holds_alternative<Round>(what);
  return is_final ? kOnFinals : "";
}

// May other kernels be chosen after it?
bool changes_choice(const JournalLine::What& what) {
  if (const auto* product = std::get_if<ValidatedProduct>(&what)) {
    return !product->held_out && !product->plans.empty();
  }
  if (const auto* outcome = std::get_if<Outcome>(&what)) return outcome->task != kFused;
  return std::holds_alternative<Lineup>(what) || std::holds_alternative<Round>(what);
}

// Returns false for lines which show that the tuning was continued.
bool may_follow_the_end(const JournalLine& line) {
  return std::holds_alternative<Session>(line.what) ||
         std::holds_alternative<TuningFinished>(line.what);
}

}  // namespace

void apply(JournalLine line, JournalContents& contents) {
  if (!may_follow_the_end(line)) contents.complete = false;
  if (std::holds_alternative<DeviceRates>(line.what)) contents.partial_rates = line.partial;
  if (changes_choice(line.what)) contents.held_out.clear();
  const std::string activity = activity_before(line.what);
  const double before_s = contents.spent_s;
  std::visit(Applier(contents, line.at_s), std::move(line.what));
  contents.spent_s = std::max(contents.spent_s, line.at_s);
  if (!activity.empty()) contents.spent_on_s[activity] += contents.spent_s - before_s;
}

void end_session(const std::string& next_boot_id, JournalContents& contents) {
  const std::string before = contents.sessions.empty() ? "" : contents.sessions.back().boot_id;
  const bool known = !next_boot_id.empty() && !before.empty();
  contents.starts.end_of_session(known && next_boot_id != before);
}

}  // namespace tilewright
