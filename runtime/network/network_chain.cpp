#include "runtime/network/network_chain.hpp"

#include <algorithm>
#include <utility>

#include "profiles/round_up.hpp"
#include "runtime/network/network_weights.hpp"
#include "runtime/plan/layer_kernels.hpp"

namespace tilewright {
namespace {

std::int64_t whole(std::int64_t elements) {
  return static_cast<std::int64_t>(whole_vectors(static_cast<std::size_t>(elements)));
}

bool is_product(const ChainPart& part) {
  return part.kind == ChainPart::Kind::kProduct;
}

// Does the part write its result over its input?
bool is_in_place(const ChainPart& part) {
  return part.from == part.to;
}

// The leading dimension of a batch between parts. 0 for layouts that are not plain: no kernel
// requires an alignment of theirs.
std::size_t planned_ld(const BatchFormat& format, std::int64_t batch) {
  if (!format.layout.is_plain()) return 0;
  return static_cast<std::size_t>(whole(format.layout == Layout::R() ? format.columns : batch));
}

// Matrices between parts are allocated with padding, unlike the caller's matrices.
PaddedOperands make_padded_operands(const ChainPart& part, const BatchFormat& from,
                                    const BatchFormat& to) {
  PaddedOperands padded_operands{
      std::nullopt, std::nullopt, {whole(part.inputs), whole(part.outputs)}};
  if (part.from != NetworkPlace::kInput) padded_operands.a = from.layout;
  if (part.to != NetworkPlace::kOutput) padded_operands.c = to.layout;
  return padded_operands;
}

Extents widened(const Extents& a, const Extents& b) {
  return {std::max(a.rows, b.rows), std::max(a.columns, b.columns)};
}

// The extents of C or A that a product's kernels access without packing or unpacking.
Extents touched_c(const GemmPlan& plan, const Layout& layout) {
  if (plan.kernel().layout_c != layout) return {};
  const Storage storage = storage_c(plan.kernel(), plan.shape);
  return {storage.rows, storage.columns};
}

Extents touched_a(const GemmPlan& plan) {
  if (!plan.choices[CallStep::kPackA].empty()) return {};
  const Storage storage = storage_a(plan.kernel(), plan.shape);
  return {storage.rows, storage.columns};
}

Storage make_storage(const Layout& layout, const Extents& least, Precision precision) {
  const std::int64_t rows = round_up(least.rows, layout.chunk_rows());
  const std::int64_t columns = round_up(least.columns, layout.chunk_columns());
  std::int64_t ld = layout.min_ld(rows, columns);
  if (layout.is_plain()) ld = whole(ld);
  // In plain layouts the last row or column has full length, too.
  const std::uint64_t elements = counted_elements(layout, layout == Layout::C() ? ld : rows,
                                                  layout == Layout::R() ? ld : columns, ld);
  // Activations that run along memory process whole rows of kMemoryRow elements.
  const std::uint64_t row = layout == Layout::R() ? 1 : kMemoryRow;
  const std::uint64_t whole_rows = round_up(elements, row);
  return {layout,
          false,
          rows,
          columns,
          static_cast<std::size_t>(ld),
          static_cast<std::size_t>(std::min<std::uint64_t>(whole_rows, kMaxElements)),
          precision};
}

// Compared in this order: the number of products without a measured kernel, then predicted time.
struct Cost {
  int unmeasured = 0;
  double ns = 0.0;
  auto operator<=>(const Cost&) const = default;
};

Cost operator+(const Cost& a, const Cost& b) {
  return {a.unmeasured + b.unmeasured, a.ns + b.ns};
}

// A possible layout of the batch after a part, and the best plan that leads to it.
struct State {
  BatchFormat format;
  Cost cost;
  std::size_t before = 0;  // index of the state after the previous part
  ChainLink link;
};

class Chain {
 public:
  Chain(const PlanBasis& basis, const ChainQuestion& question)
      : basis_(basis), question_(question) {
    for (const Profile* profile : basis.profiles) {
      for (const KernelRecord& record : profile->kernels) {
        if (is_useful(record)) products_.push_back(&record);
      }
    }
  }

  std::optional<std::vector<ChainLink>> plan();

 private:
  using States = std::vector<State>;
  struct Edge {
    Cost cost;
    ChainLink link;
  };

