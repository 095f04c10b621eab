#include "tuner/records/journal_sum.hpp"

#include "profiles/digest.hpp"

namespace tilewright {
namespace {

// A 0 stands for any hexadecimal digit.
constexpr std::string_view kEnd = ",\"sum\":\"0000000000000000\"}";
constexpr std::size_t kDigitsAt = 8;
constexpr std::size_t kDigits = 16;

std::string digits_of(std::string_view text) {
  constexpr std::size_t kName = 5;  // "xxh3-"
  return digest_of_bytes(text).substr(kName, kDigits);
}

// One character that is another is damage, and does not make a line one without a sum.
bool ends_in_sum(std::string_view line) {
  if (line.size() <= kEnd.size()) return false;
  const std::string_view end = line.substr(line.size() - kEnd.size());
  constexpr std::string_view kHexadecimal = "0123456789abcdef";
  int others = 0;
  for (std::size_t i = 0; i < end.size(); ++i) {
    const bool is_digit = kEnd[i] == '0';
    others += is_digit ? kHexadecimal.find(end[i]) == std::string_view::npos : end[i] != kEnd[i];
  }
  return others <= 1;
}

}  // namespace

std::string with_sum(std::string object) {
  object.pop_back();
  std::string end(kEnd);
  end.replace(kDigitsAt, kDigits, digits_of(object));
  return object + end;
}

SumCheck check_sum(std::string_view line) {
  if (!ends_in_sum(line)) return SumCheck::kNone;
  const std::string_view summed = line.substr(0, line.size() - kEnd.size());
  return with_sum(std::string(summed) + '}') == line ? SumCheck::kRight : SumCheck::kWrong;
}

}  // namespace tilewright
