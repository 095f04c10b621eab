// The rules are simple because they refuse whatever could be read in two ways: a compiler that
// splices lines, ends comments or sees white space differently than this file must not find a
// directive here that we did not. What generated kernels never need (literals, stringification) is
// refused with it.
#include "source_rules.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "profiles/kernel_record.hpp"
#include "profiles/quoted.hpp"

namespace tilewright {
namespace {

constexpr std::string_view kDirectives[] = {"pragma", "define", "undef", "if",   "ifdef",
                                            "ifndef", "else",   "elif",  "endif"};
// Others reach for files (GCC dependency, clang module, include_alias).
constexpr std::string_view kPragmas[] = {"OPENCL", "unroll"};
constexpr std::string_view kBuildOptions[] = {
    "-cl-mad-enable",      "-cl-no-signed-zeros",           "-cl-denorms-are-zero",
    "-cl-strict-aliasing", "-cl-single-precision-constant", "-cl-std=CL1.1",
    "-cl-std=CL1.2"};

bool is_one_of(std::string_view word, const auto& words) {
  return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_word_character(char c) {
  return is_letter(c) || (c >= '0' && c <= '9');
}

void skip_blanks(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
}

// Takes the word that `text` begins with, possibly empty.
std::string_view take_word(std::string_view& text) {
  const auto end = std::find_if_not(text.begin(), text.end(), is_word_character);
  const std::string_view word = text.substr(0, static_cast<std::size_t>(end - text.begin()));
  text.remove_prefix(word.size());
  return word;
}

// Joins lines that end in a backslash.
std::string spliced(std::string_view source) {
  std::string result;
  result.reserve(source.size());
  for (std::size_t i = 0; i < source.size(); ++i) {
    if (source.substr(i, 2) == "\\\n") {
      ++i;
    } else {
      result += source[i];
    }
  }
  return result;
}

// Each comment becomes a space, an unterminated one is kept. Literals need no care: a quotation
// mark outside of comments is refused, and before the first one there is nothing to misread.
std::string without_comments(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    std::size_t length = 0;
    if (text.starts_with("//")) {
      length = std::min(text.find('\n'), text.size());
    } else if (text.starts_with("/*")) {
      const std::size_t end = text.find("*/", 2);
      length = end == std::string_view::npos ? 0 : end + 2;
      if (length == 0) return result.append(text);
    }
    result += length > 0 ? ' ' : text.front();
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return result;
}

// What the TOML literal string cannot hold, or what compilers disagree about.
std::optional<std::string> forbidden_bytes(std::string_view source) {
  for (std::size_t i = 0; i < source.size(); ++i) {
    const auto c = static_cast<unsigned char>(source[i]);
    if ((c < 0x20 && c != '\n' && c != '\t') || c == 0x7f) {
      return fmt::format("has a control character (byte {:#04x})", c);
    }
    if (c == '\\' && i + 1 < source.size() && source[i + 1] != '\n') {
      const std::size_t next = source.find_first_not_of(" \t", i + 1);
      if (next != std::string_view::npos && source[next] == '\n') {
        return "has blanks between a backslash and the end of its line";
      }
    }
  }
  if (source.find("'''") != std::string_view::npos) return "has three apostrophes in a row";
  return std::nullopt;
}

// `line` begins with the # of a directive.
std::optional<std::string> forbidden_directive(std::string_view line) {
  line.remove_prefix(1);
  skip_blanks(line);
  const std::string_view name = take_word(line);
  if (!is_one_of(name, kDirectives)) {
    return fmt::format("has the preprocessing directive #{}, which is not allowed",
                       name.empty() ? "" : in_quotes(name));
  }
  skip_blanks(line);
  if (name == "pragma" && !is_one_of(take_word(line), kPragmas)) {
    return "has a #pragma other than OPENCL and unroll";
  }
  return std::nullopt;
}

std::optional<std::string> forbidden_line(std::string_view line) {
  skip_blanks(line);
  if (line.starts_with('#')) {
    if (auto reason = forbidden_directive(line)) return reason;
    line.remove_prefix(1);
  }
  for (std::size_t i = line.find('#'); i != std::string_view::npos; i = line.find('#', i + 2)) {
    if (line.substr(i, 2) != "##") return "has a # that neither begins a line nor is part of ##";
  }
  return std::nullopt;
}

std::optional<std::string> forbidden_character(std::string_view code) {
  for (const char c : code) {
    if (c == '"' || c == '\'') return "has a string or character literal";
    if (c == '\\') return "has a backslash that does not end a line";
    if (static_cast<unsigned char>(c) > 0x7e) return "has a character outside ASCII in its code";
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> forbidden_source(std::string_view source) {
  if (auto reason = forbidden_bytes(source)) return reason;
  const std::string lines = spliced(source);
  if (lines.find("??") != std::string::npos) return "has two question marks in a row (a trigraph)";
  const std::string code = without_comments(lines);
  if (code.find("/*") != std::string::npos) return "has a comment that does not end";
  if (code.find("%:") != std::string::npos) return "has the digraph %:";
  for (std::string_view rest = code; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    if (auto reason = forbidden_line(line)) return reason;
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
  }
  for (const char* probe : {"__has_include", "__has_embed"}) {
    if (code.find(probe) != std::string::npos) return fmt::format("asks for files ({})", probe);
  }
  return forbidden_character(code);
}

std::optional<std::string> forbidden_build_option(std::string_view build_options) {
  while (!build_options.empty()) {
    const std::string_view word = build_options.substr(0, build_options.find(' '));
    if (!word.empty() && !is_one_of(word, kBuildOptions)) return std::string(word);
    build_options.remove_prefix(std::min(word.size() + 1, build_options.size()));
  }
  return std::nullopt;
}

bool declares_kernel(std::string_view source, std::string_view entry) {
  const std::string code = without_comments(spliced(source));
  bool in_declaration = false;
  for (std::string_view rest = code; !rest.empty();) {
    const std::string_view word = take_word(rest);
    if (word.empty()) {
      if (rest.front() == '{' || rest.front() == ';') in_declaration = false;
      rest.remove_prefix(1);
    } else if (word == "__kernel" || word == "kernel") {
      in_declaration = true;
    } else if (in_declaration && word == entry) {
      const std::size_t next = rest.find_first_not_of(" \t\n");
      if (next != std::string_view::npos && rest[next] == '(') return true;
    }
  }
  return false;
}

bool is_identifier(std::string_view text) {
  return !text.empty() && is_letter(text.front()) &&
         std::all_of(text.begin(), text.end(), is_word_character);
}

}  // namespace tilewright
