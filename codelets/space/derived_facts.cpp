#include "codelets/space/derived_facts.hpp"

#include <map>
#include <stdexcept>

#include "codelets/space/emit.hpp"
#include "profiles/launch_facts.hpp"

namespace tilewright {
namespace {

using Facts = std::map<std::string, std::string>;

std::optional<KernelRecord> try_emit(const std::string& point) {
  if (point.empty()) return std::nullopt;
  try {
    return describe(parse_point(point));
  } catch (const std::invalid_argument&) {
    return std::nullopt;
  }
}

std::string fact_value(const Facts& facts, const std::string& key) {
  const auto found = facts.find(key);
  return found == facts.end() ? "(absent)" : found->second;
}

}  // namespace

std::optional<std::vector<FactDifference>> compare_with_point(const KernelRecord& record) {
  const std::optional<KernelRecord> right = try_emit(record.point);
  if (!right) return std::nullopt;
  const Facts facts = launch_facts(record);
  const Facts expected = launch_facts(*right);
  Facts keys = facts;
  keys.insert(expected.begin(), expected.end());
  std::vector<FactDifference> differences;
  for (const auto& [key, unused] : keys) {
    const std::string value = fact_value(facts, key);
    const std::string wanted = fact_value(expected, key);
    if (value != wanted) differences.push_back({key, value, wanted});
  }
  return differences;
}

}  // namespace tilewright
