#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "matrix/matrix_text.hpp"
#include "profiles/base/printable.hpp"
#include "profiles/base/text_file.hpp"

namespace tilewright {
namespace {

bool is_space(char c) {
  return c == ' ' || c == '\t';
}

std::string_view trim_spaces(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

// For a number that is out of range of a double: is it too small rather than too large? Compares
// the position of its first nonzero digit with its exponent.
bool is_below_one(std::string_view number) {
  const std::size_t e = std::min(number.find_first_of("eE"), number.size());
  const std::string_view digits = number.substr(0, e);
  const std::size_t point = std::min(digits.find('.'), digits.size());
  const std::size_t first = digits.find_first_of("123456789");
  const auto place = static_cast<std::int64_t>(point) - static_cast<std::int64_t>(first);
  std::string_view exponent = number.substr(std::min(e + 1, number.size()));
  const bool is_negative = exponent.starts_with('-');
  if (is_negative || exponent.starts_with('+')) exponent.remove_prefix(1);
  // Larger than any digit position. Also used for an exponent that is out of range itself.
  constexpr std::int64_t kFarthest = std::numeric_limits<std::int64_t>::max() / 2;
  std::int64_t power = kFarthest;
  std::from_chars(exponent.data(), exponent.data() + exponent.size(), power);
  power = exponent.empty() ? 0 : std::min(power, kFarthest);
  return place + (is_negative ? -power : power) <= 0;
}

// Returns the nearest float or double of a number that std::from_chars rejected because it is too
// small; nullopt if it was too large.
template <typename Element>
std::optional<Element> next_to_zero(std::string_view number) {
  double wide = 0.0;
  const auto code = std::from_chars(number.data(), number.data() + number.size(), wide).ec;
  if (code == std::errc()) {
    return std::abs(wide) < 1.0 ? std::optional(static_cast<Element>(wide)) : std::nullopt;
  }
  if (!is_below_one(number)) return std::nullopt;
  return static_cast<Element>(number.starts_with('-') ? -0.0 : 0.0);
}

// Splits a header line into fields. Blanks are separators only if the line has no commas and
// semicolons. Separators within quotes are part of the field.
std::vector<std::string_view> split_fields(std::string_view line) {
  const std::string_view separators =
      line.find_first_of(",;") == std::string_view::npos ? " \t" : ",;";
  std::vector<std::string_view> fields;
  bool is_quoted = false;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= line.size(); ++i) {
    if (i < line.size() && line[i] == '"') is_quoted = !is_quoted;
    const bool ends =
        i == line.size() || (!is_quoted && separators.find(line[i]) != std::string_view::npos);
    if (!ends) continue;
    const std::string_view field = trim_spaces(line.substr(begin, i - begin));
    if (!field.empty() || separators[0] != ' ') fields.push_back(field);
    begin = i + 1;
  }
  return fields;
}

// Column names begin with a letter or a quote and are not numbers (nan, inf).
bool is_column_name(std::string_view field) {
  if (field.empty()) return false;
  const auto first = static_cast<unsigned char>(field[0]);
  const bool begins_as_name = (first >= 'a' && first <= 'z') || (first >= 'A' && first <= 'Z') ||
                              first == '_' || first == '"' || first >= 0x80;
  float number = 0.0f;
  const char* const end = field.data() + field.size();
  return begins_as_name && std::from_chars(field.data(), end, number).ptr != end;
}

std::string without_quotes(std::string_view field) {
  if (field.size() < 2 || field.front() != '"' || field.back() != '"') return std::string(field);
  std::string text(field.substr(1, field.size() - 2));
  for (std::size_t i = 0; (i = text.find("\"\"", i)) != std::string::npos; ++i) text.erase(i, 1);
  return text;
}

// Is the text a missing value, as R, pandas and spreadsheets write it?
bool is_missing(std::string_view text) {
  constexpr std::string_view kMissing[] = {"",     "NA",   "N/A",  "n/a", "#N/A",
                                           "NULL", "null", "None", "<NA>"};
  return std::ranges::find(kMissing, text) != std::end(kMissing);
}

// Also with a decimal comma.
bool is_number(std::string text) {
  std::ranges::replace(text, ',', '.');
  std::string_view digits = trim_spaces(text);
  if (digits.starts_with('+')) digits.remove_prefix(1);
  double number = 0.0;
  const char* const end = digits.data() + digits.size();
  const auto [last, code] = std::from_chars(digits.data(), end, number);
  return last == end && code != std::errc::invalid_argument;
}

// Returns the names in a header line; none if the line is not a header. A line of missing values
// or of numbers in quotes is a row that cannot be read.
std::vector<std::string> header_names(std::string_view line) {
  std::vector<std::string> names;
  bool has_name = false;
  for (const std::string_view field : split_fields(line)) {
    if (!is_column_name(field)) return {};
    names.push_back(without_quotes(field));
    has_name = has_name || !(is_missing(names.back()) || is_number(names.back()));
  }
  return has_name ? names : std::vector<std::string>{};
}

bool is_comment(std::string_view line) {
  return line.starts_with('#') && !is_missing(split_fields(line).front());
}

// One line of a file, read from left to right.
template <typename Element>
class CsvLine {
 public:
  CsvLine(std::string_view text, std::size_t number, const std::string& file)
      : rest_(text), number_(number), file_(file) {}

