#include "codelets/space.hpp"

#include <cstdlib>

#include "profiles/digest.hpp"

namespace tilewright {
namespace {

// Every point holds op in its first field: a space is of one operand combination.
constexpr std::size_t kFirstSearchedField = 1;

bool is_word(const Field& field) {
  return field.values.front().text != std::to_string(field.values.front().value);
}

}  // namespace

Space::Space(Op op, const SpaceLimits& limits) : limits_(limits), fallen_(rules().size(), 0) {
  ParameterPoint point;
  point.op = op;
  enumerate(kFirstSearchedField, point);
}

void Space::enumerate(std::size_t field, ParameterPoint& point) {
  if (field == fields().size()) {
    if (const Rule* rule = broken_rule(point, limits_)) {
      ++fallen_[static_cast<std::size_t>(rule - rules().data())];
    } else {
      points_.push_back(point);
    }
    return;
  }
  for (const FieldValue& value : fields()[field].values) {
    fields()[field].set(point, value.value);
    enumerate(field + 1, point);
  }
}

std::string Space::digest() const {
  // A chain of digests: the text of all points would be tens of megabytes.
  std::string digest;
  for (const ParameterPoint& point : points_) digest = digest_of_bytes(digest + to_text(point));
  return digest;
}

std::vector<ParameterPoint> Space::neighbours(const ParameterPoint& point) const {
  std::vector<ParameterPoint> result;
  for (std::size_t f = kFirstSearchedField; f < fields().size(); ++f) {
    const Field& field = fields()[f];
    const auto here = static_cast<std::ptrdiff_t>(value_index(field, point));
    for (std::size_t i = 0; i < field.values.size(); ++i) {
      const std::ptrdiff_t distance = std::abs(static_cast<std::ptrdiff_t>(i) - here);
      if (distance == 0 || (distance > 1 && !is_word(field))) continue;
      ParameterPoint neighbour = point;
      field.set(neighbour, field.values[i].value);
      if (broken_rule(neighbour, limits_) == nullptr) result.push_back(neighbour);
    }
  }
  return result;
}

}  // namespace tilewright
