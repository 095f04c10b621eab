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

constexpr const char* kTooManyKeys = "has too many keys for a profile";
constexpr const char* kValueError =
    "has a value that is not a string, a number, a boolean or an array of up to 16 numbers";
constexpr const char* kForeignLineEnds = "has line ends of another system (CR LF)";

bool is_toml_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_key_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_toml_digit(c) || c == '_' ||
         c == '-';
}
bool is_number_character(char c) {
  return is_toml_digit(c) || c == '+' || c == '-' || c == '.' || c == 'e' || c == 'E';
}

bool has_key(const TomlText& text, const TomlSection& section, std::string_view key) {
  const auto first = text.pairs.begin() + static_cast<std::ptrdiff_t>(section.first);
  return std::any_of(first, first + static_cast<std::ptrdiff_t>(section.num_keys),
                     [&](const TomlPair& pair) { return pair.key == key; });
}

std::string dotted_key(const TomlSection& section, std::string_view key) {
  const std::string path = section.path();
  if (key.empty()) return path;
  return path.empty() ? key_text(key) : fmt::format("{}.{}", path, key_text(key));
}

// Reads the lines of a text. The functions that consume something return whether it was present.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) { add_section({}); }

  TomlText read() {
    while (at_ < text_.size() && take_line()) {
    }
    result_.error_key = dotted_key(result_.sections.back(), key_);
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
    key_ = {};
    const bool is_array = take("[[");
    if (!is_array) take("[");
    const std::size_t begin = at_;
    bool good = take_key();
    const std::string_view outer = text_.substr(begin, at_ - begin);
    const bool is_inner = good && !is_array && take(".");
    if (is_inner) good = take_key();
    const std::string_view name = text_.substr(begin, at_ - begin);
    if (!good || !take(is_array ? "]]" : "]")) return fail("is not a table header like [table]");
    return enter_header(name, is_inner ? outer : "", is_array);
  }

  // Adds the section of a header. [a.b] defines a table a if there is none; it is not allowed if a
  // is a value or an array of tables. `outer` is "a" then, and empty for other headers.
  bool enter_header(std::string_view name, std::string_view outer, bool is_array) {
    bool is_new = true;
    const TomlSection* parent = &result_.sections.front();
    if (!outer.empty()) {
      is_new = !has_key(result_, *parent, outer);
      if (!result_.by_name.contains(outer)) add_section({outer, -1, line_, true});
      parent = &result_.sections[result_.by_name[outer].front()];
      is_new = is_new && parent->entry < 0;
    }
    const std::string_view key = outer.empty() ? name : name.substr(outer.size() + 1);
    is_new = is_new && !has_key(result_, *parent, key);
    const auto known = result_.by_name.find(name);
    if (known != result_.by_name.end()) {
      const TomlSection& first = result_.sections[known->second.front()];
      is_new = is_new && (is_array ? first.entry >= 0 : first.is_implied);
      if (is_new && !is_array) known->second.clear();
    }
    const bool in_array = is_array && is_new;
    add_section({name, in_array ? static_cast<int>(result_.by_name[name].size()) : -1, line_});
    if (!is_new) return fail_redefinition();
    return has_room();
  }

  void add_section(TomlSection section) {
    section.first = result_.pairs.size();
    result_.by_name[section.name].push_back(result_.sections.size());
    result_.sections.push_back(section);
  }

  bool take_pair() {
    const std::size_t begin = at_;
    take_key();
    key_ = text_.substr(begin, at_ - begin);
    take_blanks();
    TomlPair& pair = result_.pairs.emplace_back(TomlPair{key_, line_, {}, {}});
    if (!take("=")) return fail("is not TOML of the form: key = value");
    take_blanks();
    const std::size_t value = at_;
    const bool good = take_value(pair.value);
    pair.written = text_.substr(value, at_ - value);
    return good && enter_key() && has_room();
  }

  // Adds the last pair to its table. Its key must be new, and no table in it may have that name.
  // (Entries of arrays contain no tables.)
  bool enter_key() {
    TomlSection& section = result_.sections.back();
    const bool may_hold_tables = section.entry < 0 && !section.name.empty();
    if (has_key(result_, section, key_) ||
        (may_hold_tables && result_.by_name.contains(fmt::format("{}.{}", section.name, key_)))) {
      return fail_redefinition();
    }
    return ++section.num_keys <= kMaxTomlKeys || fail(kTooManyKeys);
  }

  bool has_room() {
    return result_.pairs.size() + result_.sections.size() < kMaxStatements || fail(kTooManyKeys);
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
    if (!is_toml_digit(peek())) {
      for (const char* word : {"true", "false", "inf", "-inf", "nan"}) {
        if (take(word)) return parse_toml_number(word);
      }
    }
    while (is_number_character(peek())) ++at_;
    if (at_ == begin) {
      fail(kValueError);
      return std::nullopt;
    }
    const auto number = parse_toml_number(text_.substr(begin, at_ - begin));
    if (!number) fail("is not TOML: has an invalid number, or one beyond 64 bits");
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
    return fail("has a string without end");
  }

  bool unescape(std::string_view inside, TomlValue& value) {
    std::optional<std::string> meant = unescape_toml(inside);
    if (!meant) return fail("is not TOML: has an unknown escape sequence in a string");
    return hold(value, std::move(*meant));
  }

  bool take_long_string(TomlValue& value) {
    at_ += 3;
    const std::size_t end = text_.find("'''", at_);
    if (end == std::string_view::npos) return fail("has a string without end");
    std::string_view inside = text_.substr(at_, end - at_);
    line_ += static_cast<int>(std::count(inside.begin(), inside.end(), '\n'));
    if (inside.starts_with('\n')) inside.remove_prefix(1);
    at_ = end + 3;
    std::size_t apostrophes = 0;  // up to two more belong to the string
    while (apostrophes < 2 && take("'")) ++apostrophes;
    return hold(value, std::string(inside).append(apostrophes, '\''));
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
    if (!text_.substr(at_).starts_with(expected)) return false;
    at_ += expected.size();
    line_ += expected == "\n" ? 1 : 0;
    return true;
  }

  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  bool fail_redefinition() {
    return fail(fmt::format("is not TOML: {} is defined a second time",
                            dotted_key(result_.sections.back(), key_)));
  }

  bool fail(std::string message) {
    result_.error = std::move(message);
    result_.error_line = line_;
    return false;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int line_ = 1;
  std::string_view key_;  // key of the current statement; empty for a header
  TomlText result_;
};

}  // namespace

std::string TomlSection::path() const {
  if (name.empty()) return "";
  return entry < 0 ? key_text(name) : fmt::format("{}[{}]", key_text(name), entry);
}

TomlText read_toml(std::string_view text) {
  const std::size_t forbidden = find_forbidden(text);
  TomlText result = Reader(text.substr(0, forbidden)).read();
  if (forbidden == std::string_view::npos) return result;
  const auto byte = static_cast<unsigned char>(text[forbidden]);
  result.error = byte == '\r'  ? kForeignLineEnds
                 : byte < 0x80 ? "is not TOML: has a control character"
                               : "is not TOML: has bytes that are not UTF-8";
  const std::string_view before = text.substr(0, forbidden);
  result.error_line = 1 + static_cast<int>(std::count(before.begin(), before.end(), '\n'));
  return result;
}

}  // namespace tilewright
