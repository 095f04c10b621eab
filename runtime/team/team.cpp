#include "runtime/team/team.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <new>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <utility>

#include "runtime/call/gemm_problem.hpp"
#include "runtime/team/split.hpp"
#include "runtime/team/team_run.hpp"

namespace tilewright {
namespace {

// If there are more plans than this, all are forgotten.
constexpr std::size_t kMaxPlans = 1024;

// The exception that is being handled, as an Error.
Error current_error() noexcept {
  try {
    throw;
  } catch (const Error& error) {
    return error;
  } catch (const std::bad_alloc&) {
    return {TW_OUT_OF_MEMORY, "out of memory"};
  } catch (const std::length_error&) {  // a container that no memory could hold
    return {TW_OUT_OF_MEMORY, "out of memory"};
  } catch (const std::exception& error) {
    return {TW_INTERNAL, error.what()};
  } catch (...) {
    return {TW_INTERNAL, "internal error"};
  }
}

}  // namespace

void Team::Run::execute(const TeamMember& on) {
  const auto start = std::chrono::steady_clock::now();
  try {
    on.multiply(product);
  } catch (const ThreadExit&) {
    throw;
  } catch (...) {
    error = current_error();
  }
  seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

Team::Team(std::vector<std::shared_ptr<const TeamMember>> members, TeamOptions options)
    : members_(std::move(members)),
      options_(std::move(options)),
      drop_reasons_(members_.size()),
      skip_reasons_(members_.size()),
      num_skipped_(members_.size(), 0) {
  if (options_.profile) results_ = options_.profile->results;
}

const char* Team::drop_reason(std::size_t index) const {
  const std::lock_guard lock(mutex_);
  return drop_reasons_[index].empty() ? "" : drop_reasons_[index].c_str();
}

std::size_t Team::num_skipped(std::size_t index) const {
  const std::lock_guard lock(mutex_);
  return num_skipped_[index];
}

const char* Team::skip_reason(std::size_t index) const {
  const std::lock_guard lock(mutex_);
  return skip_reasons_[index].empty() ? "" : skip_reasons_[index].c_str();
}

void Team::note_failure(std::size_t member, const Error& error) {
  const std::lock_guard lock(mutex_);
  last_error_ = error;
  const bool lacks_memory = error.status() == TW_OUT_OF_MEMORY;
  if (lacks_memory) ++num_skipped_[member];
  std::string& reason = (lacks_memory ? skip_reasons_ : drop_reasons_)[member];
  if (reason.empty()) reason = fmt::format("{}: {}", members_[member]->name(), error.what());
}

Team::Indices Team::usable_members(ElementType type, cl_context context,
                                   const Indices& failed) const {
  const std::lock_guard lock(mutex_);
  Indices usable;
  bool is_supported = false;
  for (std::size_t i = 0; i < members_.size(); ++i) {
    const DeviceMember* device = members_[i]->device();
    if (context != nullptr && (device == nullptr || device->context() != context)) continue;
    if (!members_[i]->supports(type)) continue;
    is_supported = true;
    const bool has_failed = std::find(failed.begin(), failed.end(), i) != failed.end();
    if (drop_reasons_[i].empty() && !has_failed) usable.push_back(i);
  }
  if (!usable.empty()) return usable;
  if (is_supported && last_error_) {
    throw Error(last_error_->status(),
                fmt::format("all members of the team that support such a product failed, the last "
                            "one with: {}",
                            last_error_->what()),
                last_error_->opencl_code());
  }
  throw Error(TW_UNSUPPORTED_TYPE, fmt::format("no member of the team supports products{}",
                                               of_elements(element_precision(type))));
}

TeamPlan Team::fixed_plan(const GemmCall& call, const Indices& members) const {
  std::vector<double> shares;
  for (const std::size_t i : members) shares.push_back(options_.shares[i]);
  // Only members without a share are left.
  if (std::all_of(shares.begin(), shares.end(), [](double share) { return share <= 0.0; })) {
    shares.assign(shares.size(), 1.0);
  }
  TeamPlan plan;
  plan.axis = options_.axis.value_or(line_axis(call));
  const auto extent = static_cast<std::int64_t>(axis_extent(call, plan.axis));
  for (const std::int64_t part : split_by_shares(shares, extent)) plan.parts.push_back({part});
  return plan;
}

const TeamResult* Team::measured(const GemmCall& call) const {
  const auto extent = [](std::size_t value) { return static_cast<std::int64_t>(value); };
  return nearest_result(results_, call.type, {extent(call.m), extent(call.n), extent(call.k)});
}

Team::Work Team::plan(const GemmCall& call, Indices members, Use use) {
  if (!options_.shares.empty()) {
    TeamPlan plan = fixed_plan(call, members);
    return {std::move(members), std::move(plan)};
  }
  const ShapeKey key{call.type, call.order, call.trans_a,     call.trans_b,           call.m,
                     call.n,    call.k,     call.beta == 0.0, use == Use::kInBuffers, members};
  std::unique_lock lock(mutex_);
  if (const auto known = plans_.find(key); known != plans_.end()) {
    return {std::move(members), known->second};
  }
  if (use == Use::kInHostMemory && options_.measure && members.size() > 1) {
    lock.unlock();
    measure_once(call);
    lock.lock();
  }
  const TeamResult* const rates = measured(call);
  TeamPlan plan =
      plan_product({members_, members, use != Use::kInBuffers, options_.axis, rates}, call);
  // As long as members that are to be measured are not, the next product tries it again.
  const bool is_measured = rates != nullptr || !options_.measure || members.size() < 2;
  if (use == Use::kInBuffers || is_measured) {
    if (plans_.size() >= kMaxPlans) plans_.clear();
    plans_.emplace(key, plan);
  }
  return {std::move(members), std::move(plan)};
}

std::vector<Team::Run> Team::divide(const HostGemm& product, const TeamPlan& plan) {
  std::vector<Run> runs;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < plan.parts.size(); ++i) {
    const auto size = static_cast<std::size_t>(plan.parts[i].size);
    // Without any terms (k = 0), the first member scales C.
    const bool is_empty = size == 0 && !(i == 0 && axis_extent(product.call, plan.axis) == 0);
    if (is_empty) continue;
    Run run{i, part_product(product, {plan.axis, begin, size}), {}, 0.0, {}};
    if (plan.axis == SplitAxis::kK && !runs.empty()) {
      run.product.call.beta = 0.0;
      run.sum = make_partial_sum(run.product.call);
      run.product.c = run.sum->c;
    }
    runs.push_back(std::move(run));
    begin += size;
  }
  return runs;
}

namespace {

// Threads that are joined at the end of the scope, also if the caller's thread ends in it.
struct JoinedThreads : std::vector<std::thread> {
  ~JoinedThreads() {
    for (std::thread& thread : *this) thread.join();
  }
};

}  // namespace

// Each device has a thread, which waits for it. CBLAS runs on the caller's
// thread, to which its thread pool may belong.
void Team::execute(std::vector<Run>& runs, const Indices& members) const {
  const auto on = [&](const Run& run) -> const TeamMember& {
    return *members_[members[run.member]];
  };
  const auto host = std::find_if(runs.begin(), runs.end(),
                                 [&](const Run& run) { return on(run).device() == nullptr; });
  Run* const mine = host != runs.end() ? &*host : &runs.back();
  std::vector<Run*> here{mine};
  JoinedThreads threads;
  threads.reserve(runs.size());
  here.reserve(runs.size());
  for (Run& run : runs) {
    if (&run == mine) continue;
    try {
      threads.emplace_back([&on, &run] { run.execute(on(run)); });
    } catch (const std::exception&) {
      here.push_back(&run);  // no more threads, or no memory for one
    }
  }
  for (Run* run : here) run->execute(on(*run));
}

void Team::gemm(const HostGemm& product) {
  if (product.call.m == 0 || product.call.n == 0) return;
  gemm_without({}, product);
}

void Team::gemm_without(Indices failed, const HostGemm& product) {
  const Work work =
      plan(product.call, usable_members(product.call.type, nullptr, failed), Use::kInHostMemory);
  std::vector<Run> runs = divide(product, work.plan);
  execute(runs, work.members);
  for (const Run& run : runs) {
    if (!run.error) continue;
    failed.push_back(work.members[run.member]);
    note_failure(work.members[run.member], *run.error);
  }
  // The others compute what is missing. Each time, at least one member less is left.
  for (const Run& run : runs) {
    if (run.error) gemm_without(failed, run.product);
  }
  for (const Run& run : runs) {
    if (run.sum) add_partial_sum(run.product.call, *run.sum, product.c);
  }
}

std::string Team::explain(const GemmCall& call) {
  if (call.m == 0 || call.n == 0) return "nothing to do, because C is empty\n";
  const Work work = plan(call, usable_members(call.type, nullptr, {}), Use::kExplain);
  static constexpr const char* kAxes[] = {"rows of C", "columns of C", "steps of k"};
  const bool is_fixed = !options_.shares.empty();
  std::string text;
  for (std::size_t i = 0; i < members_.size(); ++i) {
    const auto used = std::find(work.members.begin(), work.members.end(), i);
    text += fmt::format("member {}, {}: ", i, members_[i]->name());
    if (used == work.members.end()) {
      const bool is_dropped = *drop_reason(i) != '\0';
      text += is_dropped ? "dropped\n" : "does not support the element type\n";
      continue;
    }
    const auto& part = work.plan.parts[static_cast<std::size_t>(used - work.members.begin())];
    text += fmt::format("{} of {} {}", part.size, axis_extent(call, work.plan.axis),
                        kAxes[static_cast<int>(work.plan.axis)]);
    if (!is_fixed) {
      text +=
          fmt::format(" in {:.4g} ms; alone {:.4g} ms, of which transfers {:.4g} ms",
                      1e3 * part.seconds, 1e3 * part.alone_seconds, 1e3 * part.transfer_seconds);
    }
    text += '\n';
  }
  if (is_fixed) return text + "the shares are fixed\n";
  const std::lock_guard lock(mutex_);
  const TeamResult* const rates = measured(call);
  text += fmt::format("predicted time of the product: {:.4g} ms, from ", 1e3 * work.plan.seconds);
  if (rates != nullptr) return text + fmt::format("rates measured at {}\n", to_text(rates->shape));
  const bool will_measure = options_.measure && work.members.size() > 1;
  return text + (will_measure ? "profiles; the next product measures the members first\n"
                              : "profiles without measured rates\n");
}

}  // namespace tilewright
