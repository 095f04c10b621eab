#include "tuner/tuning/stages/search_stage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "tuner/journal/records/shapes.hpp"
#include "tuner/tuning/stages/before_search.hpp"
#include "tuner/tuning/stages/search_run.hpp"
#include "tuner/tuning/time_division.hpp"

namespace tilewright {
namespace {

// True for the search of kernels that read both operands in place, whatever their shapes.
bool is_search_of_op(const SearchTask& task) {
  return task.name == to_text(task.ops.front());
}

}  // namespace

SearchProgress SearchStage::progress_in(const SearchTask& current) const {
  SearchProgress progress{current.name};
  double spent_s = 0.0;
  for (const SearchTask& task : tasks_) {
    progress.tried += context_.journal.tried_in(task.name);
    spent_s += context_.journal.spent_in(task.name);
  }
  if (context_.options.candidates > 0) {
    progress.expected = context_.options.candidates;
  } else if (progress.tried > 0 && spent_s > 0.0) {
    const double search_left_s = std::max(0.0, end_s_ - context_.journal.now_s());
    progress.expected = progress.tried * (1.0 + search_left_s / spent_s);
  }
  return progress;
}

double SearchStage::left_s(const SearchProgress& progress) const {
  if (context_.options.candidates == 0 || progress.tried == 0) return context_.left_s();
  double spent_s = 0.0;
  for (const SearchTask& task : tasks_) spent_s += context_.journal.spent_in(task.name);
  return std::min(context_.left_s(),
                  spent_s / progress.tried * (progress.expected - progress.tried));
}

// Time that earlier searches did not use goes to this one and those after it.
double SearchStage::share_s(std::size_t index) const {
  double spent_from_here = 0.0;
  double weight_from_here = 0.0;
  for (std::size_t i = index; i < tasks_.size(); ++i) {
    spent_from_here += context_.journal.spent_in(tasks_[i].name);
    weight_from_here += weights_[i];
  }
  return share_of_space_s(
      {end_s_ - context_.journal.now_s(), spent_from_here, weights_[index], weight_from_here});
}

bool SearchStage::lacks_candidate(const SearchTask& task) const {
  return context_.journal.tried_in(task.name) == 0 && used_up_.count(task.name) == 0;
}

bool SearchStage::lacks_candidates() const {
  return std::any_of(tasks_.begin(), tasks_.end(), [&](const SearchTask& task) {
    return is_search_of_op(task) && lacks_candidate(task);
  });
}

bool SearchStage::search(std::size_t index, double until_s, int most) {
  const SearchTask& task = tasks_[index];
  SearchSetup setup = task.setup(context_.options, context_.worker.facts(), share_s(index), most);
  setup.rates = rates();
  const std::unique_ptr<SearchStrategy> strategy = make_strategy(*task.space, setup);
  SearchRun search(context_, compilers_, *strategy,
                   screening_costs(task.ops, task.shapes, rates(), {}, context_.options.b_prepacked,
                                   context_.worker.facts().identity.compute_units),
                   task.name);
  const auto report = [&](const Outcome& outcome) {
    context_.progress.outcome(outcome);
    const SearchProgress progress = progress_in(task);
    context_.progress.search(progress, left_s(progress));
  };
  const SearchRun::End end = search.run(until_s, most, report);
  // A search that ends after its first candidate has others.
  const bool is_limited =
      context_.options.candidates == 0 && context_.journal.tried_in(task.name) >= most;
  if (end == SearchRun::End::kExhausted && !is_limited) used_up_.insert(task.name);
  return end != SearchRun::End::kStopped;
}

bool SearchStage::try_first(std::size_t index, double until_s) {
  if (context_.options.candidates > 0 || !lacks_candidate(tasks_[index])) return true;
  return context_.journal.now_s() >= until_s || search(index, until_s, 1);
}

bool SearchStage::try_each_op(double end_s) {
  end_s_ = end_s;
  for (std::size_t i = 0; i < tasks_.size(); ++i) {
    if (is_search_of_op(tasks_[i]) && !try_first(i, end_s)) return false;
  }
  return true;
}

void SearchStage::require_candidates() const {
  const bool tried = std::any_of(tasks_.begin(), tasks_.end(), [&](const SearchTask& task) {
    return context_.journal.tried_in(task.name) > 0;
  });
  if (!tried && lacks_candidates()) throw NothingTried("finishing a candidate");
}

bool SearchStage::run(double end_s) {
  end_s_ = end_s;
  int tried_before = 0;
  for (std::size_t i = 0; i < tasks_.size(); ++i) {
    const std::string& name = tasks_[i].name;
    if (!try_first(i, end_s)) return false;
    const double left_s = share_s(i) - context_.journal.spent_in(name);
    if (left_s > 0.0 || context_.journal.tried_in(name) == 0) {
      const int most = max_candidates(context_.options, tasks_, i, tried_before);
      if (!search(i, context_.journal.now_s() + left_s, most)) return false;
    }
    tried_before += context_.journal.tried_in(name);
  }
  check_known();
  return true;
}

// Throws if only known points were to be tried and there are none. Otherwise the profile would
// contain only built-in kernels, as if these had won.
void SearchStage::check_known() const {
  if (!context_.options.known_only || context_.options.joins) return;
  for (const Op op : context_.options.ops) {
    const bool is_possible = std::any_of(tasks_.begin(), tasks_.end(), [&](const SearchTask& task) {
      return std::count(task.ops.begin(), task.ops.end(), op) > 0 &&
             (context_.journal.tried_in(task.name) > 0 || used_up_.count(task.name) == 0);
    });
    if (is_possible) continue;
    throw NoUsableKernel(
        fmt::format("no known kernel for {} is in the search space; name profiles (--warm-start), "
                    "remove --only, or search (--strategy auto)",
                    to_text(op)));
  }
}

std::vector<std::string> SearchStage::missing() const {
  std::vector<std::string> missing;
  if (!unmeasured_built_in(context_.journal.contents()).empty())
    missing.push_back("the built-in kernels");
  for (const SearchTask& task : tasks_) {
    if (lacks_candidate(task)) missing.push_back("the search for " + task.name);
  }
  return missing;
}

}  // namespace tilewright
