#include "tuner/search/search.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <stdexcept>

#include "profiles/digest.hpp"
#include "tuner/journal/records/forms.hpp"

namespace tilewright {
namespace {

constexpr double kExhaustiveShare = 0.7;  // of the budget
constexpr std::size_t kChunk = 65536;     // points that Enumeration keeps in memory and shuffles
constexpr int kPatience = 64;  // number of draws without a new point after which draw() gives up
// A point is hopeless if its expected score is below this fraction of that of each of the kBest
// best points.
constexpr std::size_t kBest = 8;
constexpr double kHopeless = 0.7;

}  // namespace

StrategyKind choose_strategy(double valid_points, double seconds_per_candidate, double budget_s) {
  const double all_s = valid_points * seconds_per_candidate;
  return all_s <= kExhaustiveShare * budget_s ? StrategyKind::kExhaustive : StrategyKind::kGreedy;
}

int point_shard(const ParameterPoint& point, int shards) {
  if (shards < 1) throw std::invalid_argument("--shard: there must be at least one part");
  const std::string digest = digest_bytes(to_text(point));
  constexpr std::size_t kDigits = 16;  // of 4 bits each
  const std::uint64_t hash = std::stoull(digest.substr(digest.size() - kDigits), nullptr, 16);
  return 1 + static_cast<int>(hash % static_cast<std::uint64_t>(shards));
}

std::optional<ParameterPoint> as_searched(const Space& space, ParameterPoint point) {
  if (space.contains(point)) return point;
  for (const Field& field : fields(point_codelet(point))) {
    if (field.name != "multiply_add") continue;
    for (std::size_t value = 0; value < field.values.size(); ++value) {
      field.set(point, value);
      if (space.contains(point)) return point;
    }
  }
  return std::nullopt;
}

std::optional<ParameterPoint> Enumeration::next() {
  if (at_ == chunk_.size() && !complete_) fill();
  if (at_ == chunk_.size()) return std::nullopt;
  return chunk_[at_++];
}

void Enumeration::fill() {
  chunk_.clear();
  at_ = 0;
  std::int64_t skipped = 0;
  space_.for_each([&](const ParameterPoint& point) {
    if (skipped < visited_) {
      ++skipped;
      return true;
    }
    chunk_.push_back(point);
    return chunk_.size() < kChunk;
  });
  visited_ += static_cast<std::int64_t>(chunk_.size());
  complete_ = chunk_.size() < kChunk;
  // std::shuffle() differs between standard libraries, and a seed must always give the same search.
  for (std::size_t left = chunk_.size(); left > 1; --left) {
    std::swap(chunk_[left - 1], chunk_[static_cast<std::size_t>(random_() % left)]);
  }
}

SpaceSearch::SpaceSearch(const Space& space, const SearchSetup& setup)
    : space_(space), setup_(setup), random_(setup.seed), rest_(space, setup.seed) {
  for (ParameterPoint& point : setup_.first) {
    if (auto known = as_searched(space, point)) {
      point = std::move(*known);
      first_.insert(point);
    }
  }
  std::erase_if(setup_.first, [&](const ParameterPoint& p) { return first_.count(p) == 0; });
}

std::size_t SpaceSearch::random_index(std::size_t size) {
  // The distributions of the standard library differ between implementations, and a seed must
  // always give the same search.
  return static_cast<std::size_t>(random_() % size);
}

bool SpaceSearch::is_new(const ParameterPoint& point) const {
  return tried_.count(point) == 0 &&
         (setup_.shards == 1 || point_shard(point, setup_.shards) == setup_.shard);
}

std::optional<ParameterPoint> SpaceSearch::next() {
  std::optional<ParameterPoint> point;
  while (!point && first_proposed_ < setup_.first.size()) {
    const ParameterPoint& first = setup_.first[first_proposed_++];
    // Every shard tries these points, because merging compares boards by the kernels that all of
    // them have measured.
    if (tried_.count(first) == 0) point = first;
  }
  if (!point) point = propose();
  if (point) tried_.insert(*point);
  return point && setup_.rates ? with_multiply_add_form(*std::move(point), *setup_.rates) : point;
}

void SpaceSearch::report(const ParameterPoint& point, std::optional<double> cost,
                         const std::vector<double>& parts) {
  const auto known = as_searched(space_, point);
  if (!known) return;
  const bool proposed = !tried_.insert(*known).second;
  if (cost) note_score(*known, *cost);
  learn({*known, cost, parts, !proposed && first_.count(*known) == 0});
}

std::optional<ParameterPoint> SpaceSearch::draw(int among) {
  std::optional<ParameterPoint> best;
  double best_score = 0.0;
  for (int i = 0; i < among || (!best && i < kPatience); ++i) {
    std::optional<ParameterPoint> point = space_.draw(random_);
    if (!point || !is_new(*point)) continue;
    const double score = expected_score(*point, setup_.device);
    if (best && score <= best_score) continue;
    best = std::move(point);
    best_score = score;
  }
  while (!best) {
    std::optional<ParameterPoint> point = rest_.next();
    if (!point) break;
    if (is_new(*point)) best = std::move(point);
  }
  return best;
}

std::optional<ParameterPoint> SpaceSearch::new_neighbour(const ParameterPoint& point) {
  std::vector<std::pair<ParameterPoint, double>> found;  // with their scores
  for (ParameterPoint& neighbour : space_.neighbours(point)) {
    if (!is_new(neighbour)) continue;
    const double score = expected_score(neighbour, setup_.device);
    if (!is_hopeless(score)) found.emplace_back(std::move(neighbour), score);
  }
  if (found.empty()) return std::nullopt;
  const auto& one = found[random_index(found.size())];
  const auto& other = found[random_index(found.size())];
  return one.second > other.second ? one.first : other.first;
}

bool SpaceSearch::is_hopeless(double score) const {
  if (best_scores_.size() < kBest) return false;
  double least = std::numeric_limits<double>::infinity();
  for (const auto& [cost, of_best] : best_scores_) least = std::min(least, of_best);
  return score < kHopeless * least;
}

void SpaceSearch::note_score(const ParameterPoint& point, double cost) {
  best_scores_.emplace(cost, expected_score(point, setup_.device));
  if (best_scores_.size() > kBest) best_scores_.erase(std::prev(best_scores_.end()));
}

}  // namespace tilewright
