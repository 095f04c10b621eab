#include "profiles/toml_subset.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "profiles/base/printable.hpp"
#include "toml_value.hpp"

namespace tilewright {
namespace {

// Far more than a profile needs.
constexpr std::size_t kMaxStatements = 100'000;
constexpr int kMaxElements = 16;

constexpr const char* kValueError =
    "has a value that is no string, number, boolean or array of a few numbers";
constexpr const char* kForeignLineEnds = "has the line ends of another system (CR LF)";

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_key_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_' || c == '-';
}
bool is_number_character(char c) {
  return is_digit(c) || c == '+' || c == '-' || c == '.' || c == 'e' || c == 'E';
}

// Reads the lines of a text. The functions that consume something return whether it was present.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  TomlText read() {
    while (at_ < text_.size() && take_line()) {
    }
    return std::move(result_);
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
    return fail("is not TOML of the form: key = value, [table] or [[table]]");
  }

  bool take_header() {
    begin_statement(scope_);
    const bool is_array = take("[[");
    if (!is_array) take("[");
    const std::size_t begin = at_;
    bool good = take_key();
    const std::string outer(text_.substr(begin, at_ - begin));
    const bool is_inner = good && !is_array && take(".");
    if (is_inner) good = take_key();
    const std::string name = key_text(text_.substr(begin, at_ - begin));
    if (!good || !take(is_array ? "]]" : "]")) return fail("is not a table header like [table]");
    result_.statements.back().key = scope_ = name;
    if (is_inner && !enter_outer(key_text(outer))) return fail_redefinition(name);
    if (is_array) {
      if (result_.find(name) != nullptr) return fail_redefinition(name);
      scope_ += fmt::format("[{}]", result_.num_entries[name]++);
      result_.statements.back().key = scope_;
    }
    return enter();
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
    const bool good = take_value(result_.statements.back().value);
    result_.statements.back().written = text_.substr(value, at_ - value);
    return good && enter();
  }

  bool take_value(TomlValue& value) {
    if (peek() == '"' || peek() == '\'') return take_string(value);
    if (peek() == '[') return take_array(value);
    const std::optional<TomlNumber> number = take_number();
    if (!number) return false;
    std::visit([&](auto of_kind) { value = of_kind; }, *number);
    return true;
  }

  bool take_array(TomlValue& value) {
    take("[");
    auto& elements = value.emplace<std::vector<TomlNumber>>();
    for (int i = 0; i < kMaxElements; ++i) {
      take_blanks();
      const std::optional<TomlNumber> number = take_number();
      if (!number) return false;
      elements.push_back(*number);
      take_blanks();
      if (take("]")) return true;
      if (!take(",")) break;
    }
    return fail(kValueError);
  }

  std::optional<TomlNumber> take_number() {
    const std::size_t begin = at_;
    for (const char* word : {"true", "false", "inf", "-inf", "nan"}) {
      if (take(word)) return parse_toml_number(word);
    }
    while (is_number_character(peek())) ++at_;
    if (at_ == begin) {
      fail(kValueError);
      return std::nullopt;
    }
    const auto number = parse_toml_number(text_.substr(begin, at_ - begin));
    if (!number) fail("is not TOML: has a number of another form, or beyond 64 bits");
    return number;
  }

  bool take_string(TomlValue& value) {
    if (text_.substr(at_, 3) == "'''") return take_long_string(value);
    if (text_.substr(at_, 3) == "\"\"\"") return fail(kValueError);
    const char quote = peek();
    const std::size_t begin = ++at_;
    for (; at_ < text_.size() && peek() != '\n'; ++at_) {
      if (peek() == quote) {
        const std::string_view inside = text_.substr(begin, at_++ - begin);
        return quote == '"' ? unescape(inside, value) : hold(value, std::string(inside));
      }
      if (peek() == '\\' && quote == '"' && at_ + 1 < text_.size() && text_[at_ + 1] != '\n') ++at_;
    }
    return fail("has a string that does not end");
  }

  bool unescape(std::string_view inside, TomlValue& value) {
    std::optional<std::string> meant = unescape_toml(inside);
    if (!meant) return fail("is not TOML: has an escape that is none in a string");
    return hold(value, std::move(*meant));
  }

  bool take_long_string(TomlValue& value) {
    at_ += 3;
    const std::size_t end = text_.find("'''", at_);
    if (end == std::string_view::npos) return fail("has a string that does not end");
    std::string inside(text_.substr(at_, end - at_));
    line_ += static_cast<int>(std::count(inside.begin(), inside.end(), '\n'));
    if (inside.starts_with('\n')) inside.erase(0, 1);
    at_ = end + 3;
    for (int i = 0; i < 2 && take("'"); ++i)
      // Up to two more apostrophes belong to the string.
      inside += '\'';
    return hold(value, std::move(inside));
  }

  static bool hold(TomlValue& value, std::string text) {
    value = std::move(text);
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
    result_.statements.push_back({line_, std::move(key), {}, {}});
  }

  // [a.b] defines a table a if there is none. Not allowed if a is a value or an entry of [[a]].
  bool enter_outer(const std::string& outer) {
    if (result_.num_entries.contains(outer)) return false;
    const auto at = result_.index.emplace(outer, result_.statements.size() - 1).first;
    return std::holds_alternative<std::monostate>(result_.statements[at->second].value);
  }

  // Called at the end of a statement: its key must be new, or that of a table that was only implied
  // so far.
  bool enter() {
    const std::string& key = result_.statements.back().key;
    if (result_.num_entries.contains(key)) return fail_redefinition(key);
    const auto [at, is_new] = result_.index.emplace(key, result_.statements.size() - 1);
    if (!is_new && result_.statements[at->second].key == key) return fail_redefinition(key);
    at->second = result_.statements.size() - 1;
    return result_.statements.size() < kMaxStatements || fail("has more keys than any profile");
  }

  bool fail_redefinition(const std::string& key) {
    return fail(fmt::format("is not TOML: cannot redefine {}", key));
  }

  bool fail(std::string message) {
    result_.error = std::move(message);
    result_.error_line = line_;
    return false;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int line_ = 1;
  std::string scope_;  // the table that the following keys belong to
  TomlText result_;
};

}  // namespace

