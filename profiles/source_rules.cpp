// The rules are an allow-list: they accept what our generators write, and nothing else. A
// preprocessor may splice lines, join words or treat white space differently from this file, and
// must not find a directive that this file did not see. So there are no literals, no backslashes,
// no macros except those that type_prelude.hpp defines, and conditions only in the one form that
// generated kernels contain.
#include "source_rules.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>

#include "profiles/base/printable.hpp"
#include "profiles/kernel_record.hpp"
#include "profiles/type_prelude.hpp"

namespace tilewright {
namespace {

// Apart from definitions of types, kernels may contain only these preprocessor lines. The pragmas
// enable double and half precision. The conditions ask whether the compiler has non-temporal stores
// (codelets/pack/pack_codelet.cpp).
constexpr std::string_view kDirectives[] = {
    "#pragma OPENCL EXTENSION cl_khr_fp64 : enable",
    "#pragma OPENCL EXTENSION cl_khr_fp16 : enable", "#ifdef __has_builtin",
    "#if __has_builtin(__builtin_nontemporal_store)", "#endif"};
// In addition to letters and digits. Comments may also contain quotation marks and similar
// characters.
constexpr std::string_view kPunctuation = " \t\n()[]{}<>=+-*/%&|^~!?:;,._";
// Words reserved for the compiler (such as __FILE__, _Pragma, __asm__) that kernels may contain.
constexpr std::string_view kReservedWords[] = {
    "__kernel",     "__global",      "__local",
    "__constant",   "__private",     "__read_only",
    "__write_only", "__attribute__", "__builtin_nontemporal_store"};
// Other attributes name sections and aliases, or code that runs when a program is loaded.
constexpr std::string_view kAttributes[] = {"reqd_work_group_size", "work_group_size_hint",
                                            "aligned", "noinline"};
// A kernel only computes: it may not print, and may not contain assembler.
constexpr std::string_view kForbiddenWords[] = {"printf", "asm"};
// Alternative spellings of brackets and #.
constexpr std::string_view kDigraphs[] = {"%:", "<:", ":>", "<%", "%>"};
constexpr std::string_view kBuildOptions[] = {
    "-cl-mad-enable",       "-cl-fast-relaxed-math", "-cl-no-signed-zeros",
    "-cl-denorms-are-zero", "-cl-strict-aliasing",   "-cl-single-precision-constant",
    "-cl-std=CL1.1",        "-cl-std=CL1.2"};

bool is_one_of(std::string_view word, const auto& words) {
  return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

// Classes of characters, in a table: profiles have megabytes of sources.
enum : std::uint8_t {
  kLetter = 1,
  kWord = 2,            // letters and digits
  kPlainInCode = 4,     // words, and punctuation that begins no digraph
  kBeginsForbidden = 8  // first characters of words and attributes that may be forbidden
};

constexpr std::array<std::uint8_t, 256> kClasses = [] {
  std::array<std::uint8_t, 256> classes{};
  for (std::size_t byte = 0; byte < 128; ++byte) {
    const char c = static_cast<char>(byte);
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    const bool word = letter || (c >= '0' && c <= '9');
    const bool begins_digraph = c == '%' || c == '<' || c == ':';
    const bool mark = kPunctuation.find(c) != std::string_view::npos && !begins_digraph;
    classes[byte] = static_cast<std::uint8_t>((letter ? kLetter : 0) | (word ? kWord : 0) |
                                              (word || mark ? kPlainInCode : 0));
  }
  classes['['] |= kBeginsForbidden;
  classes['_'] |= kBeginsForbidden;
  for (const std::string_view word : kForbiddenWords) {
    classes[static_cast<unsigned char>(word.front())] |= kBeginsForbidden;
  }
  return classes;
}();

bool is_in(std::uint8_t char_class, char c) {
  return (kClasses[static_cast<unsigned char>(c)] & char_class) != 0;
}
bool is_letter(char c) {
  return is_in(kLetter, c);
}
bool is_word_character(char c) {
  return is_in(kWord, c);
}

void skip_space(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t\n"), text.size()));
}

std::string_view trim_blanks(std::string_view line) {
  const std::size_t first = line.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return line.substr(first, line.find_last_not_of(" \t") - first + 1);
}

// Removes the first word, which may be empty, from `text` and returns it.
std::string_view take_word(std::string_view& text) {
  const auto end = std::find_if_not(text.begin(), text.end(), is_word_character);
  const std::string_view word = text.substr(0, static_cast<std::size_t>(end - text.begin()));
  text.remove_prefix(word.size());
  return word;
}

// Characters that no part of a source may contain, including comments, because a profile's text is
// also displayed.
std::optional<std::string> forbidden_bytes(std::string_view source) {
  if (!is_printable_ascii(source)) {
    const auto other = std::find_if_not(source.begin(), source.end(), [](const char& c) {
      return is_printable_ascii(std::string_view(&c, 1));
    });
    const auto byte = static_cast<unsigned char>(*other);
    return byte < 0x80 ? fmt::format("has a control character (byte {:#04x})", byte)
                       : fmt::format("has a character outside ASCII (byte {:#04x})", byte);
  }
  if (source.find('\\') != std::string_view::npos) return "has a backslash";
  // A TOML literal string cannot contain them.
  if (source.find("'''") != std::string_view::npos) return "has three apostrophes in a row";
  if (source.find("??") != std::string_view::npos)
    return "has two question marks in a row (a trigraph)";
  return std::nullopt;
}

std::optional<std::string> forbidden_character(std::string_view code) {
  for (std::size_t i = 0; i < code.size(); ++i) {
    const char c = code[i];
    if (is_in(kPlainInCode, c)) continue;
    if (c == '"' || c == '\'') return "has a string or character literal";
    if (c == '#') return "has a # that does not start a line";
    if (kPunctuation.find(c) == std::string_view::npos) {
      return fmt::format("has the character {}, which is not allowed in kernels",
                         in_quotes(std::string_view(&c, 1)));
    }
    const std::string_view pair = code.substr(i, 2);
    if (is_one_of(pair, kDigraphs)) return fmt::format("has the digraph {}", pair);
  }
  return std::nullopt;
}

// `text` is the text after __attribute__: ((name)) or ((name(1, 2, 3))).
bool is_allowed_attribute(std::string_view text) {
  const auto take = [&](char c) {
    skip_space(text);
    const bool found = text.starts_with(c);
    if (found) text.remove_prefix(1);
    return found;
  };
  if (!take('(') || !take('(')) return false;
  skip_space(text);
  if (!is_one_of(take_word(text), kAttributes)) return false;
  if (take('(')) {
    text.remove_prefix(std::min(text.find_first_not_of("0123456789, "), text.size()));
    if (!take(')')) return false;
  }
  return take(')') && take(')');
}

std::optional<std::string> forbidden_word(std::string_view code) {
  for (std::size_t i = 0; i < code.size(); ++i) {
    if (!is_in(kBeginsForbidden, code[i])) continue;
    std::string_view rest = code.substr(i);
    if (rest.front() == '[') {
      rest.remove_prefix(1);
      skip_space(rest);
      if (rest.starts_with('[')) return "has an attribute ([[)";
    }
    if (i > 0 && is_word_character(code[i - 1])) continue;
    const std::string_view word = take_word(rest);
    const bool reserved = word.starts_with("__") ||
                          (word.size() > 1 && word[0] == '_' && word[1] >= 'A' && word[1] <= 'Z');
    if ((reserved && !is_one_of(word, kReservedWords)) || is_one_of(word, kForbiddenWords)) {
      return fmt::format("has the word {}, which is not allowed in kernels", in_quotes(word));
    }
    if (word == "__attribute__" && !is_allowed_attribute(rest)) {
      return fmt::format("has an __attribute__ other than {}", fmt::join(kAttributes, ", "));
    }
  }
  return std::nullopt;
}

// Overwrites the directives in `code` with blanks, or returns the error if one is not allowed.
std::optional<std::string> blank_directives(std::string& code) {
  for (std::size_t at = 0; at < code.size();) {
    const std::size_t end = std::min(code.find('\n', at), code.size());
    const auto line = std::string_view(code).substr(at, end - at);
    const std::string_view directive = trim_blanks(line);
    if (directive.starts_with('#')) {
      if (!is_one_of(directive, kDirectives) && !is_type_definition(directive)) {
        return fmt::format("has the preprocessing directive {}, which is not allowed",
                           in_quotes(directive));
      }
      std::fill_n(code.begin() + static_cast<std::ptrdiff_t>(at), line.size(), ' ');
    }
    at = end + 1;
  }
  return std::nullopt;
}

}  // namespace

// Literals need no special treatment: a quotation mark outside of comments is rejected, and nothing
// before the first one can be misread.
std::string without_comments(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const std::size_t code = std::min(text.find('/'), text.size());
    result.append(text.substr(0, code));
    text.remove_prefix(code);
    std::size_t length = 0;
    if (text.starts_with("//")) {
      length = std::min(text.find('\n'), text.size());
    } else if (text.starts_with("/*")) {
      const std::size_t end = text.find("*/", 2);
      length = end == std::string_view::npos ? 0 : end + 2;
      if (length == 0) return result.append(text);
    }
    if (text.empty()) break;
    result += length > 0 ? ' ' : '/';
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return result;
}

std::optional<std::string> forbidden_source(std::string_view source) {
  if (auto reason = forbidden_bytes(source)) return reason;
  std::string code = without_comments(source);
  if (code.find("/*") != std::string::npos) return "has a comment without end";
  if (auto reason = blank_directives(code)) return reason;
  if (auto reason = forbidden_character(code)) return reason;
  return forbidden_word(code);
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
  const std::string code = without_comments(source);
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

int widest_global_vector(std::string_view source) {
  constexpr std::string_view kGlobal = "__global";
  const std::string code = without_comments(source);
  int widest = 1;
  std::string_view rest = code;
  for (std::size_t at = 0; (at = rest.find(kGlobal)) != std::string_view::npos;) {
    rest.remove_prefix(at + kGlobal.size());
    // The words of the type, for example "const float4", and then perhaps a `*`.
    int width = 1;
    for (skip_space(rest); !rest.empty() && is_word_character(rest.front()); skip_space(rest)) {
      const std::string_view word = take_word(rest);
      const std::size_t digits = word.find_last_not_of("0123456789") + 1;
      width = 1;
      std::from_chars(word.data() + digits, word.data() + word.size(), width);
    }
    if (rest.starts_with('*')) widest = std::max(widest, width);
  }
  return widest;
}

bool is_identifier(std::string_view text) {
  return !text.empty() && is_letter(text.front()) &&
         std::all_of(text.begin(), text.end(), is_word_character);
}

}  // namespace tilewright
