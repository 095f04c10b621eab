#include "fault_rules.hpp"

#include <algorithm>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace tilewright {
namespace {

enum class Argument { kNone, kOptionalNumber, kNumber, kFile };

struct FaultName {
  Fault fault;
  const char* name;
  Argument argument;
};

constexpr FaultName kFaultNames[] = {
    {Fault::kContextCrash, "context_crash", Argument::kNone},
    {Fault::kContextFailure, "context_failure", Argument::kNone},
    {Fault::kBuildFailure, "build_failure", Argument::kNone},
    {Fault::kBuildCrash, "build_crash", Argument::kNone},
    {Fault::kBuildHang, "build_hang", Argument::kNone},
    {Fault::kBinaryCrash, "binary_crash", Argument::kNone},
    {Fault::kLaunchCrash, "launch_crash", Argument::kNone},
    {Fault::kLaunchHang, "launch_hang", Argument::kNone},
    {Fault::kLaunchSpin, "launch_spin", Argument::kNone},
    {Fault::kOutOfResources, "out_of_resources", Argument::kNone},
    {Fault::kFlushFailure, "flush_failure", Argument::kNone},
    {Fault::kContextLost, "context_lost", Argument::kNone},
    {Fault::kWrongResult, "wrong_result", Argument::kNone},
    {Fault::kGarbageTimes, "garbage_times", Argument::kOptionalNumber},
    {Fault::kSlow, "slow", Argument::kNumber},
    {Fault::kTimesByName, "times_by_name", Argument::kNone},
    {Fault::kDeviceGone, "device_gone", Argument::kFile},
};

// Parses the whole text as a number.
template <class Number>
std::optional<Number> parse_number(std::string_view text) {
  std::istringstream in{std::string(text)};
  Number number{};
  if (!(in >> number) || in.peek() != std::istringstream::traits_type::eof()) return std::nullopt;
  return number;
}

// Returns the text after a prefix; nullopt if the text does not start with it or nothing follows.
std::optional<std::string> after(std::string_view text, std::string_view prefix) {
  if (text.substr(0, prefix.size()) != prefix || text.size() == prefix.size()) return std::nullopt;
  return std::string(text.substr(prefix.size()));
}

bool parse_hash(const std::string& text, FaultRule& rule) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos) return false;
  const auto modulus = parse_number<std::uint64_t>(text.substr(0, equals));
  const auto remainder = parse_number<std::uint64_t>(text.substr(equals + 1));
  if (!modulus || !remainder || *remainder >= *modulus) return false;
  rule.selector = FaultRule::Selector::kHash;
  rule.modulus = *modulus;
  rule.number = *remainder;
  return true;
}

bool parse_subject(const std::string& text, FaultRule& rule) {
  using Selector = FaultRule::Selector;
  if (text == "always") return true;
  for (const auto& [prefix, selector] : {std::pair{"entry=", Selector::kEntry},
                                         {"entry~", Selector::kEntryPart},
                                         {"source~", Selector::kSourcePart}}) {
    if (auto rest = after(text, prefix)) {
      rule.selector = selector;
      rule.text = std::move(*rest);
      return true;
    }
  }
  if (const auto rest = after(text, "hash%")) return parse_hash(*rest, rule);
  const auto call = parse_number<std::uint64_t>(after(text, "call=").value_or(""));
  rule.selector = Selector::kCall;
  rule.number = call.value_or(0);
  return rule.number > 0;
}

bool parse_selector(const std::string& text, FaultRule& rule) {
  constexpr std::string_view kItems = "&items>";
  const std::size_t items = text.rfind(kItems);
  if (items != std::string::npos) {
    rule.items_above = parse_number<std::uint64_t>(text.substr(items + kItems.size()));
    if (!rule.items_above) return false;
  }
  return parse_subject(text.substr(0, items), rule);
}

bool parse_argument(const std::string& text, Argument argument, FaultRule& rule) {
  if (text.empty()) return argument == Argument::kNone || argument == Argument::kOptionalNumber;
  if (argument == Argument::kFile) {
    rule.file = text;
    return true;
  }
  const auto number = parse_number<double>(text);
  if (argument == Argument::kNone || !number || *number <= 0.0) return false;
  rule.factor = *number;
  return true;
}