  [[noreturn]] void fail(const std::string& reason) const {
    throw MatrixFileError(file_, fmt::format("line {}: {}", number_, reason));
  }

  // Appends the numbers of the line and returns how many there are. Fails if there are none.
  std::int64_t append_to(std::vector<Element>& values) {
    if (rest_.find(';') != std::string_view::npos && rest_.find(',') != std::string_view::npos) {
      fail("has commas and semicolons: write numbers with a decimal point, not a comma");
    }
    if (rest_.front() == ',' || rest_.front() == ';') {
      fail(
          "a number is missing before the first separator; pandas writes its index column like "
          "this: to_csv(..., index=False) leaves it out");
    }
    for (std::int64_t count = 1;; ++count) {
      values.push_back(number());
      if (rest_.empty()) return count;
      skip_separator();
    }
  }

 private:
  // Skips spaces, or a comma or semicolon with optional spaces around it.
  void skip_separator() {
    rest_ = trim_spaces(rest_);
    if (!rest_.starts_with(',') && !rest_.starts_with(';')) return;
    const char separator = rest_.front();
    rest_ = trim_spaces(rest_.substr(1));
    if (rest_.empty()) {
      fail(
          fmt::format("nothing follows the last {}: add the missing number, or remove the "
                      "separator from the ends of the lines",
                      separator == ',' ? "comma" : "semicolon"));
    }
  }

  Element number() {
    const std::string_view field = rest_.substr(0, rest_.find_first_of(",; \t"));
    if (field.empty()) fail("a number is missing between two separators");
    rest_.remove_prefix(field.size());
    const bool has_plus = field.size() > 1 && field[0] == '+' && field[1] != '-';
    const std::string_view text = field.substr(has_plus ? 1 : 0);
    const char* const end = text.data() + text.size();
    Element value = 0;
    const auto [last, code] = std::from_chars(text.data(), end, value);
    const bool out_of_range = code == std::errc::result_out_of_range;
    if (last != end || (code != std::errc() && !out_of_range)) {
      fail(fmt::format("{} is not a number{}", in_quotes(field),
                       field.starts_with('"') ? "; write numbers without quotes"
                       : is_missing(field)    ? "; replace missing values"
                                              : ""));
    }
    if (!out_of_range) return value;
    if (const auto small = next_to_zero<Element>(text)) return *small;
    fail(fmt::format("{} is out of range for a {}", in_quotes(field),
                     sizeof(Element) == sizeof(float) ? "float" : "double"));
  }

  std::string_view rest_;
  std::size_t number_;
  const std::string& file_;
};

}  // namespace

template <typename Element>
HostMatrix<Element> parse_csv(std::string_view content, const std::string& file) {
  if (content.starts_with("\xff\xfe") || content.starts_with("\xfe\xff")) {
    throw MatrixFileError(file, "is text in UTF-16; save it as UTF-8");
  }
  content = without_byte_order_mark(content);
  HostMatrix<Element> matrix;
  std::vector<std::string>& names = matrix.column_names;
  for (std::size_t number = 1; !content.empty(); ++number) {
    const std::string_view text = trim_spaces(take_line(content));
    if (text.empty() || is_comment(text)) continue;
    if (matrix.rows == 0 && names.empty()) {
      names = header_names(text);
      if (!names.empty()) continue;
    }
    CsvLine<Element> line(text, number, file);
    const std::int64_t count = line.append_to(matrix.values);
    if (matrix.rows == 0) matrix.columns = count;
    if (!names.empty() && std::cmp_not_equal(count, names.size())) {
      line.fail(fmt::format("has {} numbers, but the header has {} names", count, names.size()));
    }
    if (count != matrix.columns) {
      line.fail(
          fmt::format("has {} numbers, but the previous rows have {}", count, matrix.columns));
    }
    ++matrix.rows;
  }
  if (matrix.rows == 0) throw MatrixFileError(file, "has no rows");
  return matrix;
}

template FloatMatrix parse_csv<float>(std::string_view content, const std::string& file);
template DoubleMatrix parse_csv<double>(std::string_view content, const std::string& file);

std::string csv_text(const FloatMatrix& matrix) {
  std::string text;
  const auto columns = static_cast<std::size_t>(matrix.columns);
  for (std::size_t i = 0; i < matrix.values.size(); ++i) {
    fmt::format_to(std::back_inserter(text), "{}{}", matrix.values[i],
                   (i + 1) % columns == 0 ? '\n' : ',');
  }
  return text;
}

}  // namespace tilewright