  bool is_useful(const KernelRecord& record) const {
    return is_product(record.role) && record.precision == question_.precision &&
           fits(record, basis_.device.identity.limits) && !basis_.misses(record);
  }
  bool is_written(const Layout& layout) const {
    return std::any_of(products_.begin(), products_.end(),
                       [&](const auto* record) { return record->layout_c == layout; });
  }
  std::vector<BatchFormat> candidates(std::int64_t width) const;
  States states_after(const ChainPart& part, const States& before) const;
  std::optional<Edge> edge(const ChainPart& part, const BatchFormat& from,
                           const BatchFormat& to) const;
  std::optional<Edge> product_edge(const ChainPart& part, const BatchFormat& from,
                                   const BatchFormat& to) const;
  std::optional<Edge> layer_edge(const ChainPart& part, const BatchFormat& from,
                                 const BatchFormat& to) const;
  bool can_load(const GemmPlan& plan) const;
  bool can_hold(NetworkPlace place, const BatchFormat& format, const Extents& touched) const {
    return !is_between_layers(place) ||
           tilewright::can_hold(basis_.device, question_, format, touched);
  }
  bool any_loads(const std::vector<const KernelRecord*>& records) const {
    return std::any_of(records.begin(), records.end(),
                       [&](const auto* record) { return !basis_.misses(*record); });
  }