// Parses a line; nullopt if it contains no rule. Throws the description of an error.
std::optional<FaultRule> parse_line(const std::string& line) {
  std::istringstream words(line.substr(0, line.find('#')));
  std::string fault, selector, argument, surplus;
  words >> fault >> selector >> argument >> surplus;
  if (fault.empty()) return std::nullopt;
  const auto* name = std::find_if(std::begin(kFaultNames), std::end(kFaultNames),
                                  [&](const FaultName& f) { return f.name == fault; });
  if (name == std::end(kFaultNames)) throw std::runtime_error("there is no fault '" + fault + "'");
  FaultRule rule;
  rule.fault = name->fault;
  if (!parse_selector(selector, rule)) {
    throw std::runtime_error("'" + selector + "' selects nothing");
  }
  if (!parse_argument(argument, name->argument, rule) || !surplus.empty()) {
    throw std::runtime_error("'" + argument + surplus + "' is no argument of " + fault);
  }
  return rule;
}

bool is_word(char c) {
  return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

}  // namespace

std::vector<FaultRule> parse_fault_rules(const std::string& text) {
  std::vector<FaultRule> rules;
  std::istringstream lines(text);
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    try {
      if (auto rule = parse_line(line)) rules.push_back(std::move(*rule));
    } catch (const std::runtime_error& error) {
      throw std::runtime_error("line " + std::to_string(number) + ": " + error.what());
    }
  }
  return rules;
}

bool selects(const FaultRule& rule, const FaultSubject& subject) {
  const auto any_entry = [&](auto&& matches) {
    return std::any_of(subject.entries.begin(), subject.entries.end(), matches);
  };
  if (rule.items_above && subject.items <= *rule.items_above) return false;
  switch (rule.selector) {
    case FaultRule::Selector::kAlways:
      return true;
    case FaultRule::Selector::kEntry:
      return any_entry([&](const std::string& entry) { return entry == rule.text; });
    case FaultRule::Selector::kEntryPart:
      return any_entry(
          [&](const std::string& entry) { return entry.find(rule.text) != std::string::npos; });
    case FaultRule::Selector::kSourcePart:
      return subject.source.find(rule.text) != std::string_view::npos;
    case FaultRule::Selector::kHash:
      return any_entry([&](const std::string& entry) {
        return fault_hash(entry) % rule.modulus == rule.number;
      });
    case FaultRule::Selector::kCall:
      return subject.call == rule.number;
  }
  return false;
}

const FaultRule* find_rule(const std::vector<FaultRule>& rules, Fault fault,
                           const FaultSubject& subject) {
  const auto found = std::find_if(rules.begin(), rules.end(), [&](const FaultRule& rule) {
    return rule.fault == fault && selects(rule, subject);
  });
  return found == rules.end() ? nullptr : &*found;
}

std::uint64_t fault_hash(std::string_view text) {
  std::uint64_t hash = 14695981039346656037u;
  for (const char c : text) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 1099511628211u;
  }
  return hash;
}

std::uint64_t model_ns(std::string_view entry, std::uint64_t work_items, std::int64_t k) {
  // The last characters of a name hardly affect the upper bits of FNV-1a. The finalizer of
  // MurmurHash3 distributes them.
  std::uint64_t hash = fault_hash(entry);
  hash ^= hash >> 33;
  hash *= 0xff51afd7ed558ccdu;
  hash ^= hash >> 33;
  const double share = static_cast<double>(hash >> 40) / static_cast<double>(1 << 24);
  const auto steps = static_cast<double>(std::max<std::int64_t>(k, 1));
  return static_cast<std::uint64_t>(static_cast<double>(work_items) * steps * (1.0 + share)) + 1;
}

std::vector<std::string> kernel_names(std::string_view source) {
  // There may be attributes between `__kernel` and `void`.
  std::vector<std::string> names;
  constexpr std::string_view kKernel = "__kernel";
  for (std::size_t at = source.find(kKernel); at != std::string_view::npos;
       at = source.find(kKernel, at + 1)) {
    const std::size_t result = source.find("void ", at);
    if (result == std::string_view::npos) break;
    const std::size_t begin = result + 5;
    std::size_t end = begin;
    while (end < source.size() && is_word(source[end])) ++end;
    names.emplace_back(source.substr(begin, end - begin));
  }
  return names;
}

}  // namespace tilewright
