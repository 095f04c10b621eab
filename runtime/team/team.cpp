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
#include "runtime/call/thread_exit.hpp"

namespace tilewright {
namespace {

using Clock = std::chrono::steady_clock;

// More shapes than this are forgotten, all at once.
constexpr std::size_t kMaxShapes = 1024;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

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

struct Team::Run {
  std::size_t member = 0;  // index in Work::members
  HostGemm product;
  std::optional<PartialSum> sum;  // of a part of k that is not the first one
  double seconds = 0.0;           // from the start of the call to the end of the part
  std::optional<Error> error;

  void execute(const TeamMember& on, Clock::time_point start) {
    try {
      on.multiply(product);
    } catch (const ThreadExit&) {
      throw;
    } catch (...) {
      error = current_error();
    }
    seconds = seconds_since(start);
  }
};

Team::Team(std::vector<std::shared_ptr<const TeamMember>> members, TeamOptions options)
    : members_(std::move(members)),
      options_(std::move(options)),
      drop_reasons_(members_.size()),
      skip_reasons_(members_.size()),
      num_skipped_(members_.size(), 0) {}

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

Division Team::fixed_division(const GemmCall& call, const Indices& members) const {
  std::vector<double> shares;
  for (const std::size_t i : members) shares.push_back(options_.shares[i]);
  // Only members without a share are left.
  if (std::all_of(shares.begin(), shares.end(), [](double share) { return share <= 0.0; })) {
    shares.assign(shares.size(), 1.0);
  }
  const SplitAxis axis = options_.axis.value_or(line_axis(call));
  const auto extent = static_cast<std::int64_t>(axis_extent(call, axis));
  return {{}, axis, split_by_shares(shares, extent)};
}

// The mutex must be locked.
std::shared_ptr<AdaptiveSplit> Team::known_split(const GemmCall& call, const Indices& members,
                                                 bool in_host_memory) {
  ShapeKey key{call.type, call.order, call.trans_a,     call.trans_b,   call.m,
               call.n,    call.k,     call.beta == 0.0, in_host_memory, members};
  if (const auto known = splits_.find(key); known != splits_.end()) return known->second;
  ShapeBasis basis;
  std::vector<double>& scales = scales_[call.type];
  scales.resize(members_.size(), 1.0);
  for (const std::size_t i : members) {
    basis.members.push_back(members_[i].get());
    basis.scales.push_back(scales[i]);
  }
  basis.in_host_memory = in_host_memory;
  basis.axis = options_.axis;
  if (splits_.size() >= kMaxShapes) splits_.clear();
  auto split = std::make_shared<AdaptiveSplit>(new_split(call, basis, members));
  return splits_.emplace(std::move(key), std::move(split)).first->second;
}

namespace {

// What a product takes longer than its parts: starting the members, waiting for all of them, and
// mapping the results. It is assumed not to grow with the product, but to shrink with it.
double measured_overhead(const TeamResult& measured, double gflop) {
  if (measured.team_gflops <= 0.0) return 0.0;
  const auto& rates = measured.together_gflops;
  const double sum = std::accumulate(rates.begin(), rates.end(), 0.0);
  const GemmShape& shape = measured.shape;
  const double measured_gflop = num_gflop({.m = static_cast<std::size_t>(shape.m),
                                           .n = static_cast<std::size_t>(shape.n),
                                           .k = static_cast<std::size_t>(shape.k),
                                           .type = measured.type});
  const double seconds = measured_gflop / measured.team_gflops - measured_gflop / sum;
  return std::max(0.0, seconds) * std::min(1.0, gflop / measured_gflop);
}

}  // namespace

AdaptiveSplit Team::new_split(const GemmCall& call, const ShapeBasis& basis,
                              const Indices& members) const {
  ShapeCurves shape = plan_shape(basis, call);
  const GemmShape extents{static_cast<std::int64_t>(call.m), static_cast<std::int64_t>(call.n),
                          static_cast<std::int64_t>(call.k)};
  const TeamResult* measured =
      options_.profile ? nearest_result(*options_.profile, call.type, extents) : nullptr;
  if (measured == nullptr) return {std::move(shape), basis.scales};
  // The measured rates replace the predicted ones; the curves show how times depend on the parts.
  const double gflop = num_gflop(call);
  std::vector<double> scales;
  std::vector<double> alone_ratios;
  for (std::size_t i = 0; i < members.size(); ++i) {
    const double together = measured->together_gflops[members[i]];
    const double predicted = shape.curves[i].seconds(shape.extent);
    scales.push_back(predicted > 0.0 ? gflop / together / predicted : 1.0);
    alone_ratios.push_back(together / measured->alone_gflops[members[i]]);
  }
  // The team was measured with all members.
  const double overhead =
      members.size() == members_.size() ? measured_overhead(*measured, gflop) : 0.0;
  return {std::move(shape), std::move(scales), std::move(alone_ratios), overhead};
}

Team::Work Team::plan(const GemmCall& call, Indices members, Use use) {
  if (!options_.shares.empty()) {
    Division division = fixed_division(call, members);
    return {std::move(members), std::move(division), nullptr};
  }
  const std::lock_guard lock(mutex_);
  const bool in_host_memory = use != Use::kInBuffers;
  std::shared_ptr<AdaptiveSplit> split = known_split(call, members, in_host_memory);
  const bool is_measured = options_.adapt && in_host_memory;
  Division division = !is_measured           ? split->best_predicted()
                      : use == Use::kExplain ? split->current()
                                             : split->next();
  return {std::move(members), std::move(division), std::move(split)};
}

void Team::record(ElementType type, const Work& work, const std::vector<Run>& runs, double total) {
  if (!work.split || !options_.adapt) return;
  std::vector<double> seconds(work.members.size(), 0.0);
  for (const Run& run : runs) seconds[run.member] = run.seconds;
  const auto has_failed = [](const Run& run) { return run.error.has_value(); };
  if (std::any_of(runs.begin(), runs.end(), has_failed)) seconds.clear();
  const std::lock_guard lock(mutex_);
  // Otherwise another shape may have learned newer scales meanwhile.
  if (!work.split->record(work.division, seconds, total)) return;
  for (std::size_t i = 0; i < work.members.size(); ++i) {
    scales_[type][work.members[i]] = work.split->scales()[i];
  }
}

std::vector<Team::Run> Team::divide(const HostGemm& product, const Division& division) {
  std::vector<Run> runs;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < division.parts.size(); ++i) {
    const auto size = static_cast<std::size_t>(division.parts[i]);
    // Without any terms (k = 0), the first member scales C.
    const bool is_empty = size == 0 && !(i == 0 && axis_extent(product.call, division.axis) == 0);
    if (is_empty) continue;
    Run run{i, part_product(product, {division.axis, begin, size}), {}, 0.0, {}};
    if (division.axis == SplitAxis::kK && !runs.empty()) {
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

// Each device has a thread, which waits for it and notes its time. CBLAS runs on the caller's
// thread, to which its thread pool may belong.
void Team::execute(std::vector<Run>& runs, const Indices& members) const {
  const Clock::time_point start = Clock::now();
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
      threads.emplace_back([&on, &run, start] { run.execute(on(run), start); });
    } catch (const std::exception&) {
      here.push_back(&run);  // no more threads, or no memory for one
    }
  }
  for (Run* run : here) run->execute(on(*run), start);
}

void Team::gemm(const HostGemm& product) {
  if (product.call.m == 0 || product.call.n == 0) return;
  gemm_without({}, product);
}

void Team::gemm_without(Indices failed, const HostGemm& product) {
  const Work work =
      plan(product.call, usable_members(product.call.type, nullptr, failed), Use::kInHostMemory);
  std::vector<Run> runs = divide(product, work.division);
  const Clock::time_point start = Clock::now();
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
  // The time includes what others computed in place of members that failed.
  record(product.call.type, work, runs, seconds_since(start));
}

std::string Team::explain(const GemmCall& call) {
  if (call.m == 0 || call.n == 0) return "nothing to do, because C is empty\n";
  const Work work = plan(call, usable_members(call.type, nullptr, {}), Use::kExplain);
  static constexpr const char* kAxes[] = {"rows of C", "columns of C", "steps of k"};
  std::string text;
  for (std::size_t i = 0; i < members_.size(); ++i) {
    const auto used = std::find(work.members.begin(), work.members.end(), i);
    text += fmt::format("member {}, {}: ", i, members_[i]->name());
    if (used == work.members.end()) {
      const bool is_dropped = *drop_reason(i) != '\0';
      text += is_dropped ? "dropped" : "does not support the element type";
    } else {
      const auto part = work.division.parts[static_cast<std::size_t>(used - work.members.begin())];
      text += fmt::format("{} of {} {}", part, axis_extent(call, work.division.axis),
                          kAxes[static_cast<int>(work.division.axis)]);
    }
    text += '\n';
  }
  return text;
}

}  // namespace tilewright
