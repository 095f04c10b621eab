#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <iterator>
#include <system_error>

#include "matrix_text.hpp"
#include "profiles/quoted.hpp"

namespace tilewright {
namespace {

bool is_space(char c) {
  return c == ' ' || c == '\t';
}

std::string_view without_space_around(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && (is_space(text.back()) || text.back() == '\r')) text.remove_suffix(1);
  return text;
}

// One line of a file, read from left to right.
class CsvLine {
 public:
  CsvLine(std::string_view text, std::size_t number, const std::string& file)
      : rest_(text), number_(number), file_(file) {}

  [[noreturn]] void fail(const std::string& reason) const {
    throw MatrixFileError(file_, fmt::format("line {}: {}", number_, reason));
  }

  // Appends the numbers of the line, which has one at least, and returns how many there are.
  std::int64_t append_to(std::vector<float>& values) {
    for (std::int64_t count = 1;; ++count) {
      values.push_back(number());
      if (rest_.empty()) return count;
      skip_separator();
    }
  }

 private:
  // Spaces, or a comma with or without spaces around it.
  void skip_separator() {
    rest_ = without_space_around(rest_);
    if (!rest_.starts_with(',')) return;
    rest_ = without_space_around(rest_.substr(1));
    if (rest_.empty()) fail("nothing follows the last comma");
  }

  float number() {
    const std::string_view field = rest_.substr(0, rest_.find_first_of(", \t"));
    if (field.empty()) fail("a number is missing before a comma");
    rest_.remove_prefix(field.size());
    const bool has_plus = field.size() > 1 && field[0] == '+' && field[1] != '-';
    const char* const begin = field.data() + (has_plus ? 1 : 0);
    const char* const end = field.data() + field.size();
    float value = 0.0f;
    auto [last, code] = std::from_chars(begin, end, value);
    if (code == std::errc::result_out_of_range) {
      // Too small for a float is 0 or what is next to it; too large is an error.
      double wide = 0.0;
      const std::from_chars_result again = std::from_chars(begin, end, wide);
      if (again.ec != std::errc() || std::abs(wide) > 1.0) {
        fail(fmt::format("{} is beyond the range of floats", in_quotes(field)));
      }
      value = static_cast<float>(wide);
      code = again.ec;
    }
    if (code != std::errc() || last != end) fail(fmt::format("{} is no number", in_quotes(field)));
    return value;
  }

  std::string_view rest_;
  std::size_t number_;
  const std::string& file_;
};

}  // namespace

FloatMatrix parse_csv(std::string_view content, const std::string& file) {
  FloatMatrix matrix;
  for (std::size_t number = 1; !content.empty(); ++number) {
    const std::size_t end = content.find('\n');
    const std::string_view text = without_space_around(content.substr(0, end));
    content.remove_prefix(end == std::string_view::npos ? content.size() : end + 1);
    if (text.empty() || text.front() == '#') continue;
    CsvLine line(text, number, file);
    const std::int64_t count = line.append_to(matrix.values);
    if (matrix.rows == 0) matrix.columns = count;
    if (count != matrix.columns) {
      line.fail(fmt::format("has {} numbers, the rows before it have {}", count, matrix.columns));
    }
    ++matrix.rows;
  }
  if (matrix.rows == 0) throw MatrixFileError(file, "holds no row");
  return matrix;
}

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
