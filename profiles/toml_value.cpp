#include "toml_value.hpp"

#include <charconv>
#include <cmath>
#include <limits>

#include "profiles/base/printable.hpp"

namespace tilewright {
namespace {

bool is_decimal(char c) {
  return c >= '0' && c <= '9';
}

// Removes the digits at the start of the text and returns how many there were.
std::size_t take_digits(std::string_view& text) {
  std::size_t count = 0;
  while (count < text.size() && is_decimal(text[count])) ++count;
  text.remove_prefix(count);
  return count;
}

bool take_sign(std::string_view& text) {
  if (!text.starts_with('+') && !text.starts_with('-')) return false;
  text.remove_prefix(1);
  return true;
}

enum class Kind { kNone, kInteger, kFloat };

// Follows the grammar of TOML, which has neither ".5" and "5." nor "05".
Kind number_kind(std::string_view word) {
  take_sign(word);
  const bool leads_with_zero = word.starts_with('0');
  const std::size_t whole = take_digits(word);
  if (whole == 0 || (leads_with_zero && whole > 1)) return Kind::kNone;
  if (word.empty()) return Kind::kInteger;
  if (word.starts_with('.')) {
    word.remove_prefix(1);
    if (take_digits(word) == 0) return Kind::kNone;
  }
  if (word.starts_with('e') || word.starts_with('E')) {
    word.remove_prefix(1);
    take_sign(word);
    if (take_digits(word) == 0) return Kind::kNone;
  }
  return word.empty() ? Kind::kFloat : Kind::kNone;
}

template <class Number>
std::optional<TomlNumber> converted(std::string_view word) {
  if (word.starts_with('+')) word.remove_prefix(1);
  Number value{};
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size()) return std::nullopt;
  return value;
}

void append_utf8(std::string& text, std::uint32_t code) {
  const auto last = [&](int shift) { text += static_cast<char>(0x80 | ((code >> shift) & 0x3f)); };
  if (code < 0x80) {
    text += static_cast<char>(code);
  } else if (code < 0x800) {
    text += static_cast<char>(0xc0 | (code >> 6));
    last(0);
  } else if (code < 0x10000) {
    text += static_cast<char>(0xe0 | (code >> 12));
    last(6);
    last(0);
  } else {
    text += static_cast<char>(0xf0 | (code >> 18));
    last(12);
    last(6);
    last(0);
  }
}

bool is_scalar(std::uint32_t code) {
  return code < 0xd800 || (code > 0xdfff && code <= 0x10ffff);
}

// Appends the character that `digits` hexadecimal digits of an escape denote.
bool append_code(std::string& to, std::string_view text, std::size_t digits) {
  std::uint32_t code = 0;
  if (text.size() < digits) return false;
  const auto [end, error] = std::from_chars(text.data(), text.data() + digits, code, 16);
  if (error != std::errc() || end != text.data() + digits || !is_scalar(code)) return false;
  append_utf8(to, code);
  return true;
}

// Length in bytes of the UTF-8 sequence at the start of the text; 0 if it is invalid.
std::size_t sequence_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  if (byte(0) < 0x80) return 1;
  const std::size_t length = byte(0) >= 0xf0 ? 4 : byte(0) >= 0xe0 ? 3 : 2;
  if (byte(0) < 0xc2 || byte(0) > 0xf4 || text.size() < length) return 0;
  std::uint32_t code = byte(0) & (0xffu >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
    code = (code << 6) | (byte(i) & 0x3f);
  }
  // Overlong encodings are invalid.
  const std::uint32_t least = length == 4 ? 0x10000 : length == 3 ? 0x800 : 0x80;
  return code >= least && is_scalar(code) ? length : 0;
}

}  // namespace

std::optional<TomlNumber> parse_toml_number(std::string_view word) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (word == "true" || word == "false") return word == "true";
  if (word == "inf") return kInfinity;
  if (word == "-inf") return -kInfinity;
  if (word == "nan") return std::numeric_limits<double>::quiet_NaN();
  const Kind kind = number_kind(word);
  if (kind == Kind::kInteger) return converted<std::int64_t>(word);
  if (kind == Kind::kFloat) return converted<double>(word);
  return std::nullopt;
}

std::optional<std::string> unescape_toml(std::string_view text) {
  constexpr std::string_view kLetters = "btnfr\"\\";
  constexpr std::string_view kMeanings = "\b\t\n\f\r\"\\";
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\') {
      result += text[i];
      continue;
    }
    if (++i == text.size()) return std::nullopt;
    const std::size_t letter = kLetters.find(text[i]);
    if (letter != std::string_view::npos) {
      result += kMeanings[letter];
      continue;
    }
    const std::size_t digits = text[i] == 'u' ? 4 : 8;
    if (text[i] != 'u' && text[i] != 'U') return std::nullopt;
    if (!append_code(result, text.substr(i + 1), digits)) return std::nullopt;
    i += digits;
  }
  return result;
}

std::size_t find_forbidden(std::string_view text) {
  if (is_printable_ascii(text)) return std::string_view::npos;
  for (std::size_t i = 0; i < text.size();) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte < 0x20 && byte != '\t' && byte != '\n') || byte == 0x7f) return i;
    const std::size_t length = sequence_length(text.substr(i));
    if (length == 0) return i;
    i += length;
  }
  return std::string_view::npos;
}

}  // namespace tilewright