const TomlStatement* TomlText::find(std::string_view key) const {
  const auto found = index.find(key);
  return found == index.end() ? nullptr : &statements[found->second];
}

TomlText read_toml(std::string_view text) {
  const std::size_t forbidden = find_forbidden(text);
  TomlText result = Reader(text.substr(0, forbidden)).read();
  if (forbidden == std::string_view::npos) return result;
  const auto byte = static_cast<unsigned char>(text[forbidden]);
  result.error = byte == '\r'  ? kForeignLineEnds
                 : byte < 0x80 ? "is not TOML: has a control character"
                               : "is not TOML: has bytes that are no utf-8";
  const std::string_view before = text.substr(0, forbidden);
  result.error_line = 1 + static_cast<int>(std::count(before.begin(), before.end(), '\n'));
  return result;
}

std::string key_at_line(const TomlText& text, int line) {
  const auto after =
      std::upper_bound(text.statements.begin(), text.statements.end(), line,
                       [](int at, const TomlStatement& statement) { return at < statement.line; });
  return after == text.statements.begin() ? "" : std::prev(after)->key;
}

int line_of_key(const TomlText& text, std::string_view dotted) {
  if (text.num_entries.contains(dotted)) return text.find(fmt::format("{}[0]", dotted))->line;
  while (!dotted.empty()) {
    if (const TomlStatement* statement = text.find(dotted)) return statement->line;
    const std::size_t end = dotted.find_last_of(".[");
    dotted = dotted.substr(0, end == std::string_view::npos ? 0 : end);
  }
  return 1;
}

}  // namespace tilewright
