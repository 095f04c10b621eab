// Adds the lines of a journal to its contents.
#include <algorithm>
#include <functional>
#include <iterator>
#include <string>
#include <utility>

#include "tuner/journal/journal.hpp"

namespace tilewright {
namespace {

// Counts the time since the line before for an activity; "": for none.
void spend(const std::string& activity, double at_s, JournalContents& contents) {
  double& all_s = contents.spent.all_s;
  const double before_s = std::exchange(all_s, std::max(all_s, at_s));
  if (!activity.empty()) contents.spent.by_activity_s[activity] += all_s - before_s;
}

// Every line but those of sessions and of the end shows that the tuning was continued.
void work(const std::string& activity, double at_s, JournalContents& contents) {
  contents.complete = false;
  spend(activity, at_s, contents);
}

std::string activity_name(const std::string& task) {
  if (task == kBuiltIn) return kOnBuiltIn;
  if (task == kPacking) return kOnPacks;
  if (task == kFinals) return kOnFinals;
  if (task == kFused) return kOnNetworks;
  if (task == kValidating) return kOnValidation;
  return kOnCandidates;
}

// Replaces the kernel by an equal one in the contents, if there is one.
void share(KernelId& kernel, JournalContents& contents) {
  if (!kernel.empty()) kernel = *contents.kernels.insert(kernel).first;
}

void share(Outcome& outcome, JournalContents& contents) {
  share(outcome.kernel, contents);
  share(outcome.reference, contents);
}

void add(Session session, double at_s, JournalContents& contents) {
  end_session(session.boot_id, contents);
  contents.sessions.push_back(std::move(session));
  spend("", at_s, contents);
}

void add(MeasuredRates rates, double at_s, JournalContents& contents) {
  contents.rates = std::move(rates);
  work(kOnRates, at_s, contents);
}

// These two lines have no time.
void add(const TrialStarted& started, double, JournalContents& contents) {
  contents.starts.start(started.what, started.kind);
  contents.complete = false;
}

void add(const TrialIdle& idle, double, JournalContents& contents) {
  contents.starts.idle(idle.what);
  contents.complete = false;
}

void add(Outcomes outcomes, double at_s, JournalContents& contents) {
  for (Outcome& outcome : outcomes) {
    share(outcome, contents);
    outcome.since_s = contents.spent.all_s;
    outcome.at_s = at_s;
    contents.starts.outcome(outcome.kernel);
    const bool alone = outcome.task == kPacking || outcome.task == kFinals;
    if (alone) contents.starts.came_back();
    // They add no kernel that could be chosen instead.
    if (outcome.task != kPacking && outcome.task != kFused)
      std::erase_if(contents.products, std::mem_fn(&ValidatedProduct::is_held_out));
    work(activity_name(outcome.task), at_s, contents);
    auto& list = outcome.task == kPacking  ? contents.packs
                 : outcome.task == kFinals ? contents.finals.outcomes
                                           : contents.outcomes;
    list.push_back(std::move(outcome));
  }
}

void add(Finalists finalists, double at_s, JournalContents& contents) {
  for (KernelId& kernel : finalists.kernels) share(kernel, contents);
  for (KernelId& kernel : finalists.baselines) share(kernel, contents);
  finalists.at_s = at_s;
  contents.finals = std::move(finalists);
  std::erase_if(contents.products, std::mem_fn(&ValidatedProduct::is_held_out));
  work(kOnFinals, at_s, contents);
}

void add(ValidatedProduct product, double at_s, JournalContents& contents) {
  for (Outcome& plan : product.plans) share(plan, contents);
  if (product.counts())
    std::erase_if(contents.products, std::mem_fn(&ValidatedProduct::is_held_out));
  contents.products.push_back(std::move(product));
  contents.starts.came_back();
  work(kOnValidation, at_s, contents);
}

void add(const TimeSpent& spent, double at_s, JournalContents& contents) {
  work(spent.activity, at_s, contents);
}

void add(const TuningFinished& finished, double at_s, JournalContents& contents) {
  contents.complete = finished.reached;
  spend("", at_s, contents);
}

}  // namespace

void apply(JournalRecord record, double at_s, JournalContents& contents) {
  std::visit([&](auto& each) { add(std::move(each), at_s, contents); }, record);
}

void end_session(const std::string& next_boot_id, JournalContents& contents) {
  const std::string before = contents.sessions.empty() ? "" : contents.sessions.back().boot_id;
  const bool known = !next_boot_id.empty() && !before.empty();
  contents.starts.end_of_session(known && next_boot_id != before);
}

std::vector<ValidatedProduct> validated_products(const JournalContents& contents) {
  std::vector<ValidatedProduct> products;
  std::ranges::copy_if(contents.products, std::back_inserter(products), &ValidatedProduct::counts);
  return products;
}

std::vector<ValidatedProduct> held_out_products(const JournalContents& contents) {
  std::vector<ValidatedProduct> products;
  std::ranges::copy_if(contents.products, std::back_inserter(products),
                       &ValidatedProduct::is_held_out);
  return products;
}

// A built-in kernel that fails on a random product stays, because the library has it in any case
// and should know its times.
FinalFailures failed_finalists(const JournalContents& contents) {
  FinalFailures failures;
  for (const Outcome& outcome : contents.finals.outcomes) {
    const auto failure = failure_of_finalist(outcome);
    if (failure) failures.emplace(outcome.kernel, *failure);
  }
  std::set<KernelId> built_in;
  for (const Outcome& outcome : contents.outcomes) {
    if (outcome.task == kBuiltIn) built_in.insert(outcome.kernel);
    if (!fails_later(outcome)) continue;
    if (outcome.task == kValidating && built_in.contains(outcome.kernel)) continue;
    if (std::ranges::count(contents.finals.kernels, outcome.kernel) == 0) continue;
    failures.emplace(outcome.kernel, *failure_of_finalist(outcome));
  }
  return failures;
}

}  // namespace tilewright