  const PlanBasis& basis_;
  const ChainQuestion& question_;
  std::vector<const KernelRecord*> products_;
};

// The layouts that the result of a product may have: row-major, and each that a kernel writes or
// reads.
std::vector<BatchFormat> Chain::candidates(std::int64_t width) const {
  std::vector<BatchFormat> all{{Layout::R(), width}};
  const auto add = [&](BatchFormat format) {
    if (std::cmp_greater(format.columns - width, kMaxPadding)) return;
    if (std::find(all.begin(), all.end(), format) == all.end()) all.push_back(std::move(format));
  };
  for (const KernelRecord* record : products_) {
    if (record->layout_c == Layout::R()) add({Layout::R(), round_up(width, record->alignment)});
    if (record->images.a || !is_written(record->layout_a)) continue;
    const std::int64_t columns = storage_a(*record, {question_.batch, width, width}).columns;
    add({record->layout_a, columns});
  }
  return all;
}

bool Chain::can_load(const GemmPlan& plan) const {
  return std::all_of(plan.choices.begin(), plan.choices.end(),
                     [&](const auto& choices) { return choices.empty() || any_loads(choices); });
}

std::optional<Chain::Edge> Chain::product_edge(const ChainPart& part, const BatchFormat& from,
                                               const BatchFormat& to) const {
  const GemmProblem problem = layer_problem(question_, part, from, to);
  const PaddedOperands padded_operands = make_padded_operands(part, from, to);
  auto plans = rank_plans(basis_.profiles, basis_.times, basis_.device, problem, &padded_operands);
  const auto best = std::find_if(plans.begin(), plans.end(), [&](const GemmPlan& plan) {
    return can_load(plan) && can_hold(part.from, from, touched_a(plan)) &&
           can_hold(part.to, to, touched_c(plan, to.layout));
  });
  if (best == plans.end()) return std::nullopt;
  const Cost cost{best->times.rank(), best->times.total_ns()};
  return Edge{cost, {to, std::move(*best), {}, false}};
}

std::optional<Chain::Edge> Chain::layer_edge(const ChainPart& part, const BatchFormat& from,
                                             const BatchFormat& to) const {
  if (from != to || !can_hold(part.to, to, {})) return std::nullopt;
  const auto has_gaps = [&](NetworkPlace place) {
    const std::size_t ld = place == NetworkPlace::kInput    ? question_.in.ld
                           : place == NetworkPlace::kOutput ? question_.out.ld
                                                            : planned_ld(to, question_.batch);
    return std::cmp_not_equal(ld, to.columns);
  };
  const bool gaps = to.layout == Layout::R() && (has_gaps(part.from) || has_gaps(part.to));
  LayerChoices choices;
  if (part.kind == ChainPart::Kind::kSoftmax) {
    choices.kernels = rank_softmaxes(basis_.profiles, basis_.times, basis_.device.identity.limits,
                                     question_.precision, part.epilogue.activation, to.layout);
  } else {
    choices = activations_in(basis_.profiles, basis_.times, basis_.device.identity.limits,
                             question_.precision, part.epilogue, to.layout, gaps);
  }
  if (!any_loads(choices.kernels)) return std::nullopt;
  const double ns = basis_.times.layer_ns(*choices.kernels.front(), question_.batch, to.columns);
  return Edge{{0, ns}, {to, std::nullopt, std::move(choices.kernels), choices.along_memory}};
}

std::optional<Chain::Edge> Chain::edge(const ChainPart& part, const BatchFormat& from,
                                       const BatchFormat& to) const {
  return is_product(part) ? product_edge(part, from, to) : layer_edge(part, from, to);
}

Chain::States Chain::states_after(const ChainPart& part, const States& before) const {
  std::vector<BatchFormat> goals{{Layout::R(), part.outputs}};
  if (is_in_place(part)) {
    goals.clear();
    for (const State& state : before) goals.push_back(state.format);
  } else if (is_product(part) && part.to != NetworkPlace::kOutput) {
    goals = candidates(part.outputs);
  }
  States states;
  for (BatchFormat& goal : goals) {
    std::optional<State> best;
    for (std::size_t i = 0; i < before.size(); ++i) {
      auto plan = edge(part, before[i].format, goal);
      if (!plan) continue;
      const Cost cost = before[i].cost + plan->cost;
      if (!best || cost < best->cost) best = State{goal, cost, i, std::move(plan->link)};
    }
    if (best) states.push_back(std::move(*best));
  }
  return states;
}

std::optional<std::vector<ChainLink>> Chain::plan() {
  std::vector<States> all;
  const State start{{Layout::R(), question_.parts.front().inputs}, {}, 0, {}};
  all.push_back({start});
  for (const ChainPart& part : question_.parts) all.push_back(states_after(part, all.back()));
  const States& ends = all.back();
  if (ends.empty()) return std::nullopt;
  const auto cheaper = [](const State& a, const State& b) { return a.cost < b.cost; };
  auto at =
      static_cast<std::size_t>(std::min_element(ends.begin(), ends.end(), cheaper) - ends.begin());
  std::vector<ChainLink> links(question_.parts.size());
  for (std::size_t i = links.size(); i-- > 0;) {
    State& state = all[i + 1][at];
    links[i] = std::move(state.link);
    at = state.before;
  }
  return links;
}

}  // namespace

std::optional<std::vector<ChainLink>> plan_chain(const PlanBasis& basis,
                                                 const ChainQuestion& question) {
  return Chain(basis, question).plan();
}

bool can_hold(const DeviceInfo& device, const ChainQuestion& question, const BatchFormat& format,
              const Extents& touched) {
  const Storage storage = make_storage(
      format.layout, widened({question.batch, format.columns}, touched), question.precision);
  return is_countable(storage) && storage.bytes() <= device.max_buffer_bytes;
}

GemmProblem layer_problem(const ChainQuestion& question, const ChainPart& part,
                          const BatchFormat& from, const BatchFormat& to) {
  GemmProblem problem;
  problem.shape = {question.batch, to.columns, from.columns};
  problem.epilogue = part.epilogue;
  problem.arguments = part.arguments;
  problem.precision = question.precision;
  problem.b_prepacked = true;
  problem.float_sums = true;
  problem.b.ld = whole_vectors(static_cast<std::size_t>(part.outputs));
  problem.a = question.in;
  if (part.from != NetworkPlace::kInput) {
    problem.a = {nullptr, 0, planned_ld(from, question.batch)};
  }
  problem.c = question.out;
  if (part.to != NetworkPlace::kOutput) {
    problem.c = {nullptr, 0, planned_ld(to, question.batch)};
  }
  return problem;
}

std::vector<Storage> result_storages(const ChainQuestion& question,
                                     const std::vector<ChainLink>& links) {
  const std::vector<ChainPart>& parts = question.parts;
  std::vector<Storage> storages;
  for (std::size_t i = 0; i < parts.size();) {
    const BatchFormat& format = links[i].to;
    Extents least{question.batch, format.columns};
    if (links[i].product) least = widened(least, touched_c(*links[i].product, format.layout));
    // The following parts that work in place, up to the product that reads the result.
    std::size_t end = i + 1;
    while (end < parts.size() && is_in_place(parts[end])) ++end;
    if (end < parts.size() && links[end].product) {
      least = widened(least, touched_a(*links[end].product));
    }
    Storage storage = make_storage(format.layout, least, question.precision);
    if (!is_between_layers(parts[i].to)) storage.elements = 0;
    storages.insert(storages.end(), end - i, storage);
    i = end;
  }
  return storages;
}

}  // namespace tilewright
