#include "codelets/space/space.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <set>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "codelets/point/space_limits_fields.hpp"
#include "profiles/digest.hpp"

namespace tilewright {
namespace {

// Limits on the values that one draw tries. The total is far more than a draw needs and takes only
// a moment. A draw can get stuck if early values leave almost none for later parameters. So it
// restarts after kFirstPatience values, with a larger limit each time.
constexpr int kMaxSteps = 1'000'000;
constexpr int kFirstPatience = 500;

bool is_named(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// True if a search may give this value to the parameter. Callers determine the layout of unpacked
// operands, so a kernel that reads them in place must use exactly this layout. A packed operand may
// have any layout that is not plain; the other plain layout is left to the kernels for callers with
// that layout. Images and padding are also results of packing.
bool is_open(const Field& field, std::size_t value, const ParameterPoint& requirement,
             bool packed) {
  if (point_codelet(requirement) != Codelet::kGemm) return true;
  if (field.name == "accumulate_k") {
    return value == 0 || point_precision(requirement) == Precision::kHalf;
  }
  if (field.name == "layout_a" || field.name == "layout_b") {
    const bool is_plain = parse_layout(field.values[value])->is_plain();
    return value == field.index(requirement) || (packed && !is_plain);
  }
  if (field.name == "image_a" || field.name == "image_b" || field.name == "edges") {
    return value == 0 || packed;
  }
  return true;
}

// True if the parameter's values are ordered numbers. A first value of 0 means "none", which is no
// closer to the second value than to the last.
bool is_scale(const Field& field) {
  return field.values.front() != "0" &&
         std::all_of(field.values.begin(), field.values.end(), [](const std::string& value) {
           return value.find_first_not_of("0123456789") == std::string::npos;
         });
}

// True if a rule depends on a late parameter, so that only points with another value than its first
// can violate it.
bool is_of_late(const Rule& rule, const std::vector<Field>& table) {
  return std::any_of(table.begin(), table.end(), [&](const Field& field) {
    return field.late &&
           std::find(rule.reads.begin(), rule.reads.end(), field.name) != rule.reads.end();
  });
}

// Indices of the values that a restriction names. Any text that the parameter parses is accepted.
std::set<std::size_t> named_values(const Field& field, ParameterPoint point,
                                   const std::vector<std::string>& texts) {
  std::set<std::size_t> places;
  for (const std::string& text : texts) {
    const std::optional<std::size_t> place =
        field.parse(point, text) ? field.index(point) : std::nullopt;
    if (!place) {
      throw ParameterError(fmt::format("{}: '{}' is not one of the searched values: {}", field.name,
                                       text, fmt::join(field.values, ", ")));
    }
    places.insert(*place);
  }
  return places;
}

std::string to_text(const SpaceLimits& limits) {
  std::string text;
  visit_space_limits(limits, [&](const char* name, const auto& value) {
    if (name == kOptionalLimit) return;
    if constexpr (requires { value.size(); }) {
      text += fmt::format("{} {}\n", name, fmt::join(value, " "));
    } else {
      text += fmt::format("{} {}\n", name, value);
    }
  });
  return text;
}

}  // namespace

std::map<std::string, std::vector<std::string>> parse_restrictions(
    const std::vector<std::string>& texts) {
  std::map<std::string, std::vector<std::string>> only;
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    if (equals == 0 || equals == std::string::npos || equals + 1 == text.size()) {
      throw ParameterError(fmt::format("'{}' is not of the form name=value,value,...", text));
    }
    std::vector<std::string>& values = only[text.substr(0, equals)];
    std::istringstream words(text.substr(equals + 1));
    for (std::string word; std::getline(words, word, ',');) values.push_back(word);
  }
  return only;
}

Space::Space(const ParameterPoint& requirement, const SpaceLimits& limits,
             const SpaceOptions& options)
    : limits_(limits),
      rules_(&rules(point_codelet(requirement))),
      start_(requirement),
      packed_(options.packed) {
  const std::vector<Field>& table = fields(point_codelet(requirement));
  for (const std::string& name : options.fixed) {
    if (std::none_of(table.begin(), table.end(), [&](const Field& f) { return f.name == name; })) {
      throw std::invalid_argument(fmt::format("there is no parameter '{}'", name));
    }
  }
  for (const Field& field : table) {
    if (field.required || is_named(options.fixed, field.name)) continue;
    const bool named = options.only.count(std::string(field.name)) > 0;
    Axis axis{&field, {}, field.late && !named};
    for (std::size_t value = 0; value < field.values.size(); ++value) {
      if (!named && is_named(field.on_request, field.values[value])) continue;
      if (is_open(field, value, requirement, packed_)) axis.choices.push_back(value);
    }
    // Without choices, only the requirement can set the parameter.
    if (!axis.choices.empty()) axes_.push_back(std::move(axis));
  }
  restrict_axes(options);
  for (const Axis& axis : axes_) axis.field->set(start_, axis.choices.front());
  std::erase_if(axes_, [](const Axis& axis) { return axis.choices.size() == 1; });
  if (axes_.size() > std::numeric_limits<Mask>::digits) {
    throw std::length_error("a space cannot have more than 64 parameters");
  }
  std::stable_partition(axes_.begin(), axes_.end(), [](const Axis& axis) { return !axis.late; });
  order_ = cheap_order();
}

// Removes the values that the options exclude.
void Space::restrict_axes(const SpaceOptions& options) {
  const std::vector<Field>& table = fields(point_codelet(start_));
  for (const auto& restriction : options.only) {
    const std::string& name = restriction.first;
    const std::vector<std::string>& texts = restriction.second;
    const auto field =
        std::find_if(table.begin(), table.end(), [&](const Field& f) { return f.name == name; });
    if (field == table.end()) {
      throw ParameterError(
          fmt::format("{}: {} has no such parameter", name, to_text(point_codelet(start_))));
    }
    const std::set<std::size_t> places = named_values(*field, start_, texts);
    if (field->required || is_named(options.fixed, name)) {
      throw ParameterError(
          fmt::format("{}: cannot be restricted, because it is not searched here ({})", name,
                      field->required ? "required" : "fixed"));
    }
    const auto axis =
        std::find_if(axes_.begin(), axes_.end(), [&](const Axis& a) { return a.field == &*field; });
    if (axis != axes_.end()) {
      std::erase_if(axis->choices, [&](std::size_t c) { return places.count(c) == 0; });
    }
    if (axis == axes_.end() || axis->choices.empty()) {
      throw ParameterError(fmt::format("{}: this space has none of {}{}", name,
                                       fmt::join(texts, ", "),
                                       packed_ ? "" : ", because operands are not packed"));
    }
  }
}

Space::Mask Space::axes_read(const Rule& rule) const {
  Mask mask = 0;
  for (std::size_t a = 0; a < axes_.size(); ++a) {
    const std::string_view name = axes_[a].field->name;
    if (std::find(rule.reads.begin(), rule.reads.end(), name) != rule.reads.end()) {
      mask |= Mask{1} << a;
    }
  }
  return mask;
}

Space::Mask Space::drawn_axes_read(const Rule& rule) const {
  const Mask reads = axes_read(rule);
  for (std::size_t a = 0; a < axes_.size(); ++a) {
    if (axes_[a].late && (reads >> a & 1) != 0) return 0;
  }
  return reads;
}

Space::Order Space::make_order(std::vector<std::size_t> axes) const {
  Order order{std::move(axes), {}};
  order.decided.resize(order.axes.size() + 1);
  for (const Rule& rule : *rules_) {
    const Mask reads = drawn_axes_read(rule);
    std::size_t level = order.axes.size();
    while (level > 0 && (reads >> order.axes[level - 1] & 1) == 0) --level;
    order.decided[level].push_back(&rule);
  }
  return order;
}

bool Space::holds(const std::vector<const Rule*>& decided, const ParameterPoint& point) const {
  return std::all_of(decided.begin(), decided.end(),
                     [&](const Rule* rule) { return rule->holds(point, limits_); });
}

std::optional<ParameterPoint> Space::draw(std::mt19937_64& random) const {
  int patience = kFirstPatience;
  for (int all_steps = 0; all_steps < kMaxSteps; all_steps += patience) {
    patience += patience / 50;
    ParameterPoint point = start_;
    int steps_left = patience;
    if (draw_from(0, point, random, steps_left)) return point;
    if (steps_left > 0) break;  // there is none
  }
  return std::nullopt;
}

// Assigns values to the axes from `level` on. Returns false if no combination of values gives a
// valid point.
bool Space::draw_from(std::size_t level, ParameterPoint& point, std::mt19937_64& random,
                      int& steps_left) const {
  if (!holds(order_.decided[level], point)) return false;
  if (level == order_.axes.size()) return true;
  const Axis& axis = axes_[order_.axes[level]];
  std::vector<std::size_t> left = axis.choices;
  while (!left.empty() && steps_left > 0) {
    --steps_left;
    // Not a distribution of the standard library: implementations differ, but a random seed must
    // always give the same search.
    std::swap(left[random() % left.size()], left.back());
    axis.field->set(point, left.back());
    left.pop_back();
    if (draw_from(level + 1, point, random, steps_left)) return true;
  }
  return false;
}

bool Space::contains(const ParameterPoint& point) const {
  if (point_codelet(point) != point_codelet(start_)) return false;
  ParameterPoint same = start_;
  for (const Axis& axis : axes_) {
    const std::optional<std::size_t> value = axis.field->index(point);
    const std::vector<std::size_t>& choices = axis.choices;
    if (!value || std::find(choices.begin(), choices.end(), *value) == choices.end()) return false;
    axis.field->set(same, *value);
  }
  return same == point && broken(point) == nullptr;
}

std::vector<ParameterPoint> Space::neighbours(const ParameterPoint& point) const {
  std::vector<ParameterPoint> result;
  for (const Axis& axis : axes_) {
    const std::optional<std::size_t> here = axis.field->index(point);
    if (!here) continue;  // a layout that is not in the list of values has no neighbours
    const auto above = std::upper_bound(axis.choices.begin(), axis.choices.end(), *here);
    const auto below = std::lower_bound(axis.choices.begin(), axis.choices.end(), *here);
    const bool by_one = is_scale(*axis.field);
    for (auto choice = axis.choices.begin(); choice != axis.choices.end(); ++choice) {
      const std::size_t value = *choice;
      if (value == *here || (by_one && choice != above && choice + 1 != below)) continue;
      ParameterPoint neighbour = point;
      axis.field->set(neighbour, value);
      if (repair(neighbour, axis)) result.push_back(std::move(neighbour));
    }
  }
  return result;
}

const Rule* Space::broken(const ParameterPoint& point) const {
  for (const Rule& rule : *rules_) {
    if (!rule.holds(point, limits_)) return &rule;
  }
  return nullptr;
}

// Turns a point in which `moved` has a new value into a valid one. Returns false if that is not
// easily done. A step that violates a device rule is not repaired, even if other parameters
// could be changed for it.
bool Space::repair(ParameterPoint& point, const Axis& moved) const {
  const Rule* rule = broken(point);
  if (rule == nullptr) return true;
  if (!rule->structural) return false;
  const Mask reads = axes_read(*rule);
  std::optional<ParameterPoint> resort;
  ParameterPoint simplest = point;
  for (std::size_t a = 0; a < axes_.size(); ++a) {
    const Axis& axis = axes_[a];
    if (&axis == &moved || (reads >> a & 1) == 0) continue;
    ParameterPoint repaired = point;
    for (const std::size_t value : axis.choices) {
      axis.field->set(repaired, value);
      if (broken(repaired) != nullptr) continue;
      if (value == axis.choices.front()) {
        point = std::move(repaired);
        return true;
      }
      if (!resort) resort = repaired;
    }
    axis.field->set(simplest, axis.choices.front());
  }
  if (broken(simplest) == nullptr) resort = std::move(simplest);
  if (resort) point = std::move(*resort);
  return resort.has_value();
}

void Space::for_each(const std::function<bool(const ParameterPoint&)>& visit) const {
  ParameterPoint point = start_;
  visit_from(0, point, visit);
}

bool Space::visit_from(std::size_t level, ParameterPoint& point,
                       const std::function<bool(const ParameterPoint&)>& visit) const {
  if (!holds(order_.decided[level], point)) return true;
  if (level == order_.axes.size()) return visit(point);
  const Axis& axis = axes_[order_.axes[level]];
  for (const std::size_t value : axis.choices) {
    axis.field->set(point, value);
    if (!visit_from(level + 1, point, visit)) return false;
  }
  return true;
}

std::string Space::digest() const {
  std::string text = fmt::format("{}\npacked {}\n{}", to_text(start_), packed_, to_text(limits_));
  for (const Axis& axis : axes_) {
    if (axis.late) continue;
    text += axis.field->name;
    for (const std::size_t value : axis.choices) text += " " + axis.field->values[value];
    text += '\n';
  }
  for (const Rule& rule : *rules_) {
    if (is_of_late(rule, fields(point_codelet(start_)))) continue;
    text += fmt::format("{} {} {}\n", rule.name, rule.structural, rule.reason);
  }
  return digest_bytes(text);
}

}  // namespace tilewright
