#include "runtime/team/team_profile.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>
#include <utility>
#include <variant>

#include "profiles/base/read_file.hpp"
#include "profiles/profile_text.hpp"
#include "profiles/toml_subset.hpp"
#include "profiles/toml_table.hpp"

namespace tilewright {
namespace {

constexpr std::string_view kFormat = "tilewright team profile 1";
constexpr std::size_t kMaxBytes = 1 << 20;
constexpr std::size_t kMaxMembers = 64;

constexpr std::array<std::pair<std::string_view, ElementType>, 5> kTypes = {
    {{"s", ElementType::kFloat},
     {"d", ElementType::kDouble},
     {"h", ElementType::kHalf},
     {"c", ElementType::kComplexFloat},
     {"z", ElementType::kComplexDouble}}};

std::string_view type_letter(ElementType type) {
  const auto found = std::find_if(kTypes.begin(), kTypes.end(),
                                  [&](const auto& entry) { return entry.second == type; });
  return found->first;
}

// The shortest text that is read as the same number, with a point.
std::string rate_text(double rate) {
  std::string text = fmt::format("{}", rate);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

std::string rates_text(const std::vector<double>& rates) {
  std::string text;
  for (const double rate : rates) text += (text.empty() ? "" : ", ") + rate_text(rate);
  return "[" + text + "]";
}

std::vector<double> read_rates(TomlTable& table, std::string_view key, std::size_t count) {
  std::vector<double> rates;
  for (const TomlNumber& number : table.numbers(key)) {
    const double* rate = std::get_if<double>(&number);
    if (rate == nullptr || !std::isfinite(*rate) || *rate <= 0.0) {
      table.fail(key, "must be an array of numbers above 0.0");
    }
    rates.push_back(*rate);
  }
  if (rates.size() == count) return rates;
  table.fail(key, fmt::format("has {} values, but the team has {} members", rates.size(), count));
}

TeamResult read_result(TomlTable& table, std::size_t num_members) {
  TeamResult result;
  const std::string letter = table.text("type");
  const auto type = std::find_if(kTypes.begin(), kTypes.end(),
                                 [&](const auto& entry) { return entry.first == letter; });
  if (type == kTypes.end()) table.fail("type", "must be one of s, d, h, c and z");
  result.type = type->second;
  const auto extent = [&](std::string_view key) {
    return table.integer(key, 1, static_cast<std::int64_t>(kMaxExtent));
  };
  result.shape = {extent("m"), extent("n"), extent("k")};
  result.alone_gflops = read_rates(table, "alone_gflops", num_members);
  result.together_gflops = read_rates(table, "together_gflops", num_members);
  result.team_gflops = table.number("team_gflops");
  if (!std::isfinite(result.team_gflops) || result.team_gflops <= 0.0) {
    table.fail("team_gflops", "must be above 0.0");
  }
  table.refuse_unknown();
  return result;
}

double distance(const GemmShape& a, const GemmShape& b) {
  const auto of = [](std::int64_t x, std::int64_t y) {
    return std::abs(std::log(static_cast<double>(std::max<std::int64_t>(1, x)) /
                             static_cast<double>(std::max<std::int64_t>(1, y))));
  };
  return of(a.m, b.m) + of(a.n, b.n) + of(a.k, b.k);
}

}  // namespace

std::string printable_name(std::string name) {
  for (char& c : name) {
    if (c < ' ' || c > '~' || c == '"' || c == '\\') c = '?';
  }
  return name;
}

std::string write_team_profile(const TeamProfile& profile) {
  std::string text = fmt::format("format = \"{}\"\n", kFormat);
  for (const TeamProfileMember& member : profile.members) {
    text += fmt::format("\n[[member]]\nname = \"{}\"\nprofile = \"{}\"\n",
                        printable_name(member.name), member.profile_digest);
  }
  for (const TeamResult& result : profile.results) {
    text += fmt::format(
        "\n[[result]]\ntype = \"{}\"\nm = {}\nn = {}\nk = {}\nalone_gflops = {}\n"
        "together_gflops = {}\nteam_gflops = {}\n",
        type_letter(result.type), result.shape.m, result.shape.n, result.shape.k,
        rates_text(result.alone_gflops), rates_text(result.together_gflops),
        rate_text(result.team_gflops));
  }
  return text;
}

TeamProfile parse_team_profile(std::string_view text, const std::string& file) {
  const TomlText toml = read_toml(text);
  if (toml.error) throw ProfileError(file, toml.error_line, toml.error_key, *toml.error);
  TomlTable root(toml, file);
  if (root.text("format") != kFormat) {
    root.fail("format", fmt::format("must be \"{}\"", kFormat));
  }
  TeamProfile profile;
  for (TomlTable& table : root.tables("member")) {
    profile.members.push_back({table.text("name"), table.text("profile")});
    table.refuse_unknown();
  }
  if (profile.members.empty() || profile.members.size() > kMaxMembers) {
    throw ProfileError(file, 0, "member",
                       fmt::format("there must be 1 to {} members", kMaxMembers));
  }
  for (TomlTable& table : root.tables("result")) {
    profile.results.push_back(read_result(table, profile.members.size()));
  }
  root.refuse_unknown();
  return profile;
}

TeamProfile load_team_profile(const std::string& path) {
  const FileContent content = read_file(path, {0, kMaxBytes + 1});
  if (!content.failure.empty()) throw ProfileError(path, 0, "", content.failure);
  if (content.bytes.size() > kMaxBytes) throw ProfileError(path, 0, "", "is larger than 1 MiB");
  return parse_team_profile(content.bytes, path);
}

const TeamResult* nearest_result(const std::vector<TeamResult>& results, ElementType type,
                                 const GemmShape& shape) {
  const TeamResult* nearest = nullptr;
  double least = std::numeric_limits<double>::max();
  for (const TeamResult& result : results) {
    const double apart = distance(result.shape, shape);
    if (result.type != type || apart >= least) continue;
    nearest = &result;
    least = apart;
  }
  return nearest;
}

}  // namespace tilewright
