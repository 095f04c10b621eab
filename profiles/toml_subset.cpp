#include "profiles/toml_subset.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "profiles/quoted.hpp"

namespace tilewright {
namespace {

// Far more than a profile needs.
constexpr std::size_t kMaxStatements = 100'000;
constexpr int kMaxElements = 16;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_key_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_' || c == '-';
}
bool is_number_character(char c) {
  return is_digit(c) || c == '+' || c == '-' || c == '.' || c == 'e' || c == 'E';
}

// Walks through the lines of a text. The functions that take something return whether it was there.
class OutlineReader {
 public:
  explicit OutlineReader(std::string_view text) : text_(text) {}

  TomlOutline read() {
    while (at_ < text_.size() && take_line()) {
    }
    return std::move(outline_);
  }

 private:
  bool take_line() {
    take_blanks();
    if (peek() == '[' || is_key_character(peek())) {
      if (!(peek() == '[' ? take_header() : take_pair())) return false;
      take_blanks();
    }
    if (peek() == '#') at_ = std::min(text_.find('\n', at_), text_.size());
    if (at_ == text_.size() || take("\n")) return true;
    if (text_.substr(at_, 2) == "\r\n") return fail("has the line ends of another system (CR LF)");
    return fail("is not TOML of the form: key = value, [table] or [[table]]");
  }

  bool take_header() {
    begin_statement(scope_);
    const bool is_array = take("[[");
    if (!is_array) take("[");
    const std::size_t begin = at_;
    bool good = take_key();
    if (good && !is_array && take(".")) good = take_key();
    const std::string_view name = text_.substr(begin, at_ - begin);
    if (!good || !take(is_array ? "]]" : "]")) return fail("is not a table header like [table]");
    scope_ = key_text(name);
    if (is_array) scope_ += fmt::format("[{}]", num_entries_[scope_]++);
    outline_.statements.back().key = scope_;
    return has_room();
  }

  bool take_pair() {
    const std::size_t begin = at_;
    take_key();
    const std::string key = key_text(text_.substr(begin, at_ - begin));
    begin_statement(scope_.empty() ? key : fmt::format("{}.{}", scope_, key));
    take_blanks();
    if (!take("=")) return fail("is not TOML of the form: key = value");
    take_blanks();
    const std::size_t value = at_;
    if (!take_value()) return false;
    outline_.statements.back().value = text_.substr(value, at_ - value);
    return has_room();
  }

  bool take_value() {
    if (peek() == '"' || peek() == '\'') return take_string();
    if (peek() != '[') return take_word() || fail_value();
    take("[");
    for (int i = 0; i < kMaxElements; ++i) {
      take_blanks();
      if (!take_word()) return fail_value();
      take_blanks();
      if (take("]")) return true;
      if (!take(",")) return fail_value();
    }
    return fail_value();
  }

  // A number, roughly, or a boolean; the parser looks closer.
  bool take_word() {
    for (const char* word : {"true", "false", "inf", "-inf", "nan"}) {
      if (take(word)) return true;
    }
    const std::size_t begin = at_;
    while (is_number_character(peek())) ++at_;
    return at_ > begin;
  }

  bool take_string() {
    if (text_.substr(at_, 3) == "'''") return take_long_string();
    if (text_.substr(at_, 3) == "\"\"\"") return fail_value();
    const char quote = peek();
    for (++at_; at_ < text_.size() && peek() != '\n'; ++at_) {
      if (peek() == quote) return take(text_.substr(at_, 1));
      if (peek() == '\\' && quote == '"' && at_ + 1 < text_.size() && text_[at_ + 1] != '\n') ++at_;
    }
    return fail("has a string that does not end");
  }

  bool take_long_string() {
    const std::size_t end = text_.find("'''", at_ + 3);
    if (end == std::string_view::npos) return fail("has a string that does not end");
    const std::string_view string = text_.substr(at_, end - at_);
    line_ += static_cast<int>(std::count(string.begin(), string.end(), '\n'));
    at_ = end + 3;
    for (int i = 0; i < 2; ++i) take("'");  // up to two more belong to the string
    return true;
  }

  bool take_key() {
    const std::size_t begin = at_;
    while (is_key_character(peek())) ++at_;
    return at_ > begin;
  }

  void take_blanks() {
    while (peek() == ' ' || peek() == '\t') ++at_;
  }

  bool take(std::string_view expected) {
    if (text_.substr(at_, expected.size()) != expected) return false;
    at_ += expected.size();
    line_ += expected == "\n" ? 1 : 0;
    return true;
  }

  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  void begin_statement(std::string key) {
    outline_.statements.push_back({line_, std::move(key), {}});
  }

  bool has_room() {
    return outline_.statements.size() < kMaxStatements || fail("has more keys than any profile");
  }

  bool fail_value() {
    return fail("has a value that is no string, number, boolean or array of a few numbers");
  }

  bool fail(const char* message) {
    outline_.error = message;
    outline_.error_line = line_;
    return false;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int line_ = 1;
  std::string scope_;                       // the table that the next keys belong to
  std::map<std::string, int> num_entries_;  // of each array of tables
  TomlOutline outline_;
};

}  // namespace

TomlOutline outline_of(std::string_view text) {
  return OutlineReader(text).read();
}

std::string key_at_line(const TomlOutline& outline, int line) {
  const auto after =
      std::upper_bound(outline.statements.begin(), outline.statements.end(), line,
                       [](int at, const TomlStatement& statement) { return at < statement.line; });
  return after == outline.statements.begin() ? "" : std::prev(after)->key;
}

}  // namespace tilewright
